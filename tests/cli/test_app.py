"""The command line as a person uses it: whole program, real files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from program import RunKces


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


_LOCAL = ["score", "synthetic:n=60", "--preset", "paper", "--engine", "local", "--engine-option"]
BAD = [
    (["score", "missing.csv"], "no such file: missing.csv"),
    (["score", "nonsense"], "neither a file nor a data set"),
    (["score", "synthetic:n=x"], "not a number"),
    (["score", "digits", "--alpha", "1.5"], "alpha must lie in [0, 1], or be auto or labels; got 1.5"),
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
