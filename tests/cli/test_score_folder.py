"""``kces score`` and ``kces sanitize`` of a graph folder: what they write and say, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from kces.api import score
from kces.datasets.builtin import synthetic
from kces.graph import Graph
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder
from program import RunKces

GRAPH = synthetic(n=150, seed=0, degree=10.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_graph_folder(GRAPH, tmp_path / "g.kces").path


def test_scores_go_to_a_table_and_the_run_folder_goes(folder: Path, tmp_path: Path, run_kces: RunKces) -> None:
    out = tmp_path / "scores.parquet"
    ran = run_kces("score", folder, "-o", out, "--chunk", 100, "--json")
    assert ran.code == 0, ran.err
    said, cut = json.loads(ran.out), score(GRAPH).cut()
    assert (said["suspicious"], said["edges"]) == (cut.n_removed, GRAPH.n_edges)
    assert said["alpha"] == pytest.approx(cut.alpha)
    rows = pd.read_parquet(out)
    assert rows["rank"].tolist() == list(range(1, GRAPH.n_edges + 1))
    assert rows["suspicious"].sum() == cut.n_removed
    assert [row["source"] for row in said["first"]] == rows["source"].head(10).tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.kces", "scores.parquet"]


def test_people_see_the_first_rows(folder: Path, run_kces: RunKces) -> None:
    ran = run_kces("score", folder, "-q", "--keep-run")
    assert ran.code == 0
    assert "edges on disk" in ran.out
    assert "more edges; write them all" in ran.out
    assert folder.with_name("g.kces.run").is_dir()
    again = run_kces("score", folder, "-q", "--resume")
    assert (again.code, again.out) == (0, ran.out)


@pytest.mark.parametrize("ending", [".kces", ".parquet", ".csv"])
def test_sanitized_folders_are_what_memory_gives(folder: Path, tmp_path: Path, ending: str, run_kces: RunKces) -> None:
    out = tmp_path / f"clean{ending}"
    ran = run_kces("sanitize", folder, "-o", out, "--alpha", "0.2", "--chunk", 100)
    assert ran.code == 0, ran.err
    kept = GRAPH.edges[score(GRAPH).cut(0.2).kept]
    if ending == ".kces":
        clean = GraphFolder.open(out)
        clean.verify()
        found = clean.edges.tolist()
        assert clean.to_graph().features.tolist() == GRAPH.features.tolist()
    else:
        found = (pd.read_csv if ending == ".csv" else pd.read_parquet)(out).to_numpy().tolist()
    assert found == kept.tolist()
    assert f"removed {GRAPH.n_edges - len(kept)} of {GRAPH.n_edges} edges" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--labels", "given", "--chunk", "9"), "preset robust has no labels"),
        (("-o", "s.json"), "go to .parquet"),
        (("--order", "input", "-o", "s.csv"), "leave out --order"),
        (("--workers", "1", "--cluster", "tcp://x:1"), "give one of them"),
        (("--features", "x.csv"), "has its own features"),
        (("--memory", "0.01", "--chunk", "0"), "--chunk"),
    ],
)
def test_what_does_not_go_together_is_refused(
    folder: Path, words: tuple[str, ...], said: str, run_kces: RunKces
) -> None:
    ran = run_kces("score", folder, "-q", *words)
    assert ran.code == 2
    assert said in ran.err


def test_a_folder_that_cannot_be_streamed_is_read(
    tmp_path: Path, run_kces: RunKces, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_graph_folder(Graph.from_edges(GRAPH.edges), tmp_path / "bare.kces")
    quiet = run_kces("score", tmp_path / "bare.kces")
    assert quiet.code == 0
    assert "in memory" not in quiet.err
    monkeypatch.setattr("kces.cli.on_disk._WORTH_A_WORD", 1000)
    told = run_kces("score", tmp_path / "bare.kces")
    assert "bare.kces is scored in memory, 522.9 KiB or more" in told.err
    assert "it has no features" in told.err
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "40000")
    refused = run_kces("score", tmp_path / "bare.kces", "-q")
    assert refused.code == 2
    assert "it has no features" in refused.err
    assert "needs 522.9 KiB of memory" in refused.err
    assert "39.1 KiB are available" in refused.err


def test_a_flipped_byte_in_the_folder_is_found_before_scoring(folder: Path, run_kces: RunKces) -> None:
    file = folder / "features_0001.npy"
    content = bytearray(file.read_bytes())
    content[-3] ^= 4
    file.write_bytes(bytes(content))
    for words in ((), ("--preset", "paper")):
        ran = run_kces("score", folder, "-q", *words)
        assert ran.code == 2
        assert "features_0001.npy is damaged" in ran.err


@pytest.mark.parametrize("command", [("explain", 3), ("report",), ("gkc",)])
def test_every_command_takes_a_folder(
    folder: Path, tmp_path: Path, command: tuple[object, ...], run_kces: RunKces
) -> None:
    ends = GRAPH.edges[0].tolist() if command[0] == "explain" else []
    out = ("-o", tmp_path / "page.html") if command[0] == "report" else ()
    assert run_kces(command[0], folder, *ends, *out).code == 0


def test_convert_writes_folders_and_reads_them(tmp_path: Path, run_kces: RunKces) -> None:
    ran = run_kces("convert", "synthetic:n=60,seed=0", "-o", tmp_path / "g.kces", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["nodes"] == 60
    assert run_kces("convert", tmp_path / "g.kces", "-o", tmp_path / "g.npz").code == 0
    again = run_kces("convert", "synthetic:n=60,seed=0", "-o", tmp_path / "g.kces")
    assert again.code == 2
    assert "exists" in again.err
