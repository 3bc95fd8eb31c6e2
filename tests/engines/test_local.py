"""The local engine: nearly exact, and the same on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from kces.datasets.builtin import synthetic
from kces.engines.exact import ExactEngine
from kces.engines.local import LocalEngine
from problems import problem_for


@pytest.mark.parametrize("features", [40, 120])
def test_large_graphs_score_the_same_on_any_number_of_threads(features: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(synthetic(n=4200, features=features, seed=3))
    scores = []
    for threads in (1, 2):
        monkeypatch.setenv("KCES_NUM_THREADS", str(threads))
        with threadpool_limits(threads):
            scores.append(LocalEngine().score(problem))
    assert np.array_equal(*scores)


def test_local_is_nearly_exact_and_two_hops_are_nearer() -> None:
    problem = problem_for(synthetic(n=400, seed=7, features=64))
    exact = ExactEngine().score(problem)
    one, two = (spearmanr(exact, LocalEngine(hops=hops).score(problem))[0] for hops in (1, 2))
    assert one > 0.97
    assert two > one - 0.002


def test_local_caps_hubs_without_losing_the_ranking() -> None:
    problem = problem_for(synthetic(n=300, degree=12, seed=8, features=48))
    assert problem.graph.degrees.max() > 30
    exact = ExactEngine().score(problem)
    assert spearmanr(exact, LocalEngine(cap=8).score(problem))[0] > 0.95


def test_conditioning_on_the_far_nodes_brings_local_nearer_to_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(synthetic(n=400, seed=7, features=64))
    exact = np.abs(ExactEngine().score(problem))
    conditioned = spearmanr(exact, np.abs(LocalEngine().score(problem)))[0]
    monkeypatch.setattr("kces.engines.local.explained_linear_part", lambda problem: 0.0)
    plain = spearmanr(exact, np.abs(LocalEngine().score(problem)))[0]
    assert conditioned > max(0.97, plain)
