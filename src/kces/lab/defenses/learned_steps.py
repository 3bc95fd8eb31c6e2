"""Passes over Pro-GNN's dense matrix S in compiled loops.

On a large graph S and its companions are read from memory, and that is what a step costs: each pass here does all it
can with an entry while it is at hand. Rows are handled in a fixed number of shares whose sums are added in order, so
that results do not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

__all__ = ["Descent", "descend", "sums_and_distance", "weighted_sums"]

Matrix = npt.NDArray[np.float32]

_SHARES = 32
"""Of the rows: more than any machine of ours has cores, few enough that a row of sums for each costs nothing."""
_TILE = 512
"""Columns that are worked on at a time, so that the factors of the gradient stay in the cache."""


class Descent(NamedTuple):
    """What a gradient step on S needs beside the matrices.

    Attributes
    ----------
    left, right : (N, rank) and (rank, N), rank a multiple of four; their product is a part of the gradient.
    root : (N,), ``r``: the gradient of the smoothness is ``−smoothness · r_i k_ij r_j`` and a part of the product.
    pull : one over the distance of S to the given matrix.
    smoothness, momentum, rate : λ of the paper, share of the last step, length of the step.
    shrink : how much the L1 norm's proximal step takes off; below zero where it is taken elsewhere.
    """

    left: Matrix
    right: Matrix
    root: Matrix
    pull: float
    smoothness: float
    momentum: float
    rate: float
    shrink: float


def sums_and_distance(S: Matrix, given: Matrix) -> tuple[Matrix, Matrix, float]:
    """Sums of the rows and of the columns of S, (N,) each, and the squared Frobenius norm of ``S − given``.

    >>> S = np.array([[1.0, 2.0], [0.0, 4.0]], dtype=np.float32)
    >>> [np.asarray(found).tolist() for found in sums_and_distance(S, np.zeros_like(S))]
    [[3.0, 4.0], [1.0, 6.0], 21.0]
    """
    rows, columns, squares = _sums_and_distance(S, given)
    return rows, columns, float(squares)


@numba.njit(parallel=True, fastmath=True, cache=True)
def _sums_and_distance(S, given):  # type: ignore[no-untyped-def]
    n = len(S)
    rows = np.empty(n, dtype=np.float32)
    columns = np.zeros((_SHARES, n), dtype=np.float32)
    squares = np.zeros(_SHARES)
    for share in numba.prange(_SHARES):
        for i in range(share * n // _SHARES, (share + 1) * n // _SHARES):
            total, distance = np.float32(0.0), np.float32(0.0)
            for j in range(n):
                value = S[i, j]
                difference = value - given[i, j]
                total += value
                distance += difference * difference
                columns[share, j] += value
            rows[i] = total
            squares[share] += distance
    return rows, columns.sum(axis=0), squares.sum()


def weighted_sums(S: Matrix, similarity: Matrix, root: Matrix) -> Matrix:
    """``M r + Mᵀ r`` with ``M_ij = S_ij k_ij``; (N,).

    >>> S = np.array([[0.0, 1.0], [0.0, 0.0]], dtype=np.float32)
    >>> weighted_sums(S, np.full_like(S, 2.0), np.array([1.0, 3.0], dtype=np.float32)).tolist()
    [6.0, 2.0]
    """
    found: Matrix = _weighted_sums(S, similarity, root)
    return found


@numba.njit(parallel=True, fastmath=True, cache=True)
def _weighted_sums(S, similarity, root):  # type: ignore[no-untyped-def]
    n = len(S)
    along = np.empty(n, dtype=np.float32)
    across = np.zeros((_SHARES, n), dtype=np.float32)
    for share in numba.prange(_SHARES):
        for i in range(share * n // _SHARES, (share + 1) * n // _SHARES):
            total, own = np.float32(0.0), root[i]
            for j in range(n):
                value = S[i, j] * similarity[i, j]
                total += value * root[j]
                across[share, j] += value * own
            along[i] = total
    return along + across.sum(axis=0)


def descend(S: Matrix, momentum: Matrix, given: Matrix, similarity: Matrix | None, step: Descent) -> None:
    """One gradient step on S, in place, and the proximal step of the L1 norm with the projection on [0, 1].

    ``similarity`` holds the inner products k of the features, or is None where smoothness is left out.

    >>> S, zeros = np.full((1, 1), 0.5, dtype=np.float32), np.zeros((1, 1), dtype=np.float32)
    >>> thin = np.ones((1, 4), dtype=np.float32)
    >>> descend(S, zeros, np.zeros_like(S), None, Descent(thin, thin.T, thin[0, :1], 2.0, 0.0, 0.9, 0.02, 0.1))
    >>> round(float(S[0, 0]), 3), float(zeros[0, 0])
    (0.3, 5.0)
    """
    if similarity is None:
        similarity = S[:1]  # read, and weighed with nothing
        step = step._replace(smoothness=0.0)
    _descend(S, momentum, given, similarity, step)


@numba.njit(parallel=True, fastmath=True, cache=True)
def _descend(S, momentum, given, similarity, step):  # type: ignore[no-untyped-def]
    n = len(S)
    pull, share_kept, rate = np.float32(step.pull), np.float32(step.momentum), np.float32(step.rate)
    shrink = np.float32(step.shrink)
    for share in numba.prange(_SHARES):
        begin, end = share * n // _SHARES, (share + 1) * n // _SHARES
        gradient = np.empty(4 * _TILE, dtype=np.float32)
        for first in range(begin, end, 4):
            for start in range(0, n, _TILE):
                width = min(_TILE, n - start)
                _low_rank_tile(step.left, step.right, first, start, width, gradient)
                for i in range(first, min(first + 4, end)):
                    offset = (i - first) * _TILE
                    own = np.float32(step.smoothness) * step.root[i]
                    alike = similarity[i % len(similarity)]
                    for j in range(width):
                        at = start + j
                        value = S[i, at]
                        slope = gradient[offset + j] + pull * (value - given[i, at]) - own * step.root[at] * alike[at]
                        moved = share_kept * momentum[i, at] + slope
                        momentum[i, at] = moved
                        value -= rate * moved
                        if shrink >= 0.0:
                            value = min(max(value - shrink, np.float32(0.0)), np.float32(1.0))
                        S[i, at] = value


@numba.njit(fastmath=True, cache=True)
def _low_rank_tile(left, right, first, start, width, out):  # type: ignore[no-untyped-def]
    """``left[first : first + 4] @ right[:, start : start + width]`` into four stretches of ``out``.

    Four rows and four factors at a time: what is loaded serves four products, and the loop is vectorized. Rows beyond
    the last are the last again, and nobody reads them.
    """
    out[:] = 0.0
    last = len(left) - 1
    p, q, r, s = first, min(first + 1, last), min(first + 2, last), min(first + 3, last)
    for f in range(0, left.shape[1], 4):
        p0, p1, p2, p3 = left[p, f], left[p, f + 1], left[p, f + 2], left[p, f + 3]
        q0, q1, q2, q3 = left[q, f], left[q, f + 1], left[q, f + 2], left[q, f + 3]
        r0, r1, r2, r3 = left[r, f], left[r, f + 1], left[r, f + 2], left[r, f + 3]
        s0, s1, s2, s3 = left[s, f], left[s, f + 1], left[s, f + 2], left[s, f + 3]
        a, b, c, d = right[f, start:], right[f + 1, start:], right[f + 2, start:], right[f + 3, start:]
        for j in range(width):
            aj, bj, cj, dj = a[j], b[j], c[j], d[j]
            out[j] += p0 * aj + p1 * bj + p2 * cj + p3 * dj
            out[j + _TILE] += q0 * aj + q1 * bj + q2 * cj + q3 * dj
            out[j + 2 * _TILE] += r0 * aj + r1 * bj + r2 * cj + r3 * dj
            out[j + 3 * _TILE] += s0 * aj + s1 * bj + s2 * cj + s3 * dj
