"""The regime: from size alone, and sensible for the graphs that people have."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from kces.datasets import load
from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, star
from kces.engines.compact import compact
from kces.engines.regime import DIRECT_LIMIT, ITERATIVE_LIMIT, Regime
from kces.graph import Graph
from problems import problem_for

needs_data = pytest.mark.skipif("KCES_DATA_ROOT" not in os.environ, reason="needs data sets: set KCES_DATA_ROOT")


def complete(n: int) -> Graph:
    return Graph.from_edges(np.argwhere(np.tri(n, k=-1)), np.eye(n)[:, :8], n_nodes=n)


def linked(n: int, width: int) -> Graph:
    """A path with sparse features."""
    steps = np.arange(n - 1)
    features = sp.csr_array((np.ones(n), (np.arange(n), np.arange(n) % width)), shape=(n, width))
    return Graph.from_edges(np.stack([steps, steps + 1], axis=1), features, n_nodes=n)


@pytest.mark.parametrize(
    ("nodes", "width", "solver", "far_field"),
    [
        (DIRECT_LIMIT, 8, "direct", "pairs"),
        (DIRECT_LIMIT + 1, 8, "iterative", "series"),
        (DIRECT_LIMIT + 1, 2_000, "direct", "pairs"),
        (ITERATIVE_LIMIT, 8, "iterative", "series"),
        (ITERATIVE_LIMIT + 1, 8, "partition", "series"),
    ],
)
def test_solver_and_far_field_by_size(nodes: int, width: int, solver: str, far_field: str) -> None:
    regime = Regime.of(linked(nodes, width))
    assert (regime.solver, regime.far_field) == (solver, far_field)
    assert regime.all_pairs == (solver == "direct")


def test_free_memory_plays_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = linked(DIRECT_LIMIT + 1, 8)
    plenty = Regime.of(graph)
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000")
    assert Regime.of(graph) == plenty


def test_triangles_are_counted() -> None:
    assert Regime.of(complete(30)).triangles == 30 * 29 * 28 // 6
    assert Regime.of(star(9)).triangles == 0


def test_a_hub_is_counted_in_time() -> None:
    """A merge of both ends' lists would cost the hub's degree for each of its edges."""
    n = 100_000
    spokes = np.stack([np.zeros(n, dtype=np.int64), np.arange(1, n + 1)], axis=1)
    assert Regime.of(Graph.from_edges(spokes, np.ones((n + 1, 1)))).triangles == 0


@pytest.mark.parametrize(("nodes", "engine"), [(60, "exact"), (200, "local"), (300, "local")])
def test_dense_graphs_leave_exact_early(nodes: int, engine: str) -> None:
    assert Regime.of(complete(nodes)).engine == engine


def test_what_the_exact_engine_takes_on_a_complete_graph_is_known_beforehand() -> None:
    regime = Regime.of(complete(300))
    assert regime.seconds("exact") >= 120
    assert max(regime.seconds(engine) for engine in ("auto", "local", "subgraph")) < 60


@needs_data
@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("polblogs", "local"),
        ("cora@metattack-0.25", "exact"),
        ("citeseer@metattack-0.25", "exact"),
        ("pubmed", "local"),
    ],
)
def test_what_auto_takes_on_published_graphs(name: str, engine: str) -> None:
    assert Regime.of(load(name)).engine == engine


def test_what_auto_takes_on_the_digits() -> None:
    assert Regime.of(load("digits")).engine == "exact"


def test_wide_sparse_features_are_reduced_and_the_regime_stays() -> None:
    problem = problem_for(linked(9_000, 16_000))
    assert problem.regime.compacts
    reduced = compact(replace(problem, forced=replace(problem.regime, width=16)))
    assert reduced.graph.n_features == 16
    assert reduced.regime.features == 16_000
    assert "16000 features reduced to 1024" in str(problem.regime)
    narrow = replace(linked(9_000, 16_000), features=np.ones((9_000, 3)))
    assert not Regime.of(narrow).compacts


@pytest.mark.parametrize(("nodes", "width"), [(30_000, 1_024), (100_000, 671), (200_000, 512)])
def test_more_nodes_are_left_fewer_features(nodes: int, width: int) -> None:
    assert Regime.of(linked(nodes, 16_000)).width == width


def test_caps_shrink_with_the_work() -> None:
    small, dense = Regime.of(barbell()), Regime.of(synthetic(n=4_000, degree=120, seed=0))
    assert small.block_size(1).cap == 32
    assert small.block_size(2).cap > dense.block_size(2).cap
    assert small.block_size(1, cap=5, fill=7) == replace(small.one_hop, cap=5, fill=7)
    assert small.block_size(2, cap=5).fill == 12
