"""The changed rows of every edge of a graph, and which of them are the same: what the exact engine works through.

A neighbor of ``i`` only has the same row for *every* edge at ``i``. A graph so has 2E neighbor rows, 2E endpoint rows
and one row per edge and common neighbor (3 per triangle), far fewer than its edges have neighbors in all.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.adjacency import shared_neighbors
from kces.engines.removal import compiled, endpoint_coefficients, neighbor_coefficient
from kces.graph import Graph
from kces.types import Array, Ints

__all__ = ["Supports", "removal_supports", "support_sizes"]

_endpoint = compiled(endpoint_coefficients)
_neighbor = compiled(neighbor_coefficient)


class Supports(NamedTuple):
    """For the e-th edge, the slice ``start[e]:start[e + 1]`` of the flat arrays describes its changed rows.

    Each slice begins with the endpoints i and j. With L changed rows in all:

    Attributes
    ----------
    start : (E + 1,).
    node : (L,), whose row it is.
    row : (L,), number of the row among the distinct ones: neighbor rows first (0 … 2E-1, by position in the CSR
        adjacency), then endpoint rows, then common neighbors, which belong to one edge each.
    alpha, beta, gamma : (L,), coefficients of Z_k, X_i and X_j (see ``removal.py``).
    """

    start: Ints
    node: Ints
    row: Ints
    alpha: Array
    beta: Array
    gamma: Array

    @property
    def sizes(self) -> Ints:
        """``|S|`` of each edge, shape (E,)."""
        return np.diff(self.start)


def support_sizes(graph: Graph, edges: Ints) -> Ints:
    """``|S|`` of each of ``edges``: both ends and all their neighbors.

    >>> from kces.datasets.toys import path
    >>> support_sizes(path(4), path(4).edges).tolist()
    [3, 4, 3]
    """
    neighbors = np.diff(graph.adjacency.indptr)
    return neighbors[edges].sum(axis=1) - shared_neighbors(graph, edges)


def removal_supports(graph: Graph, edges: Ints) -> Supports:
    """The changed rows of each of ``edges``: nodes and coefficients.

    >>> from kces.datasets.toys import path
    >>> supports = removal_supports(path(4), path(4).edges)
    >>> [supports.node[a:b].tolist() for a, b in zip(supports.start, supports.start[1:])]
    [[0, 1, 2], [1, 2, 0, 3], [2, 3, 1]]
    """
    indptr = graph.adjacency.indptr.astype(np.int64)
    indices = graph.adjacency.indices.astype(np.int64)
    edges = np.ascontiguousarray(edges)
    start = np.concatenate([[0], np.cumsum(support_sizes(graph, edges))]).astype(np.int64)
    node, row, coefficients = _fill_supports(indptr, indices, edges, graph.degrees, start)
    return Supports(start, node, row, *coefficients)


@numba.njit(cache=True)
def _fill_supports(indptr, indices, edges, degrees, start):
    """Nodes, row numbers, and (α, β, γ) as an array (3, L): the neighbor lists of both ends are merged."""
    node, row = np.empty(start[-1], dtype=np.int64), np.empty(start[-1], dtype=np.int64)
    coefficients = np.zeros((3, start[-1]))
    alpha, beta, gamma = coefficients
    n_directed = len(indices)
    next_common_row = 2 * n_directed
    for e in range(len(edges)):
        i, j = edges[e]
        first, at = start[e], start[e] + 2
        node[first], node[first + 1] = i, j
        alpha[first], beta[first], gamma[first] = _endpoint(degrees[i], degrees[j])
        alpha[first + 1], gamma[first + 1], beta[first + 1] = _endpoint(degrees[j], degrees[i])
        a, b = indptr[i], indptr[j]
        end_a, end_b = indptr[i + 1], indptr[j + 1]
        while a < end_a or b < end_b:
            from_i = a < end_a and (b >= end_b or indices[a] <= indices[b])
            from_j = b < end_b and (a >= end_a or indices[b] <= indices[a])
            k = indices[a] if from_i else indices[b]
            if k == j:  # the edge itself, seen from i
                row[first] = n_directed + a
            elif k == i:
                row[first + 1] = n_directed + b
            else:
                node[at], alpha[at] = k, 1.0
                if from_i:
                    beta[at], row[at] = _neighbor(degrees[k], degrees[i]), a
                if from_j:
                    gamma[at], row[at] = _neighbor(degrees[k], degrees[j]), b
                if from_i and from_j:
                    row[at] = next_common_row
                    next_common_row += 1
                at += 1
            a += from_i
            b += from_j
    return node, row, coefficients
