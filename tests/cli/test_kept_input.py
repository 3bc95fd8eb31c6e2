"""``kces score`` and ``kces sanitize`` of a graph in memory: when there is a run folder, and what it changes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kces.cli.scale_options import ScaleOptions
from kces.errors import InvalidParameterError, OutputError
from kces.interop.limits import STANDARD_STREAM
from kces.scale.run_folder import locked_run
from program import RunKces

GRAPH = "synthetic:n=60,seed=0"


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


@pytest.mark.parametrize("command", ["score", "sanitize"])
@pytest.mark.parametrize("words", [("--preset", "paper"), ()], ids=["paper", "robust"])
def test_a_run_folder_changes_nothing_but_what_is_kept(
    command: str, words: tuple[str, ...], tmp_path: Path, run_kces: RunKces
) -> None:
    plain, kept = tmp_path / "plain.csv", tmp_path / "kept.csv"
    assert run_kces(command, GRAPH, "-q", "-o", plain, *words, "--alpha", "0.2").code == 0
    ran = run_kces(command, GRAPH, "-q", "-o", kept, *words, "--alpha", "0.2", "--run", tmp_path / "r", "--keep-run")
    assert ran.code == 0, ran.err
    if command == "sanitize" or "paper" in words:
        assert kept.read_bytes() == plain.read_bytes()
    assert (tmp_path / "r" / "run.json").is_file()
    again = run_kces(
        command, GRAPH, "-q", "-o", kept, "--force", *words, "--alpha", "0.2", "--run", tmp_path / "r", "--resume"
    )
    assert again.code == 0, again.err
    assert names(tmp_path) == ["kept.csv", "plain.csv"]


def test_what_may_take_long_is_kept_unasked_where_a_file_is_written(
    tmp_path: Path, run_kces: RunKces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kces.cli.kept_input.LONG", 0.0)
    monkeypatch.setattr("kces.cli.kept_input.expected_seconds", lambda graph, options: 200.0)
    monkeypatch.chdir(tmp_path)
    ran = run_kces("score", GRAPH, "-o", "s.csv", "--preset", "paper")
    assert ran.code == 0
    assert "may take 3 minutes or more; finished parts are kept in s.csv.run: after a stop, add --resume" in ran.err
    assert names(tmp_path) == ["s.csv"]
    assert run_kces("score", GRAPH, "--preset", "paper").err == ""


def test_nothing_is_kept_beside_a_device_unasked(
    tmp_path: Path, run_kces: RunKces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kces.cli.kept_input.LONG", 0.0)
    ran = run_kces("sanitize", GRAPH, "-o", os.devnull, "--preset", "paper", "--alpha", "0.2")
    assert (ran.code, ran.err) == (0, "")
    assert ScaleOptions().run_folder("links.csv", Path(os.devnull)) == Path("links.csv.run")


def test_a_run_that_fails_at_its_end_keeps_its_parts(
    tmp_path: Path, run_kces: RunKces, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **named: object) -> None:
        raise OutputError("cannot write s.csv: No space left on device")

    out = tmp_path / "s.csv"
    with monkeypatch.context() as patched:
        patched.setattr("kces.cli.score.write_table", full)
        failed = run_kces("score", GRAPH, "-q", "-o", out, "--preset", "paper", "--run", tmp_path / "r")
    assert failed.code == 2
    assert (tmp_path / "r" / "run.json").is_file()
    ran = run_kces("score", GRAPH, "-q", "-o", out, "--preset", "paper", "--run", tmp_path / "r", "--resume")
    assert ran.code == 0
    assert names(tmp_path) == ["s.csv"]


def test_two_processes_exclude_each_other(tmp_path: Path, run_kces: RunKces) -> None:
    with locked_run(tmp_path / "r"):
        ran = run_kces("score", GRAPH, "--preset", "paper", "--run", tmp_path / "r")
    assert ran.code == 2
    assert "another process is using the run folder" in ran.err


def test_what_is_refused_leaves_no_folder(tmp_path: Path, run_kces: RunKces) -> None:
    (tmp_path / "g.csv").write_text("source,target\n0,1\n1,2\n2,0\n")
    ran = run_kces("score", tmp_path / "g.csv", "--chunk", 5, "--run", tmp_path / "r")
    assert ran.code == 2
    assert "leave out workers and chunks" in ran.err
    assert names(tmp_path) == ["g.csv"]


def test_run_folders_are_beside_the_output_or_the_graph() -> None:
    scale = ScaleOptions()
    assert scale.run_folder("g.csv", Path("out/s.csv")) == Path("out/s.csv.run")
    assert scale.run_folder("data/g.kces/", None) == Path("data/g.kces.run")
    assert scale.run_folder("g.csv", STANDARD_STREAM) == Path("g.csv.run")
    assert scale.run_folder("s3://bucket/g.kces", None) == Path("g.kces.run")
    with pytest.raises(InvalidParameterError, match="needs --run DIR"):
        scale.run_folder("-", STANDARD_STREAM)


def test_workers_serve_a_graph_in_memory(tmp_path: Path, run_kces: RunKces) -> None:
    plain = json.loads(run_kces("score", GRAPH, "--json", "--preset", "paper").out)
    ran = run_kces("score", GRAPH, "--json", "--preset", "paper", "--workers", 1, "--run", tmp_path / "r")
    assert ran.code == 0, ran.err
    assert "dashboard: http" in ran.err
    assert json.loads(ran.out)["scores"] == plain["scores"]
