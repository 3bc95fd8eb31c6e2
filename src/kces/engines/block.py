"""An edge's block: the nodes around it, and their kernel before and after the edge is removed (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.fast_kernel import NEAR_COSINE, kernel_curvature, kernel_slope, kernel_value, near_cosine
from kces.types import Array, Singles

__all__ = [
    "Products",
    "block_cosines",
    "collect_block",
    "factor_in_place",
    "find",
    "inner_products",
    "inverse_form",
    "kernel_matrix",
    "moved_lengths",
    "own_part",
    "second_order",
]


@numba.njit(cache=True, inline="always")
def find(indptr, indices, row, column):
    """CSR position of ``column`` in ``row``, or -1; indices are sorted."""
    low, high = indptr[row], indptr[row + 1] - 1
    while low <= high:
        middle = (low + high) // 2
        if indices[middle] == column:
            return middle
        if indices[middle] < column:
            low = middle + 1
        else:
            high = middle - 1
    return -1


class Products(NamedTuple):
    """Where inner products come from: ``Z Zᵀ`` and ``X Zᵀ`` where they were made for all pairs, else (those two empty)
    the rows themselves. In single precision, Z's at unit length, they are padded to whole vector registers."""

    ZZ: Array
    XZ: Array
    Z: Array
    X: Array
    unit_rows: Singles
    x_rows: Singles


@numba.njit(cache=True)
def collect_block(i, j, indptr, indices, degrees, list_start, list_position, cap, fill):
    """Nodes of the block with their coefficients (α, β, γ): endpoints, listed neighbours, then second hops."""
    limit = max(2 * cap + 2, fill)
    nodes = np.empty(limit, dtype=np.int64)
    alpha, beta, gamma = np.ones(limit), np.zeros(limit), np.zeros(limit)
    delta_i = (degrees[i] - 1.0) ** -0.5 - degrees[i] ** -0.5
    delta_j = (degrees[j] - 1.0) ** -0.5 - degrees[j] ** -0.5
    rest_i, rest_j = degrees[i] - 1.0, degrees[j] - 1.0
    nodes[0], nodes[1] = i, j
    alpha[0], beta[0], gamma[0] = (degrees[i] / rest_i) ** 0.5, delta_i * rest_i**-0.5, -((rest_i * degrees[j]) ** -0.5)
    alpha[1], gamma[1], beta[1] = (degrees[j] / rest_j) ** 0.5, delta_j * rest_j**-0.5, -((rest_j * degrees[i]) ** -0.5)
    size = 2
    for end in range(2):
        size = _take_neighbours(nodes[end], nodes, size, limit, indices, list_start, list_position)
    first = size
    for t in range(2, first):  # breadth first, until the block is full; most second neighbours do not move themselves
        size = _take_neighbours(nodes[t], nodes, size, fill, indices, list_start, list_position)
    for t in range(2, size):
        if find(indptr, indices, i, nodes[t]) >= 0:
            beta[t] = degrees[nodes[t]] ** -0.5 * delta_i
        if find(indptr, indices, j, nodes[t]) >= 0:
            gamma[t] = degrees[nodes[t]] ** -0.5 * delta_j
    return nodes[:size], alpha[:size], beta[:size], gamma[:size]


@numba.njit(cache=True)
def _take_neighbours(node, nodes, size, limit, indices, list_start, list_position):
    """Append the listed neighbours of ``node`` that are not in the block yet, while it has room."""
    for at in range(list_start[node], list_start[node + 1]):
        k = indices[list_position[at]]
        if size >= limit:
            break
        if not _contains(nodes, size, k):
            nodes[size] = k
            size += 1
    return size


@numba.njit(cache=True, inline="always")
def _contains(nodes, size, k):
    for t in range(size):
        if nodes[t] == k:
            return True
    return False


@numba.njit(cache=True, fastmath=True)
def factor_in_place(K):
    """Cholesky factor in the lower triangle; blocks are too small for LAPACK's call to pay inside a parallel loop."""
    for p in range(len(K)):
        for q in range(p + 1):
            total = K[p, q]
            for r in range(q):
                total -= K[p, r] * K[q, r]
            if p == q:
                K[p, p] = np.sqrt(max(total, 1e-12))
            else:
                K[p, q] = total / K[q, q]


@numba.njit(cache=True, fastmath=True)
def inverse_form(L, q):
    """``qᵀ (L Lᵀ)⁻¹ q``; overwrites q."""
    total = 0.0
    for p in range(len(L)):
        value = q[p]
        for r in range(p):
            value -= L[p, r] * q[r]
        q[p] = value / L[p, p]
        total += q[p] * q[p]
    return total


@numba.njit(cache=True, fastmath=True)
def inner_products(i, j, S, inverse_length, products):
    """``Z_k·Z_l``, ``X_i·Z_k`` and ``X_j·Z_k`` for the nodes k, l of a block."""
    size = len(S)
    inner, xz_i, xz_j = np.empty((size, size)), np.empty(size), np.empty(size)
    if len(products.ZZ):
        for p in range(size):
            xz_i[p], xz_j[p] = products.XZ[i, S[p]], products.XZ[j, S[p]]
            for q in range(size):
                inner[p, q] = products.ZZ[S[p], S[q]]
        return inner, xz_i, xz_j
    rows, length = products.unit_rows, np.zeros(size)
    for p in range(size):
        if inverse_length[S[p]] > 0:
            length[p] = 1.0 / inverse_length[S[p]]
    _single_cosines(S, rows, inner)
    for p in range(size):
        for q in range(p):
            c = inner[p, q] if inner[p, q] < NEAR_COSINE else near_cosine(rows[S[p]], rows[S[q]])
            inner[p, q] = inner[q, p] = c * length[p] * length[q]
        inner[p, p] = length[p] ** 2
    for p in range(2):  # in double precision: their cancellation tells whether an endpoint is left without features
        xz_i[p], xz_j[p] = _dot(products.X[i], products.Z[S[p]]), _dot(products.X[j], products.Z[S[p]])
    for p in range(2, size):
        xz_i[p] = _single_dot(products.x_rows[i], rows[S[p]]) * length[p]
        xz_j[p] = _single_dot(products.x_rows[j], rows[S[p]]) * length[p]
    return inner, xz_i, xz_j


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
def _single_cosines(S, rows, cosines):
    """Dot products of the rows S, below the diagonal, two rows by two: each number loaded serves two products."""
    size = len(S)
    for p in range(0, size, 2):
        p_next = min(p + 1, size - 1)  # the last row of an odd number is its own partner
        first, second = rows[S[p]], rows[S[p_next]]
        for q in range(0, p + 1, 2):
            q_next = min(q + 1, size - 1)
            third, fourth = rows[S[q]], rows[S[q_next]]
            t13 = t14 = t23 = t24 = np.float32(0.0)
            for f in range(rows.shape[1]):
                t13 += first[f] * third[f]
                t14 += first[f] * fourth[f]
                t23 += second[f] * third[f]
                t24 += second[f] * fourth[f]
            cosines[p, q], cosines[p, q_next], cosines[p_next, q], cosines[p_next, q_next] = t13, t14, t23, t24


@numba.njit(cache=True, fastmath=True)
def moved_lengths(i, j, S, alpha, beta, gamma, inverse_length, xz_i, xz_j, xx_self, xx_edge):
    """The inverse length of ``Z'_k`` for the nodes k of a block."""
    new_inverse = np.zeros(len(S))
    for t in range(len(S)):
        k = S[t]
        if beta[t] == 0.0 and gamma[t] == 0.0:
            new_inverse[t] = inverse_length[k]
            continue
        length = 1.0 / inverse_length[k] if inverse_length[k] > 0 else 0.0
        terms = (alpha[t] * length) ** 2 + beta[t] ** 2 * xx_self[i] + gamma[t] ** 2 * xx_self[j]
        squared = terms + 2 * alpha[t] * (beta[t] * xz_i[t] + gamma[t] * xz_j[t]) + 2 * beta[t] * gamma[t] * xx_edge
        if squared > 1e-12 * terms:  # below is rounding: the row has lost all its features
            new_inverse[t] = squared**-0.5
    return new_inverse


@numba.njit(cache=True, fastmath=True)
def block_cosines(i, j, S, alpha, beta, gamma, inverse_length, new_inverse, xz_i, xz_j, inner, xx_self, xx_edge):
    """Cosines of a block: before, with only the row moved, and with both rows moved."""
    size = len(S)
    before, row_moved, after = np.empty((size, size)), np.empty((size, size)), np.empty((size, size))
    for p in range(size):
        for q in range(p + 1):
            row_p = alpha[p] * inner[p, q] + beta[p] * xz_i[q] + gamma[p] * xz_j[q]
            row_q = alpha[q] * inner[p, q] + beta[q] * xz_i[p] + gamma[q] * xz_j[p]
            both = alpha[q] * row_p + alpha[p] * (beta[q] * xz_i[p] + gamma[q] * xz_j[p])
            both += beta[p] * beta[q] * xx_self[i] + gamma[p] * gamma[q] * xx_self[j]
            both += (beta[p] * gamma[q] + gamma[p] * beta[q]) * xx_edge
            before[p, q] = before[q, p] = inner[p, q] * inverse_length[S[p]] * inverse_length[S[q]]
            row_moved[p, q] = row_p * new_inverse[p] * inverse_length[S[q]]
            row_moved[q, p] = row_q * new_inverse[q] * inverse_length[S[p]]
            after[p, q] = after[q, p] = both * new_inverse[p] * new_inverse[q]
    return before, row_moved, after


@numba.njit(cache=True, fastmath=True)
def kernel_matrix(cosines, ridge, shared=0.0):
    """``k(c) − shared·c + λ I``."""
    K = np.empty_like(cosines)
    for p in range(len(K)):
        for q in range(len(K)):
            K[p, q] = kernel_value(cosines[p, q]) - shared * cosines[p, q]
        K[p, p] += ridge
    return K


@numba.njit(cache=True)
def own_part(t, before, moved, flat, step):
    """What the far field holds of the block's own nodes when row t moves, to both orders; the block is exact there."""
    for q in range(len(step)):
        change = moved[q] - before[q]
        curvature = 1.0 / np.pi if flat else kernel_curvature(before[q])
        step[q] = kernel_slope(before[q]) * change + 0.5 * curvature * change * change
    change = moved[t] - before[t]
    step[t] = 0.5 / np.pi * change * change if flat else 0.0  # a flat M counts the node itself


@numba.njit(cache=True)
def second_order(t, k, at_i, at_j, at_edge, column, curvature, u, v_i, v_j):
    """``δᵀ M_k δ / 2`` for ``δ = u Z_k + v_i X_i + v_j X_j``; t = 0 is the row of i itself, t = 1 that of j."""
    zz, zx, xx, edge_zx, edge_xx, edge_cross, _ = curvature
    total = u * u * zz[k, column] + 2.0 * v_i * v_j * edge_cross[at_edge, column]
    if t == 0:
        total += 2.0 * u * v_i * zx[k, column] + v_i * v_i * xx[k, column]
    elif at_i >= 0:
        total += 2.0 * u * v_i * edge_zx[at_i, column] + v_i * v_i * edge_xx[at_i, column]
    if t == 1:
        total += 2.0 * u * v_j * zx[k, column] + v_j * v_j * xx[k, column]
    elif at_j >= 0:
        total += 2.0 * u * v_j * edge_zx[at_j, column] + v_j * v_j * edge_xx[at_j, column]
    return total
