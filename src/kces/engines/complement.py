"""The exact change of GKC of edges, from the Schur complement of the nodes whose rows change (compiled).

The formula is in the docstring of ``exact.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.changed_rows import Changed, Unchanged
from kces.engines.fast_kernel import precise_kernel_value
from kces.engines.white_rows import DistinctRows
from kces.types import Array, Ints

__all__ = ["Products", "Solved", "complement_change", "score_groups"]

_SPANS = 64
"""Most parts into which the groups of a block are cut: each has memory of its own."""


class Products(NamedTuple):
    """Of the white rows of an edge's s nodes and of its s changed rows, in double precision.

    Attributes
    ----------
    nodes : (s, s), P_SS.
    across : (s, s), ``W = R P_S``.
    rows : (s, s), ``R P Rᵀ``.
    """

    nodes: Array
    across: Array
    rows: Array


class Solved(NamedTuple):
    """What is known of e edges once the products of their white rows are; their changed rows are L in all.

    Attributes
    ----------
    scores : (e,), ``a_Sᵀ Σ a_S − rᵀ Σ'⁻¹ r``.
    start : (e + 1,), where the entries of each edge begin in the next two.
    at_nodes, at_rows : (L,), p and q, one edge behind the other; without an entry for more than one column of codes.
    bounded : (e,), ``2 (a_Sᵀ p + (R a)ᵀ q) − 2 pᵀ q + qᵀ T q``: with ``v P vᵀ`` taken off, the score.
    spread : (e,), ``Σ p_k² P_kk + q_k² (R P Rᵀ)_kk``: by how much the rounding of all products moves the score.
    """

    scores: Array
    start: Ints
    at_nodes: Array
    at_rows: Array
    bounded: Array
    spread: Array


def score_groups(kernel: Unchanged, changed: Changed, rows: DistinctRows, edges: Ints, ends: Ints) -> Solved:
    """Score ``edges`` (e,), in groups that end at ``ends``: those of a group have most of their rows in common, whose
    products are made once."""
    start = np.concatenate([[0], np.cumsum(changed.sizes(edges))])
    scores, at_nodes, at_rows, bounded, spread = _score_groups(kernel, changed, rows, edges, ends, start)
    return Solved(scores, start, at_nodes, at_rows, bounded, spread)


@numba.njit(parallel=True, cache=True)
def _score_groups(kernel, changed, rows, edges, ends, start):
    scores, bounded, spread = np.empty(len(edges)), np.zeros(len(edges)), np.zeros(len(edges))
    length = start[-1] if kernel.a.shape[1] == 1 else 0
    at_nodes, at_rows = np.empty(length), np.empty(length)
    spans = min(_SPANS, len(ends))
    for span in numba.prange(spans):
        seen = np.full(len(kernel.H), -1), np.full(len(rows.white), -1)
        for group in range(span, len(ends), spans):  # hubs of all degrees in each part
            first = ends[group - 1] if group > 0 else 0
            places, white = _white_rows(kernel, changed, rows, edges[first : ends[group]], seen)
            PP, RP, RR = np.dot(white[0], white[0].T), np.dot(white[1], white[0].T), np.dot(white[1], white[1].T)
            at = 0
            for t in range(first, ends[group]):
                begin, end = changed.start[edges[t]], changed.start[edges[t] + 1]
                node, row = places[0, at : at + end - begin], places[1, at : at + end - begin]
                products = Products(_taken(PP, node, node), _taken(RP, row, node), _taken(RR, row, row))
                T = _twice_changed(kernel, changed, edges[t])
                a, Ra = kernel.a[changed.node[begin:end]], rows.Ra[rows.number[begin:end]]
                scores[t], p, q = complement_change(products, T, a, Ra)
                if length > 0:
                    at_nodes[start[t] : start[t + 1]] = p[:, 0]
                    at_rows[start[t] : start[t + 1]] = q[:, 0]
                    bounded[t], spread[t] = _of_solution(products, T, a[:, 0], Ra[:, 0], p[:, 0], q[:, 0])
                at += end - begin
    return scores, at_nodes, at_rows, bounded, spread


@numba.njit(cache=True)
def _taken(products, rows, columns):
    taken = np.empty((len(rows), len(columns)))
    for p in range(len(rows)):
        for q in range(len(columns)):
            taken[p, q] = products[rows[p], columns[q]]
    return taken


@numba.njit(cache=True)
def _of_solution(products, T, a, Ra, p, q):
    """``2 (a_Sᵀ p + (R a)ᵀ q) − 2 pᵀ q + qᵀ T q``, and by how much the rounding of all products moves the score."""
    bounded, spread = 0.0, 0.0
    for k in range(len(p)):
        turned = 0.0
        for m in range(len(p)):
            turned += T[k, m] * q[m]
        bounded += 2.0 * (a[k] * p[k] + Ra[k] * q[k]) - q[k] * (2.0 * p[k] - turned)
        spread += p[k] * p[k] * products.nodes[k, k] + q[k] * q[k] * products.rows[k, k]
    return bounded, spread


@numba.njit(cache=True)
def _white_rows(kernel, changed, rows, members, seen):
    """The white rows of all nodes and of all changed rows of a group, each once, and where those of each edge stand.

    ``seen`` are two arrays of -1, and are so again afterwards.
    """
    total = 0
    for e in members:
        total += changed.start[e + 1] - changed.start[e]
    places, source, count = (
        np.empty((2, total), dtype=np.int64),
        np.empty((2, total), dtype=np.int64),
        np.zeros(2, np.int64),
    )
    at = 0
    for e in members:
        for position in range(changed.start[e], changed.start[e + 1]):
            for kind in range(2):
                one = changed.node[position] if kind == 0 else rows.number[position]
                seen_one = seen[0] if kind == 0 else seen[1]
                if seen_one[one] < 0:
                    seen_one[one], source[kind, count[kind]] = count[kind], one
                    count[kind] += 1
                places[kind, at] = seen_one[one]
            at += 1
    n = len(kernel.H)
    of_nodes, of_rows = np.empty((count[0], n), rows.white.dtype), np.empty((count[1], n), rows.white.dtype)
    for t in range(count[0]):
        seen[0][source[0, t]] = -1
        if len(kernel.single_whitener) > 0:
            of_nodes[t] = kernel.single_whitener[source[0, t]]
        else:
            of_nodes[t] = kernel.whitener[source[0, t]]
    for t in range(count[1]):
        seen[1][source[1, t]] = -1
        of_rows[t] = rows.white[source[1, t]]
    return places, (of_nodes, of_rows)


@numba.njit(cache=True, error_model="numpy")
def _twice_changed(kernel, changed, e):
    """T: ``k(z'_k·z'_l) − k(z'_k·z_l) − k(z_k·z'_l) + k(z_k·z_l)``, what is left of the change between two of the
    edge's own nodes when each row of R has had its own. (|S|, |S|), symmetric."""
    begin, end = changed.start[e], changed.start[e + 1]
    i, j, xx_ij = changed.edges[e, 0], changed.edges[e, 1], changed.xx[e]
    node = changed.node[begin:end]
    alpha, beta, gamma, inverse = changed.coefficients[begin:end].T.copy()
    xz_i, xz_j, inverse_length = kernel.XZ[i][node], kernel.XZ[j][node], kernel.inverse_length[node]
    half_i = alpha * xz_i + 0.5 * (beta * kernel.xx[i] + gamma * xx_ij)
    half_j = alpha * xz_j + 0.5 * (beta * xx_ij + gamma * kernel.xx[j])
    T = np.empty((end - begin, end - begin))
    for p in range(end - begin):
        row, zz, h = T[p], kernel.ZZ[node[p]], kernel.H[node[p]]
        for q in range(p + 1):  # a row for itself, so that the loop is vectorized
            # Z'_k·Z'_l = α_k α_l Z_k·Z_l + α_k p_l·Z_k + α_l p_k·Z_l + p_k·p_l, with p = β X_i + γ X_j.
            inner = alpha[p] * alpha[q] * zz[node[q]] + half_i[p] * beta[q] + half_j[p] * gamma[q]
            inner += half_i[q] * beta[p] + half_j[q] * gamma[p]
            to_q = alpha[p] * zz[node[q]] + beta[p] * xz_i[q] + gamma[p] * xz_j[q]
            to_p = alpha[q] * zz[node[q]] + beta[q] * xz_i[p] + gamma[q] * xz_j[p]
            both = precise_kernel_value(inner * inverse[p] * inverse[q]) + h[node[q]]
            one = precise_kernel_value(to_q * inverse[p] * inverse_length[q])
            other = precise_kernel_value(to_p * inverse[q] * inverse_length[p])
            row[q] = both - one - other
        for q in range(p):
            T[q, p] = row[q]
    return T


@numba.njit(cache=True)
def complement_change(products, T, a, Ra):
    """``a_Sᵀ Σ a_S − rᵀ Σ'⁻¹ r``, summed over the code columns, for an edge with s changed rows; and p and q.

    ``T`` is (s, s), ``a`` and ``Ra`` (s, columns) belong to the nodes and to the rows.
    """
    size = len(T)
    shifted = products.across.copy()  # I + W
    for k in range(size):
        shifted[k, k] += 1.0
    solved = np.linalg.solve(products.nodes, np.concatenate((shifted.T, a), axis=1))
    carried, at_nodes = solved[:, :size].copy(), solved[:, size:].copy()  # Σ (I + W)ᵀ and Σ a_S
    complement = np.dot(shifted, carried) - products.rows + T
    right = np.dot(shifted, at_nodes) - Ra
    q = np.linalg.solve(complement, right)
    return np.sum(a * at_nodes) - np.sum(right * q), at_nodes - np.dot(carried, q), q
