"""``kces bound``: its parts add up to the theorem."""

from __future__ import annotations

import json

import pytest

from kces.datasets.builtin import load_builtin
from kces.kernel import complexity, gram
from kces.scorers import ScoreOptions
from kces.scorers.paper import PaperScorer
from kces.theory import error_bound
from program import RunKces


def test_bound_json(run_kces: RunKces) -> None:
    code, out, _ = run_kces("bound", "synthetic:n=40,seed=1", "--edges", "--json", "--quiet")
    found = json.loads(out)
    assert code == 0
    assert found["bound"] == pytest.approx(found["root_gkc"] + found["epsilon"])
    assert len(found["edge_bounds"]) == found["edges"]
    assert min(row["bound"] for row in found["edge_bounds"]) >= found["bound"]


def test_it_is_the_bound_of_the_library(run_kces: RunKces) -> None:
    words = ["bound", "synthetic:n=40,seed=1", "--ridge", "0.1", "--delta", "0.2", "-q"]
    found = json.loads(run_kces(*words, "--json").out)
    problem, _ = PaperScorer(ScoreOptions(preset="paper", ridge=0.1)).pose(load_builtin("synthetic:n=40,seed=1"))
    expected = error_bound(gram(problem.Z), problem.codes, ridge=0.1, delta=0.2)
    assert found["bound"] == pytest.approx(expected.value, rel=1e-12)
    assert found["root_gkc"] ** 2 == pytest.approx(complexity(gram(problem.Z), problem.codes, 0.1), rel=1e-9)
    assert "edge_bounds" not in found
    assert f"{expected.value:.4g}" in run_kces(*words).out
