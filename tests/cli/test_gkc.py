"""``kces gkc``: the number, against its definition."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from program import RunKces


def test_gkc_json_keys(run_kces: RunKces) -> None:
    code, out, _ = run_kces("gkc", "synthetic:n=60,seed=1", "--json", "--ridge", "0.01")
    found = json.loads(out)
    assert code == 0
    assert {"gkc", "nodes", "edges", "ridge", "labels", "encoding", "seed"} <= set(found)
    assert found["ridge"] == 0.01
    assert found["gkc"] > 0


def test_it_is_the_complexity_of_the_given_labels(tmp_path: Path, run_kces: RunKces) -> None:
    """Two nodes without features of their own: their rows are one, H is 1/2 everywhere."""
    (tmp_path / "pair.csv").write_text("a,b\n0,1\n")
    (tmp_path / "labels.txt").write_text("0\n1\n")
    words = ["gkc", tmp_path / "pair.csv", "--labels", tmp_path / "labels.txt", "--ridge", "0.5", "--json", "-q"]
    found = json.loads(run_kces(*words).out)
    # y = (-1, 1) is orthogonal to the ones, where H + 0.5 I is 0.5: 2 yᵀy / (0.5 · 2)
    assert found["gkc"] == pytest.approx(4.0)
    shown = run_kces(*words[:-2], "-q").out
    assert shown.startswith("GKC of pair (2 nodes, 1 edges): 4  (ridge 0.5, ")
