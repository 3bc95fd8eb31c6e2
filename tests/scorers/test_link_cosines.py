"""Cosines of the ends of a pair without their link, against brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from kces.datasets.toys import barbell, path, star, thorny
from kces.graph import Graph
from kces.kernel import propagation
from kces.scorers.link_cosines import HOPS, leave_edge_out_cosines


def unit(row: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(row)
    return row / length if length > 1e-9 else np.zeros_like(row)


def brute_force_cosines(graph: Graph, features: np.ndarray, pair: np.ndarray) -> list[float]:
    """Set the pair's entry of T to zero, multiply, compare."""
    i, j = pair
    T = propagation(graph).toarray()
    T[i, j] = T[j, i] = 0.0
    rows = [features, T @ features, T @ T @ features]
    return [(unit(rows[p][i]) @ unit(rows[q][j]) + unit(rows[q][i]) @ unit(rows[p][j])) / 2 for p, q in HOPS]


@pytest.mark.parametrize("graph", [path(6), star(5), barbell(), thorny()], ids=lambda graph: graph.name)
@pytest.mark.parametrize("sparse", [False, True])
def test_leave_edge_out_matches_brute_force(graph: Graph, sparse: bool) -> None:
    features = sp.csr_array(graph.features) if sparse else graph.features
    everything = np.array([(i, j) for i in range(graph.n_nodes) for j in range(i + 1, graph.n_nodes)])
    expected = [brute_force_cosines(graph, graph.features, pair) for pair in everything]
    np.testing.assert_allclose(leave_edge_out_cosines(graph, features, everything), expected, atol=1e-9)


def test_link_kept_differs_only_on_edges() -> None:
    graph = barbell()
    pairs = np.array([[0, 1], [0, 9]])
    cut, kept = (leave_edge_out_cosines(graph, graph.features, pairs, leave_out=flag) for flag in (True, False))
    assert np.allclose(cut[1], kept[1])
    assert not np.allclose(cut[0], kept[0])


def test_features_wider_than_one_block_are_summed_over_blocks() -> None:
    generator = np.random.default_rng(1)
    graph = replace(barbell(), features=generator.random((10, 700)))
    expected = [brute_force_cosines(graph, graph.features, pair) for pair in graph.edges]
    np.testing.assert_allclose(leave_edge_out_cosines(graph, graph.features, graph.edges), expected, atol=1e-9)
