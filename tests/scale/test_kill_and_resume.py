"""kill -9 at any moment: resumed, the run ends with the same bytes; in between nothing half-written is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import scale_faults
from kces.api import rank_edges
from kces.datasets.builtin import synthetic
from kces.scale.from_graph import write_graph_folder


def kces(*arguments: object, dies: tuple[int, str] | None = None) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, scale_faults.__file__, *map(str, dies)] if dies else [sys.executable, "-m", "kces"]
    paths = os.pathsep.join([str(Path(scale_faults.__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths}
    return subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs") / "g.kces"
    write_graph_folder(synthetic(n=300, seed=0, degree=10.0), folder)
    return folder


def test_a_run_that_is_killed_twice_ends_with_the_same_bytes(graph: Path, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts.parquet"
    options = ("-q", "--chunk", 200)
    assert kces("score", graph, "-o", whole, *options).returncode == 0
    first = kces("score", graph, "-o", parts, *options, dies=(4, "between"))
    assert first.returncode == -signal.SIGKILL
    assert (tmp_path / "parts.parquet.run").is_dir()
    second = kces("score", graph, "-o", parts, "-q", "--resume", dies=(9, "halfway"))
    assert second.returncode == -signal.SIGKILL
    assert not parts.exists()
    assert kces("score", graph, "-o", parts, "-q", "--resume").returncode == 0
    assert parts.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "parts.parquet.run").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--preset", "paper", "--engine", "exact", "--chunk", 60),
        ("--preset", "paper", "--engine", "montecarlo", "--chunk", 60),
        ("--preset", "robust", "--chunk", 60),
    ],
    ids=lambda words: words[3] if "--engine" in words else words[1],
)
def test_a_run_on_a_table_that_is_killed_ends_with_the_same_bytes(words: tuple[object, ...], tmp_path: Path) -> None:
    graph = synthetic(n=60, seed=0, degree=8.0)
    pd.DataFrame(graph.edges, columns=["source", "target"]).to_csv(tmp_path / "g.csv", index=False)
    np.save(tmp_path / "x.npy", graph.features)
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    options = ("score", tmp_path / "g.csv", "--features", tmp_path / "x.npy", "-q", *words)
    for _ in range(2):  # the first run may compile, and code from the cache may round its last bit otherwise
        assert kces(*options, "-o", whole, "--force").returncode == 0
    killed = kces(*options, "-o", parts, dies=(2, "halfway"))
    assert killed.returncode == -signal.SIGKILL
    assert not parts.exists()
    again = kces(*options, "-o", parts)
    assert again.returncode == 2
    assert "holds an unfinished run; resume it" in again.stderr
    other = kces(*options, "-o", parts, "--resume", "--seed", 7)
    assert other.returncode == 2
    assert "seed is 0 there and 7 here" in other.stderr
    assert kces(*options, "-o", parts, "--resume").returncode == 0
    assert parts.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.csv", "parts.csv", "whole.csv", "x.npy"]


def test_what_is_written_is_what_memory_gives(graph: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    assert kces("score", graph, "-o", out, "-q", "--chunk", 200).returncode == 0
    found, expected = pd.read_csv(out), rank_edges(synthetic(n=300, seed=0, degree=10.0))
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-9)
    for column in ("source", "target", "rank", "suspicious", "why"):
        assert found[column].tolist() == expected[column].tolist()
