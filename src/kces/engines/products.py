"""Where the inner products of an edge's block come from."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.dense import dense, padded
from kces.engines.fast_kernel import NEAR_COSINE, near_cosine
from kces.engines.inner import gathered_dots, row_by_row
from kces.engines.problem import Problem
from kces.types import Array, Ints, Singles

__all__ = ["Edges", "Inner", "Products", "edges_of", "inner_products", "products_of"]

_EMPTY = np.zeros((0, 0))


class Edges(NamedTuple):
    """Edges to score.

    Attributes
    ----------
    ends : (E, 2), the nodes i < j.
    xx : (E,), ``X_i·X_j``.
    """

    ends: Ints
    xx: Array

    def part(self, start: int, stop: int) -> Edges:
        """The edges from ``start`` up to ``stop``."""
        return Edges(self.ends[start:stop], self.xx[start:stop])


class Products(NamedTuple):
    """``Z Zᵀ`` and ``X Zᵀ`` where they were made for all pairs, else (those two empty) the rows themselves.

    Attributes
    ----------
    ZZ, XZ : (N, N), or empty.
    Z, X : (N, F), or empty.
    unit_rows, x_rows : Z at unit length and X, in single precision, padded to whole vector registers.
    xx : (N,), ``X_k·X_k``.
    inverse_length : (N,), ``1 / ‖Z_k‖``, or 0 for a row without features.
    """

    ZZ: Array
    XZ: Array
    Z: Array
    X: Array
    unit_rows: Singles
    x_rows: Singles
    xx: Array
    inverse_length: Array


class Inner(NamedTuple):
    """Inner products of a block of s nodes for the edge (i, j).

    Attributes
    ----------
    zz : (s, s), ``Z_k·Z_l``.
    xz_i, xz_j : (s,), ``X_i·Z_k`` and ``X_j·Z_k``.
    xx_i, xx_j, xx_ij : numbers, ``X_i·X_i``, ``X_j·X_j`` and ``X_i·X_j``.
    """

    zz: Array
    xz_i: Array
    xz_j: Array
    xx_i: float
    xx_j: float
    xx_ij: float


def edges_of(problem: Problem) -> Edges:
    """All edges of the graph."""
    ends, X = problem.graph.edges, problem.graph.features
    return Edges(ends, gathered_dots(X, ends[:, 0], X, ends[:, 1]))


def products_of(problem: Problem) -> Products:
    """Those of all pairs where the regime keeps them, else the rows for products on demand."""
    X = problem.graph.features
    of_nodes = (row_by_row(X, X), problem.inverse_lengths)
    if problem.regime.all_pairs:
        return Products(problem.ZZ, problem.XZ, _EMPTY, _EMPTY, padded(_EMPTY), padded(_EMPTY), *of_nodes)
    X = dense(X)
    return Products(_EMPTY, _EMPTY, dense(problem.Z), X, padded(problem.unit), padded(X), *of_nodes)


@numba.njit(cache=True, fastmath=True)
def inner_products(nodes, xx_ij, products):
    """Of a block whose first two nodes are i and j: an :class:`Inner`."""
    i, j, size = nodes[0], nodes[1], len(nodes)
    zz, xz_i, xz_j = np.empty((size, size)), np.empty(size), np.empty(size)
    if len(products.ZZ):
        for p in range(size):
            xz_i[p], xz_j[p] = products.XZ[i, nodes[p]], products.XZ[j, nodes[p]]
            for q in range(size):
                zz[p, q] = products.ZZ[nodes[p], nodes[q]]
    else:
        _fill_on_demand(nodes, products, zz, xz_i, xz_j)
    return Inner(zz, xz_i, xz_j, products.xx[i], products.xx[j], xx_ij)


@numba.njit(cache=True, fastmath=True)
def _fill_on_demand(nodes, products, zz, xz_i, xz_j):
    i, j, size = nodes[0], nodes[1], len(nodes)
    rows, length = products.unit_rows, np.zeros(size)
    for p in range(size):
        if products.inverse_length[nodes[p]] > 0:
            length[p] = 1.0 / products.inverse_length[nodes[p]]
    _single_cosines(nodes, rows, zz)
    for p in range(size):
        for q in range(p):
            c = zz[p, q] if zz[p, q] < NEAR_COSINE else near_cosine(rows[nodes[p]], rows[nodes[q]])
            zz[p, q] = zz[q, p] = c * length[p] * length[q]
        zz[p, p] = length[p] ** 2
    for p in range(2):  # in double precision: their cancellation tells whether an endpoint is left without features
        xz_i[p], xz_j[p] = _dot(products.X[i], products.Z[nodes[p]]), _dot(products.X[j], products.Z[nodes[p]])
    for p in range(2, size):
        xz_i[p] = _single_dot(products.x_rows[i], rows[nodes[p]]) * length[p]
        xz_j[p] = _single_dot(products.x_rows[j], rows[nodes[p]]) * length[p]


@numba.njit(cache=True, fastmath=True, inline="always")
def _dot(first, second):
    total = 0.0
    for f in range(len(first)):
        total += first[f] * second[f]
    return total


@numba.njit(cache=True, fastmath=True, inline="always")
def _single_dot(first, second):
    total = np.float32(0.0)
    for f in range(len(first)):
        total += first[f] * second[f]
    return total


@numba.njit(cache=True, fastmath=True)
def _single_cosines(nodes, rows, cosines):
    """Dot products of the nodes' rows, below the diagonal, two by two: each number loaded serves two products."""
    size = len(nodes)
    for p in range(0, size, 2):
        p_next = min(p + 1, size - 1)  # the last row of an odd number is its own partner
        first, second = rows[nodes[p]], rows[nodes[p_next]]
        for q in range(0, p + 1, 2):
            q_next = min(q + 1, size - 1)
            third, fourth = rows[nodes[q]], rows[nodes[q_next]]
            t13 = t14 = t23 = t24 = np.float32(0.0)
            for f in range(rows.shape[1]):
                t13 += first[f] * third[f]
                t14 += first[f] * fourth[f]
                t23 += second[f] * third[f]
                t24 += second[f] * fourth[f]
            cosines[p, q], cosines[p, q_next], cosines[p_next, q], cosines[p_next, q_next] = t13, t14, t23, t24
