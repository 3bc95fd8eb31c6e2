"""Tiny graphs for examples and tests: each has one difficulty that an engine must get right."""

from __future__ import annotations

import numpy as np

from kces.graph import Graph

__all__ = ["barbell", "path", "star", "thorny"]


def path(n: int = 4) -> Graph:
    """Nodes in a row, with distinct positive features.

    >>> path(3).edges.tolist()
    [[0, 1], [1, 2]]
    """
    nodes = np.arange(n - 1)
    return Graph.from_edges(np.stack([nodes, nodes + 1], axis=1), _features(n, 3), name="path")


def star(leaves: int = 6) -> Graph:
    """A hub and its leaves: removing any edge isolates a leaf."""
    spokes = np.stack([np.zeros(leaves, dtype=np.int64), np.arange(1, leaves + 1)], axis=1)
    return Graph.from_edges(spokes, _features(leaves + 1, 4), name="star")


def barbell(size: int = 5) -> Graph:
    """Two cliques of one class each, joined by a single edge, which is the suspicious one.

    >>> graph = barbell(4)
    >>> graph.n_nodes, graph.n_edges, graph.labels.tolist()
    (8, 13, [0, 0, 0, 0, 1, 1, 1, 1])
    """
    clique = np.array([(i, j) for i in range(size) for j in range(i + 1, size)])
    edges = np.concatenate([clique, clique + size, [[size - 1, size]]])
    labels = np.repeat([0, 1], size)
    features = np.eye(2)[labels] + 0.3 * _features(2 * size, 2)
    split = np.arange(2 * size)
    return Graph.from_edges(
        edges,
        features,
        labels=labels,
        train=split[::3],
        val=split[1::3],
        test=split[2::3],
        name="barbell",
    )


def thorny() -> Graph:
    """Everything awkward at once: hub, triangles, twins, leaves, an isolated and two zero-feature nodes."""
    edges = [
        *[(0, k) for k in range(1, 9)],  # a hub
        *[(1, 2), (2, 3), (1, 3), (3, 4)],  # triangles on it, one a 4-clique
        *[(5, 9), (6, 9)],  # 5 and 6 are twins: same neighbors, same features
        *[(9, 10), (10, 11)],  # a path that ends in the featureless leaf 11
        *[(12, 13)],  # a component of two nodes, one of them featureless
    ]
    features = _features(15, 5)
    features[6] = features[5]
    features[[11, 13]] = 0.0
    return Graph.from_edges(edges, features, n_nodes=15, name="thorny")


def _features(n: int, width: int) -> np.ndarray:
    return np.random.default_rng(n).random((n, width))
