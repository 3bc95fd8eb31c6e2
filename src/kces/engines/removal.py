"""What removing one edge changes: the algebra that all engines share.

Removing the edge ``(i, j)`` changes the aggregated rows of ``S = N[i] ∪ N[j]`` only, each to

    ``Z'_k = α_k Z_k + β_k X_i + γ_k X_j``

with coefficients that depend on degrees alone. A neighbour of ``i`` only has ``α = 1, γ = 0`` and the same
row for *every* edge at ``i``; that is what makes rows shareable (see :func:`removal_supports`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.types import Array, Ints

__all__ = ["Supports", "explicit_rows", "removal_supports"]


@dataclass(frozen=True, eq=False)
class Supports:
    """For the e-th edge, the slice ``start[e]:start[e + 1]`` of the flat arrays describes its changed rows.

    Each slice begins with the endpoints i and j. ``row`` numbers the distinct changed rows of the whole graph:
    neighbour rows first (0 … 2E-1, by position in the CSR adjacency), then endpoint rows, then common
    neighbours, which belong to one edge each.
    """

    start: Ints
    node: Ints
    row: Ints
    alpha: Array
    beta: Array
    gamma: Array

    @property
    def sizes(self) -> Ints:
        return np.diff(self.start)


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
    sizes = _support_sizes(indptr, indices, edges)
    start = np.concatenate([[0], np.cumsum(sizes)])
    return Supports(start, *_fill_supports(indptr, indices, edges, graph.degrees, start))


@numba.njit(cache=True)
def _support_sizes(indptr, indices, edges):
    sizes = np.empty(len(edges), dtype=np.int64)
    for e in range(len(edges)):
        i, j = edges[e]
        a, b = indptr[i], indptr[j]
        common = 0
        while a < indptr[i + 1] and b < indptr[j + 1]:
            if indices[a] == indices[b]:
                common += 1
                a += 1
                b += 1
            elif indices[a] < indices[b]:
                a += 1
            else:
                b += 1
        sizes[e] = (indptr[i + 1] - indptr[i]) + (indptr[j + 1] - indptr[j]) - common
    return sizes


@numba.njit(cache=True)
def _fill_supports(indptr, indices, edges, degrees, start):
    total = start[-1]
    node = np.empty(total, dtype=np.int64)
    row = np.empty(total, dtype=np.int64)
    alpha = np.ones(total)
    beta = np.zeros(total)
    gamma = np.zeros(total)
    n_directed = len(indices)
    next_common_row = 2 * n_directed
    for e in range(len(edges)):
        i, j = edges[e]
        delta_i = (degrees[i] - 1.0) ** -0.5 - degrees[i] ** -0.5
        delta_j = (degrees[j] - 1.0) ** -0.5 - degrees[j] ** -0.5
        at = start[e] + 2
        a, b = indptr[i], indptr[j]
        end_a, end_b = indptr[i + 1], indptr[j + 1]
        while a < end_a or b < end_b:
            from_i = a < end_a and (b >= end_b or indices[a] <= indices[b])
            from_j = b < end_b and (a >= end_a or indices[b] <= indices[a])
            k = indices[a] if from_i else indices[b]
            if k == j:  # the edge itself, seen from i: its endpoint rows
                _put_endpoint(node, row, alpha, beta, gamma, start[e], i, degrees[i], delta_i, degrees[j])
                row[start[e]] = n_directed + a
            elif k == i:
                _put_endpoint(node, row, alpha, gamma, beta, start[e] + 1, j, degrees[j], delta_j, degrees[i])
                row[start[e] + 1] = n_directed + b
            else:
                scale = degrees[k] ** -0.5
                node[at] = k
                if from_i:
                    beta[at] = scale * delta_i
                    row[at] = a
                if from_j:
                    gamma[at] = scale * delta_j
                    row[at] = b
                if from_i and from_j:
                    row[at] = next_common_row
                    next_common_row += 1
                at += 1
            if from_i:
                a += 1
            if from_j:
                b += 1
    return node, row, alpha, beta, gamma


@numba.njit(cache=True)
def _put_endpoint(node, row, alpha, own, other, at, i, degree, delta, other_degree):
    """Z'_i = sqrt(d_i / d⁻_i) Z_i + d⁻_i^-1/2 (δ_i X_i − d_j^-1/2 X_j)."""
    rest = degree - 1.0
    node[at] = i
    alpha[at] = (degree / rest) ** 0.5
    own[at] = rest**-0.5 * delta
    other[at] = -(rest**-0.5) * other_degree**-0.5


def explicit_rows(graph: Graph, edge: Ints, nodes: Ints) -> Array:
    """The rows ``Z'_k`` of ``nodes`` after removing ``edge``, summed from the features themselves.

    Slower than the coefficients, but free of cancellation: a node left without any feature gets an exact zero.
    """
    i, j = int(edge[0]), int(edge[1])
    degrees = graph.degrees.copy()
    degrees[[i, j]] -= 1.0
    rows = sp.csr_array(graph.adjacency[nodes] + sp.eye_array(graph.n_nodes, format="csr")[nodes])
    owner = np.repeat(nodes, np.diff(rows.indptr))
    gone = ((owner == i) & (rows.indices == j)) | ((owner == j) & (rows.indices == i))
    rows.data = np.where(gone, 0.0, (degrees[owner] * degrees[rows.indices]) ** -0.5)
    product = rows @ graph.features
    return product.toarray() if sp.issparse(product) else np.asarray(product)
