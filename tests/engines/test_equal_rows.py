"""Edges whose removal makes two nodes equal: what parts equal rows by approximation is multiplied by 1/λ."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from kces.engines.exact import ExactEngine
from kces.engines.local import LocalEngine
from kces.engines.problem import Problem
from kces.graph import Graph
from kces.kernel import aggregate, normalize_rows
from kces.scorers.pseudo_labels import encode
from kces.types import Array, Bools


def alike(seed: int) -> Problem:
    """Few different feature rows on a sparse graph, labels by K-means: equal rows are common, most of one code."""
    chance = np.random.default_rng(seed)
    edges = np.argwhere(np.triu(chance.random((24, 24)) < 0.12, 1))
    graph = Graph.from_edges(edges, np.eye(3)[chance.integers(0, 3, 24)], n_nodes=24)
    clusters = KMeans(3, n_init=3, random_state=0).fit_predict(unit_rows(graph))
    return Problem(graph, encode(clusters, 3), 1e-3)


def unit_rows(graph: Graph) -> Array:
    return np.asarray(normalize_rows(aggregate(graph))[0])


def equal_pairs(graph: Graph) -> Bools:
    unit = unit_rows(graph)
    return np.triu(unit @ unit.T > 1 - 1e-12, 1)


def makes_equal(problem: Problem) -> Bools:
    """(E,) edges after whose removal rows of one code, and none of different codes, are newly equal."""
    graph, codes = problem.graph, problem.codes
    before, found = equal_pairs(graph), np.zeros(graph.n_edges, dtype=bool)
    for edge in range(graph.n_edges):
        kept = np.arange(graph.n_edges) != edge
        newly = equal_pairs(graph.keep_edges(kept)) & ~before
        found[edge] = newly.any() and not (newly & (codes != codes.T)).any()
    return found


def test_local_follows_exact_where_rows_become_equal() -> None:
    exact, local = [], []
    for seed in range(12):
        problem = alike(seed)
        which = makes_equal(problem)
        exact.append(ExactEngine().score(problem)[which])
        local.append(LocalEngine().score(problem)[which])
    expected, found = np.concatenate(exact), np.concatenate(local)
    assert len(expected) > 30
    assert np.abs(found - expected).max() <= np.abs(expected).max()
