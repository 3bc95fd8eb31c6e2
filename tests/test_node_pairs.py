"""Pairs of nodes: which of them are edges, and random ones that are not."""

from __future__ import annotations

import numpy as np

from kces.datasets.builtin import synthetic
from kces.datasets.toys import star
from kces.node_pairs import are_edges, random_unlinked_pairs


def test_random_pairs_are_ordered_and_not_edges() -> None:
    graph = synthetic(n=100, seed=2)
    pairs = random_unlinked_pairs(graph, np.random.default_rng(0))
    assert len(pairs) > 15_000
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert graph.adjacency[pairs[:, 0], pairs[:, 1]].max() == 0


def test_every_edge_is_known_and_nothing_else() -> None:
    graph = synthetic(n=30, seed=1)
    everything = np.stack(np.triu_indices(30), axis=1)
    expected = graph.adjacency.toarray()[everything[:, 0], everything[:, 1]] > 0
    np.testing.assert_array_equal(are_edges(graph, everything), expected)


def test_a_star_has_only_its_leaves_to_pair() -> None:
    pairs = random_unlinked_pairs(star(4), np.random.default_rng(0), size=200)
    assert {(int(i), int(j)) for i, j in pairs} == {(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)}
