"""The command line as a person uses it: whole program, real files."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from program import RunKces


@pytest.fixture
def edge_list(tmp_path: Path) -> Path:
    file = tmp_path / "links.csv"
    rows = ["source,target,since"]
    for team in "ab":
        rows += [f"{team}{i},{team}{j},20{i}{j}" for i in range(5) for j in range(i + 1, 5)]
    file.write_text("\n".join([*rows, "a0,b0,1999"]) + "\n")
    return file


@pytest.fixture
def node_features(tmp_path: Path) -> Path:
    file = tmp_path / "nodes.csv"
    lines = [
        f"{team}{i},{1 - 0.1 * i if team == 'a' else 0},{0 if team == 'a' else 1 - 0.1 * i}"
        for team in "ab"
        for i in range(5)
    ]
    file.write_text("node,x,y\n" + "\n".join(lines) + "\n")
    return file


def test_one_minute_tour(edge_list: Path, node_features: Path, tmp_path: Path, run_kces: RunKces) -> None:
    scores, clean = tmp_path / "scores.csv", tmp_path / "clean.csv"
    common = ["--features", str(node_features), "--clusters", "2", "--quiet"]
    assert run_kces("score", str(edge_list), "-o", str(scores), "--preset", "paper", *common)[0] == 0
    table = pd.read_csv(scores)
    assert table.columns.tolist() == ["source", "target", "since", "score", "rank", "suspicious", "why"]
    assert table["rank"].tolist() == list(range(1, 22))
    assert set(table.loc[0, ["source", "target"]]) == {"a0", "b0"}
    code, out, _ = run_kces(
        "sanitize", str(edge_list), "-o", str(clean), "--alpha", "0.04", "--preset", "paper", *common
    )
    assert code == 0
    assert "removed 1 of 21 edges" in out
    kept = pd.read_csv(clean)
    assert kept.columns.tolist() == ["source", "target", "since"]
    assert len(kept) == 20
    assert not ((kept["source"] == "a0") & (kept["target"] == "b0")).any()


def test_score_json(run_kces: RunKces) -> None:
    code, out, _ = run_kces("score", "synthetic:n=60,seed=1", "--engine", "exact", "--preset", "paper", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["engine"] == "exact"
    assert len(found["scores"]) == found["edges"] > 100
    assert sum(row["suspicious"] for row in found["scores"]) == math.ceil(0.3 * found["edges"])


def test_engine_options_reach_the_engine(run_kces: RunKces, tmp_path: Path) -> None:
    words = ["score", "synthetic:n=80,seed=1", "--preset", "paper", "--engine", "local", "--json", "--quiet"]
    plain, small = (
        json.loads(run_kces(*words, *more)[1])["scores"]
        for more in ([], ["--engine-option", "cap=1", "--engine-option", "fill=2"])
    )
    assert plain != small
    code, out, _ = run_kces(
        "sanitize", "synthetic:n=80,seed=1", "-o", str(tmp_path / "out.npz"), "--preset", "paper",
        "--engine", "local", "--engine-option", "hops=2", "--json", "--quiet",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["preset"] == "paper"


def test_bench_takes_engine_options(run_kces: RunKces) -> None:
    words = ["bench", "engines", "synthetic:n=60,seed=1", "--only", "local", "--engine-option", "cap=4"]
    code, out, _ = run_kces(*words, "--json", "--quiet")
    assert code == 0
    assert [row["engine"] for row in json.loads(out)] == ["exact", "local cap=4", "gcn, 200 epochs"]


def test_bench_shows_where_the_time_goes(run_kces: RunKces) -> None:
    code, out, _ = run_kces("bench", "engines", "synthetic:n=60,seed=1", "--only", "gradient", "--stages", "--quiet")
    assert code == 0
    assert "where the time goes" in out
    assert "solve the kernel" in out


def test_gkc_json_keys(run_kces: RunKces) -> None:
    code, out, _ = run_kces("gkc", "synthetic:n=60,seed=1", "--json", "--ridge", "0.01")
    found = json.loads(out)
    assert code == 0
    assert {"gkc", "nodes", "edges", "ridge", "labels", "encoding", "seed"} <= set(found)
    assert found["ridge"] == 0.01
    assert found["gkc"] > 0


def test_bound_json(run_kces: RunKces) -> None:
    code, out, _ = run_kces("bound", "synthetic:n=40,seed=1", "--edges", "--json", "--quiet")
    found = json.loads(out)
    assert code == 0
    assert found["bound"] == pytest.approx(found["root_gkc"] + found["epsilon"])
    assert len(found["edge_bounds"]) == found["edges"]
    assert min(row["bound"] for row in found["edge_bounds"]) >= found["bound"]


def test_labels_from_a_file(tmp_path: Path, run_kces: RunKces) -> None:
    np.save(tmp_path / "labels.npy", np.arange(60) % 3)
    code, out, _ = run_kces(
        "score",
        "synthetic:n=60,seed=1",
        "--labels",
        str(tmp_path / "labels.npy"),
        "--preset",
        "paper",
        "--json",
    )
    assert code == 0
    assert json.loads(out)["clusters"] == 3


def test_plain_adjacency_with_features_file(tmp_path: Path, run_kces: RunKces) -> None:
    adjacency = sp.random_array((30, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    sp.save_npz(tmp_path / "graph.npz", sp.csr_matrix(adjacency))
    np.save(tmp_path / "features.npy", np.random.default_rng(1).random((30, 4)))
    code, out, err = run_kces(
        "sanitize", str(tmp_path / "graph.npz"), "--features", str(tmp_path / "features.npy"),
        "-o", str(tmp_path / "clean.npz"), "--alpha", "0.3", "--json",
    )  # fmt: skip
    assert code == 0
    assert err.count("warning:") == 1
    assert "one-way" in err
    found = json.loads(out)
    kept = sp.load_npz(tmp_path / "clean.npz")
    both = ((kept + kept.T) != 0).astype(int)
    both.setdiag(0)
    both.eliminate_zeros()
    assert both.nnz // 2 == found["kept"]


_LOCAL = ["score", "synthetic:n=60", "--preset", "paper", "--engine", "local", "--engine-option"]
BAD = [
    (["score", "missing.csv"], "no such file: missing.csv"),
    (["score", "nonsense"], "neither a file nor a data set"),
    (["score", "synthetic:n=x"], "not a number"),
    (["score", "digits", "--alpha", "1.5"], "alpha must lie in [0, 1], or be auto; got 1.5"),
    (["score", "synthetic:n=60", "--clusters", "1", "--preset", "paper"], "clusters must lie in 2…60"),
    (["score", "synthetic:n=60", "--clusters", "61", "--preset", "paper"], "clusters must lie in 2…60"),
    (["score", "synthetic:n=60", "--engine", "magic", "--preset", "paper"], "unknown engine 'magic'"),
    (["score", "synthetic:n=60", "--preset", "magic"], "unknown preset 'magic'"),
    (["score", "synthetic:n=60", "--engine", "local", "--engine-option", "hops"], "takes NAME=VALUE, got 'hops'"),
    ([*_LOCAL, "hop=2"], "engine local has no option hop"),
    ([*_LOCAL, "cap=few"], "cap must be a whole number"),
    ([*_LOCAL, "hops=3"], "hops must be 1 or 2, got 3"),
    (["score", "synthetic:n=60", "--preset", "paper", "--engine-option", "hops=2"], "engine auto takes no options"),
    (
        ["score", "synthetic:n=60", "--preset", "robust", "--engine-option", "hops=2"],
        "preset robust has no engine_options",
    ),
    (["sanitize", "synthetic:n=60", "-o", "out.npz", "--engine", "local"], "preset robust has no engine"),
    (["bench", "engines", "synthetic:n=60", "--engine-option", "hops=2"], "--engine-option needs --only"),
    (["bench", "engines", "--only", "local", "--engine-option", "magic=1"], "engine local has no option magic"),
    (["bench", "engines", "--only", "magic"], "unknown engine 'magic'"),
    (["score", "synthetic:n=60", "--preset", "paper", "--labels", "nowhere.txt"], "neither a file nor one of kmeans"),
    (["score", "synthetic:n=60", "--encoding", "magic", "--preset", "paper"], "unknown encoding 'magic'"),
    (["score", "synthetic:n=60", "--ridge", "-1", "--preset", "paper"], "ridge must be a number >= 0"),
    (["sanitize", "synthetic:n=60", "-o", "no/such/folder/out.npz"], "does not exist"),
    (["sanitize", "synthetic:n=60", "-o", "."], "is a folder"),
    (["sanitize", "synthetic:n=60", "-o", "out.xyz"], "cannot tell the format"),
    (["gkc", "digits", "--features", "x.npy"], "--features goes with a graph file"),
    (["gkc", "synthetic:n=999999999"], "memory"),
    *(
        ([*words, "--seed", seed], f"--seed must be a whole number from 0 to 4294967295, got {seed}")
        for seed in ("-1", "4294967296")
        for words in (
            ["score", "synthetic:n=60"],
            ["sanitize", "synthetic:n=60", "-o", "out.npz"],
            ["gkc", "synthetic:n=60"],
            ["bound", "synthetic:n=60"],
            ["demo"],
            ["attack", "synthetic:n=60", "-m", "random", "-b", "0.1", "-o", "out.npz"],
        )
    ),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_bad_input_is_one_line_and_code_2(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_kces: RunKces
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run_kces(*words, "--quiet")
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_existing_output_needs_force(tmp_path: Path, run_kces: RunKces) -> None:
    output = tmp_path / "out.npz"
    output.write_text("precious")
    words = ["sanitize", "synthetic:n=60", "-o", str(output), "--quiet"]
    code, _, err = run_kces(*words)
    assert code == 2
    assert "use force to replace it" in err
    assert output.read_text() == "precious"
    assert run_kces(*words, "--force")[0] == 0
    assert output.read_bytes()[:2] == b"PK"
    assert [file.name for file in tmp_path.iterdir()] == ["out.npz"]


def test_a_file_can_be_sanitized_in_place_by_force(edge_list: Path, run_kces: RunKces) -> None:
    before = edge_list.read_text()
    words = ["sanitize", edge_list, "-o", edge_list, "--alpha", "0.1", "--quiet"]
    assert run_kces(*words).code == 2
    assert edge_list.read_text() == before
    ran = run_kces(*words, "--force")
    assert ran.code == 0, ran.err
    kept = edge_list.read_text().splitlines()
    assert 1 < len(kept) < len(before.splitlines())
    assert set(kept) < set(before.splitlines())
    assert [file.name for file in edge_list.parent.iterdir()] == [edge_list.name]


def test_output_into_a_pipe_is_the_whole_file(edge_list: Path) -> None:
    command = [sys.executable, "-m", "kces", "sanitize", str(edge_list), "-o", "/dev/stdout", "--json", "-q"]
    done = subprocess.run([*command, "--alpha", "0.1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows, brace, about = done.stdout.partition("{")
    assert rows.startswith("source,target,since\n")
    assert json.loads(brace + about)["kept"] == rows.count("\n") - 1


def test_a_full_folder_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_kces: RunKces
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kces.atomic.os.replace", full)
    monkeypatch.setattr("kces.atomic.os.link", full)
    code, _, err = run_kces("sanitize", "synthetic:n=60", "-o", str(tmp_path / "out.npz"), "--quiet")
    assert code == 2
    assert "No space left on device" in err
    assert list(tmp_path.iterdir()) == []


def test_memory_is_named_and_another_engine_offered(monkeypatch: pytest.MonkeyPatch, run_kces: RunKces) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000000")
    code, _, err = run_kces("score", "synthetic:n=300,seed=1", "--engine", "exact", "--preset", "paper", "--quiet")
    assert code == 2
    assert "the exact engine needs" in err
    assert "use engine local" in err


def test_version_and_help(run_kces: RunKces) -> None:
    assert run_kces("--version")[1].startswith("kces ")
    assert "sanitize" in run_kces("--help")[1]


def test_the_installed_program_exits_with_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kces", "score", "missing.npz"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip() == "error: no such file: missing.npz"
