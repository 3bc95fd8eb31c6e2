"""The exact change of GKC of edges: changed rows of the kernel, and Woodbury's identity on them.

The formula is in the docstring of ``exact.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.fast_kernel import precise_kernel_value
from kces.engines.supports import Supports
from kces.types import Array, Ints, Singles

__all__ = [
    "Changed",
    "DistinctRows",
    "Solved",
    "Unchanged",
    "difference_rows",
    "score_groups",
    "solve_woodbury",
    "woodbury",
]


class Unchanged(NamedTuple):
    """What no edge removal changes.

    Attributes
    ----------
    ZZ, XZ, H : (N, N), ``Z Zᵀ``, ``X Zᵀ`` and the Gram matrix.
    whitener : (N, N), upper triangular ``L⁻ᵀ`` with ``L Lᵀ = H + λI``: ``P = (H + λI)⁻¹`` is its product with its
        transpose, so that ``x P yᵀ`` is the product of the *white* rows ``x L⁻ᵀ`` and ``y L⁻ᵀ``.
    single_whitener : the same in single precision; without a row where that is not used.
    xx : (N,), ``X_k·X_k``.
    a : (N, columns), ``P y``.
    inverse_length : (N,), ``1 / ‖Z_k‖``.
    """

    ZZ: Array
    XZ: Array
    H: Array
    whitener: Array
    single_whitener: Singles
    xx: Array
    a: Array
    inverse_length: Array


class Changed(NamedTuple):
    """The changed rows of E edges, L in all.

    Attributes
    ----------
    edges : (E, 2).
    xx : (E,), ``X_i·X_j``.
    supports : which rows, and their coefficients.
    inverse_length : (L,), ``1 / ‖Z'_k‖``.
    """

    edges: Ints
    xx: Array
    supports: Supports
    inverse_length: Array


class DistinctRows(NamedTuple):
    """Distinct changed rows of the kernel.

    Attributes
    ----------
    R : (rows, N), ``k(z'_k·z_r) − k(z_k·z_r)`` for every node r, as if r itself did not change.
    white : (rows, N), the same times the whitener, in the precision of that.
    Ra : (rows, columns), R a.
    number : (L,), which of these rows each changed row is.
    """

    R: Array
    white: Array | Singles
    Ra: Array
    number: Ints


class _Sought(NamedTuple):
    """Rows to make: whose they are (R,), for which edges (R, 2), with α, β, γ and the inverse length (R, 4)."""

    nodes: Ints
    edges: Ints
    coefficients: Array


def difference_rows(kernel: Unchanged, changed: Changed, which: Ints, edges: Ints) -> Array:
    """``k(z'_k·z_r) − k(z_k·z_r)`` for the changed rows ``which`` (R,), of ``edges`` (R, 2), and every node r; (R, N).

    As if r itself did not change.
    """
    supports = changed.supports
    columns = (supports.alpha, supports.beta, supports.gamma, changed.inverse_length)
    rows = _Sought(supports.node[which], edges, np.stack([column[which] for column in columns], axis=1))
    R = np.empty((len(which), len(kernel.H)))  # by numpy, which asks for large pages of memory
    _difference_rows(kernel, rows, R)
    return R


@numba.njit(parallel=True, cache=True, error_model="numpy")
def _difference_rows(kernel, rows, R):
    for t in numba.prange(len(rows.nodes)):
        k, i, j = rows.nodes[t], rows.edges[t, 0], rows.edges[t, 1]
        alpha, beta, gamma, inverse = rows.coefficients[t]
        for r in range(len(kernel.H)):
            c = alpha * kernel.ZZ[k, r] + beta * kernel.XZ[i, r] + gamma * kernel.XZ[j, r]
            R[t, r] = precise_kernel_value(c * inverse * kernel.inverse_length[r]) - kernel.H[k, r]


class _Edges(NamedTuple):
    """The fields of :class:`Changed` and of its supports that compiled loops read."""

    ends: Ints
    xx: Array
    start: Ints
    node: Ints
    coefficients: Array


class Solved(NamedTuple):
    """What is known of e edges when their systems ``M x = u`` are solved, with ``x = [p ; q]``.

    Attributes
    ----------
    scores : (e,), ``uᵀ x``.
    moved : (e, N), ``v = E_Sᵀ p + Bᵀ q``, where asked for: ``xᵀ M x = v P vᵀ + 2 pᵀ q``; else without a row.
    crossed : (e,), ``2 pᵀ q``, of the same edges.
    """

    scores: Array
    moved: Array
    crossed: Array


def score_groups(
    kernel: Unchanged, changed: Changed, rows: DistinctRows, edges: Ints, ends: Ints, *, with_moved: bool = False
) -> Solved:
    """Solve the systems of ``edges`` (e,), in groups that end at ``ends``: those of a group have most of their rows in
    common, whose products are made once. ``with_moved`` is for one column of codes."""
    supports = changed.supports
    columns = (supports.alpha, supports.beta, supports.gamma, changed.inverse_length)
    read = _Edges(changed.edges, changed.xx, supports.start, supports.node, np.stack(columns, axis=1))
    moved = np.zeros((len(edges) * with_moved, len(kernel.H)))
    scores, crossed = _score_groups(kernel, read, rows, edges, ends, moved)
    return Solved(scores, moved, crossed)


@numba.njit(parallel=True, cache=True)
def _score_groups(kernel, changed, rows, edges, ends, moved):
    scores, crossed = np.empty(len(edges)), np.empty(len(edges))
    for group in numba.prange(len(ends)):
        first = ends[group - 1] if group > 0 else 0
        members = edges[first : ends[group]]
        places, white = _white_rows(kernel, changed, rows, members)
        products = np.dot(white, white.T)
        at = 0
        for t in range(len(members)):
            begin, end = changed.start[members[t]], changed.start[members[t] + 1]
            size = 2 * (end - begin)
            own, number = changed.node[begin:end], rows.number[begin:end]
            D = _cross_difference(kernel, changed, members[t], rows.R, number)
            M = products[places[at : at + size]][:, places[at : at + size]].astype(np.float64)
            u, x = solve_woodbury(M, D, kernel.a[own], rows.Ra[number])
            scores[first + t] = _sum_of_products(u, x)
            if len(moved):
                crossed[first + t] = _move(x[:, 0], D, own, number, rows.R, moved[first + t])
            at += size
    return scores, crossed


@numba.njit(cache=True)
def _sum_of_products(u, x):
    """A function of its own: numba would turn the sum into a parallel loop within the one of the groups."""
    return np.sum(u * x)


@numba.njit(cache=True)
def _move(x, D, own, number, R, v):
    """``E_Sᵀ p + Bᵀ q`` into v, and ``2 pᵀ q``."""
    size = len(own)
    crossed = 0.0
    for k in range(size):
        p, q = x[k], x[size + k]
        crossed += 2.0 * p * q
        row = R[number[k]]
        for r in range(len(v)):
            v[r] += q * row[r]
        v[own[k]] += p
        for m in range(size):
            v[own[m]] += q * D[k, m]
    return crossed


@numba.njit(cache=True)
def _white_rows(kernel, changed, rows, members):
    """The white rows of all nodes and changed rows of a group, each once, and where those of each edge stand."""
    n = len(kernel.H)
    single = len(kernel.single_whitener) > 0
    seen_node, seen_row = np.full(n, -1), np.full(len(rows.R), -1)
    total = 0
    for e in members:
        total += 2 * (changed.start[e + 1] - changed.start[e])
    places, source = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    at, count = 0, 0
    for e in members:
        for position in range(changed.start[e], changed.start[e + 1]):
            node = changed.node[position]
            if seen_node[node] < 0:
                seen_node[node], source[count] = count, node
                count += 1
            places[at] = seen_node[node]
            at += 1
        for position in range(changed.start[e], changed.start[e + 1]):
            row = rows.number[position]
            if seen_row[row] < 0:
                seen_row[row], source[count] = count, n + row
                count += 1
            places[at] = seen_row[row]
            at += 1
    white = np.empty((count, n), dtype=rows.white.dtype)
    for t in range(count):
        if source[t] >= n:
            white[t] = rows.white[source[t] - n]
        elif single:
            white[t] = kernel.single_whitener[source[t]]
        else:
            white[t] = kernel.whitener[source[t]]
    return places, white


@numba.njit(cache=True, error_model="numpy")
def _cross_difference(kernel, changed, e, R, number):
    """D: R holds the columns of the edge's own nodes as if only the row had changed; D puts half of the true difference
    ``k(z'_k·z'_l) − k(z_k·z_l)`` there. (|S|, |S|)."""
    begin, end = changed.start[e], changed.start[e + 1]
    i, j, xx_ij = changed.ends[e, 0], changed.ends[e, 1], changed.xx[e]
    D = np.empty((end - begin, end - begin))
    half_i, half_j = np.empty(end - begin), np.empty(end - begin)
    for p in range(end - begin):
        alpha, beta, gamma, _ = changed.coefficients[begin + p]
        k = changed.node[begin + p]
        half_i[p] = alpha * kernel.XZ[i, k] + 0.5 * (beta * kernel.xx[i] + gamma * xx_ij)
        half_j[p] = alpha * kernel.XZ[j, k] + 0.5 * (beta * xx_ij + gamma * kernel.xx[j])
    for p in range(end - begin):
        alpha_p, beta_p, gamma_p, inverse_p = changed.coefficients[begin + p]
        k = changed.node[begin + p]
        for q in range(p + 1):
            # Z'_k·Z'_l = α_k α_l Z_k·Z_l + α_k p_l·Z_k + α_l p_k·Z_l + p_k·p_l, with p = β X_i + γ X_j.
            alpha_q, beta_q, gamma_q, inverse_q = changed.coefficients[begin + q]
            m = changed.node[begin + q]
            inner = alpha_p * alpha_q * kernel.ZZ[k, m] + half_i[p] * beta_q + half_j[p] * gamma_q
            inner += half_i[q] * beta_p + half_j[q] * gamma_p
            half = 0.5 * (precise_kernel_value(inner * inverse_p * inverse_q) - kernel.H[k, m])
            D[p, q] = half - R[number[p], m]
            D[q, p] = half - R[number[q], k]
    return D


def woodbury(products: Array, D: Array, a: Array, Ra: Array) -> float:
    """``uᵀ M⁻¹ u``, summed over the code columns, for an edge with s changed rows; see :func:`solve_woodbury`."""
    u, x = solve_woodbury(products, D, a, Ra)
    return float(np.sum(u * x))


@numba.njit(cache=True)
def solve_woodbury(products, D, a, Ra):
    """u and ``M⁻¹ u``, (2s, columns) each, for an edge with s changed rows.

    ``products`` (2s, 2s) are those of the white rows of its nodes and of its changed rows, ``D`` (s, s) what these lack
    in the columns of the nodes, ``a`` and ``Ra`` (s, columns) belong to the nodes and to the rows.
    """
    size = len(D)
    P, W = products[:size, :size].copy(), products[size:, :size].copy()
    DP, DW = np.dot(D, P), np.dot(D, np.ascontiguousarray(W.T))
    DPD = np.dot(DP, np.ascontiguousarray(D.T))
    M = np.empty((2 * size, 2 * size))
    for p in range(size):
        for q in range(size):
            M[p, q] = P[p, q]
            M[size + p, q] = M[q, size + p] = W[p, q] + DP[p, q]
            M[size + p, size + q] = products[size + p, size + q] + DW[p, q] + DW[q, p] + DPD[p, q]
        M[p, size + p] += 1.0
        M[size + p, p] += 1.0
    u = np.concatenate((a, Ra + np.dot(D, a)))
    return u, np.linalg.solve(M, u)
