"""Measurements of graphs on disk, on a small one: on disk and in memory find the same."""

from __future__ import annotations

import json
from pathlib import Path

from program import RunKces


def test_a_made_graph_is_measured_and_gone(run_kces: RunKces, tmp_path: Path) -> None:
    sizes = ("--nodes", 300, "--edges", 2000, "--features", 8)
    ran = run_kces("bench", "scale", *sizes, "--in-memory", "--place", tmp_path, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    (disk,) = found["disk"]
    assert disk["removed"] == found["memory"]["removed"]
    assert disk["edges"] == found["memory"]["edges"] == found["convert"]["edges"]
    assert {"views", "scores", "cut"} <= set(disk["stages"])
    assert disk["peak_mb"] > 1
    assert not list(tmp_path.iterdir())
