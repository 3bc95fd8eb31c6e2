"""Pairs of nodes grouped by one of their ends, so that what is known of that end is worked out once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.graph import Graph, edge_keys, key_edges, sorted_unique
from kces.types import Bools, Ints

__all__ = ["PairsBySource", "group_pairs", "pairs_and_edges"]


@dataclass(frozen=True)
class PairsBySource:
    """Pairs in the order of their sources.

    Attributes
    ----------
    sources : (S,) one end of each pair, without repeats.
    starts : (S + 1,) where the pairs of each source begin.
    targets : (P,) the other ends.
    order : (P,) which pair each of them is.
    swapped : (P,) whether the source is the pair's second node; in the order of the pairs.
    """

    sources: Ints
    starts: Ints
    targets: Ints
    order: Ints
    swapped: Bools


def group_pairs(graph: Graph, pairs: Ints) -> PairsBySource:
    """The source of a pair is the end whose neighbors have more neighbors: a hub is spread once, not once a link.

    >>> from kces.datasets.toys import star
    >>> group_pairs(star(3), np.array([[0, 1], [0, 2], [0, 3]])).sources.tolist()
    [0]
    """
    reach = graph.adjacency @ graph.degrees + graph.degrees
    swapped = reach[pairs[:, 1]] > reach[pairs[:, 0]]
    source = np.where(swapped, pairs[:, 1], pairs[:, 0])
    target = np.where(swapped, pairs[:, 0], pairs[:, 1])
    order = np.argsort(source, kind="stable")
    counts = np.bincount(source, minlength=graph.n_nodes)
    sources = np.flatnonzero(counts)
    starts = np.concatenate([[0], np.cumsum(counts[sources])])
    return PairsBySource(sources, starts, target[order], order, swapped)


def pairs_and_edges(graph: Graph, pairs: Ints) -> tuple[Ints, Ints]:
    """The pairs with all edges at their ends, without repeats, and where each pair is among them.

    >>> from kces.datasets.toys import path
    >>> wanted, which = pairs_and_edges(path(4), np.array([[0, 2]]))
    >>> wanted.tolist(), which.tolist()
    ([[0, 1], [0, 2], [1, 2], [2, 3]], [1])
    """
    met = np.zeros(graph.n_nodes, dtype=bool)
    met[pairs.ravel()] = True
    edges = graph.edges[met[graph.edges].any(axis=1)]
    asked = edge_keys(pairs, graph.n_nodes)
    keys = sorted_unique(np.concatenate([asked, edge_keys(edges, graph.n_nodes)]))
    return key_edges(keys, graph.n_nodes), np.searchsorted(keys, asked)
