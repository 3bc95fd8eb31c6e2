"""Pairs of nodes: which of them are edges, and random ones that are not."""

from __future__ import annotations

import numpy as np

from kces.graph import Graph, edge_keys
from kces.types import Bools, Ints

__all__ = ["RANDOM_PAIRS", "are_edges", "random_unlinked_pairs"]

RANDOM_PAIRS = 20_000
"""Pairs that are drawn to compare edges with."""


def are_edges(graph: Graph, pairs: Ints) -> Bools:
    """Which of the pairs, ``i <= j``, are edges.

    >>> from kces.datasets.toys import path
    >>> are_edges(path(3), np.array([[0, 1], [0, 2]])).tolist()
    [True, False]
    """
    known, asked = edge_keys(graph.edges, graph.n_nodes), edge_keys(pairs, graph.n_nodes)
    at = np.searchsorted(known, asked)
    return np.append(known, -1)[at] == asked


def random_unlinked_pairs(graph: Graph, generator: np.random.Generator, size: int = RANDOM_PAIRS) -> Ints:
    """At most ``size`` pairs that are not edges, each end drawn in proportion to its degree.

    So drawn, random pairs differ from edges in who is joined, not in how many links the ends have.

    >>> from kces.datasets.toys import path
    >>> pairs = random_unlinked_pairs(path(4), np.random.default_rng(0), size=50)
    >>> sorted({(int(i), int(j)) for i, j in pairs})
    [(0, 2), (0, 3), (1, 3)]
    """
    drawn = np.sort(generator.choice(graph.edges.ravel(), size=(size, 2)), axis=1)
    return drawn[(drawn[:, 0] != drawn[:, 1]) & ~are_edges(graph, drawn)]
