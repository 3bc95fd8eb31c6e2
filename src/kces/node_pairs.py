"""Pairs of nodes: which of them are edges, and random ones that are not."""

from __future__ import annotations

import numpy as np

from kces.canonical_order import canonical_order
from kces.graph import Graph, edge_keys
from kces.types import Bools, Ints

__all__ = ["RANDOM_PAIRS", "are_edges", "drawn_pairs", "random_unlinked_pairs"]

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

    So drawn, random pairs differ from edges in who is joined, not in how many links the ends have. Nodes are drawn by
    their place in :func:`canonical_order`: the same nodes whatever their numbers.

    >>> from kces.datasets.toys import path
    >>> pairs = random_unlinked_pairs(path(4), np.random.default_rng(0), size=50)
    >>> sorted({(int(i), int(j)) for i, j in pairs})
    [(0, 2), (0, 3), (1, 3)]
    """
    drawn = drawn_pairs(canonical_order(graph), np.diff(graph.adjacency.indptr), generator, size)
    return drawn[~are_edges(graph, drawn)]


def drawn_pairs(order: Ints, links: Ints, generator: np.random.Generator, size: int) -> Ints:
    """(P, 2) at most ``size`` pairs of two nodes, ``i < j``, each drawn in proportion to its links.

    Parameters
    ----------
    order : (N,) the nodes, in the order that they are drawn by.
    links : (N,) how many links each has.
    generator : of the draws.
    size : how many are drawn; a node with itself is dropped.
    """
    ends_up_to = np.cumsum(links[order])
    places = np.searchsorted(ends_up_to, generator.integers(ends_up_to[-1], size=(size, 2)), side="right")
    drawn = np.sort(order[places], axis=1)
    return drawn[drawn[:, 0] != drawn[:, 1]]
