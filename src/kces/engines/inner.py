"""Inner products between rows of features, dense or sparse."""

from __future__ import annotations

import numba
import numpy as np
import scipy.sparse as sp

from kces.types import Array, Features, Ints, is_sparse

__all__ = ["all_pairs", "gathered_dots", "row_by_row"]


_SPARSE = 0.1
"""Share of entries below which skipping the zeros beats running over all of them in order."""


def all_pairs(A: Features, B: Features) -> Array:
    """``A Bᵀ`` as a dense array.

    >>> all_pairs(np.eye(2), np.ones((1, 2))).tolist()
    [[1.0], [1.0]]
    """
    if is_sparse(A) and is_sparse(B) and B.nnz < _SPARSE * B.shape[0] * B.shape[1]:
        columns = sp.csr_array(B.T)
        return _sparse_pairs(A.indptr, A.indices, A.data, columns.indptr, columns.indices, columns.data, B.shape[0])
    right = np.ascontiguousarray(B.toarray().T) if is_sparse(B) else B.T
    return np.ascontiguousarray(A @ right)


@numba.njit(parallel=True, cache=True)
def _sparse_pairs(
    a_indptr: Ints, a_indices: Ints, a_data: Array, b_indptr: Ints, b_indices: Ints, b_data: Array, width: int
) -> Array:
    """Row by row into a dense array: scipy's product of two sparse matrices would store an index beside each entry."""
    product = np.zeros((len(a_indptr) - 1, width))
    for k in numba.prange(len(product)):
        row = product[k]
        for p in range(a_indptr[k], a_indptr[k + 1]):
            value = a_data[p]
            for q in range(b_indptr[a_indices[p]], b_indptr[a_indices[p] + 1]):
                row[b_indices[q]] += value * b_data[q]
    return product


def row_by_row(A: Features, B: Features) -> Array:
    """``A_k · B_k`` for every row k.

    >>> row_by_row(np.eye(2), np.full((2, 2), 3.0)).tolist()
    [3.0, 3.0]
    """
    product = A.multiply(B) if is_sparse(A) else A * B
    return np.asarray(product.sum(axis=1)).ravel()


def gathered_dots(A: Features, left: Ints, B: Features, right: Ints, *, size: int = 100_000) -> Array:
    """``A[left] · B[right]`` row by row, so that the gathered rows never exist all at once.

    >>> gathered_dots(np.eye(2), np.array([0, 1]), np.ones((2, 2)), np.array([1, 1])).tolist()
    [1.0, 1.0]
    """
    if is_sparse(A) and is_sparse(B):
        return _sparse_dots(A.indptr, A.indices, A.data, left, B.indptr, B.indices, B.data, right, A.shape[1])
    starts = range(0, len(left), size)
    parts = [row_by_row(A[left[at : at + size]], B[right[at : at + size]]) for at in starts]
    return np.concatenate(parts) if parts else np.empty(0)


@numba.njit(cache=True)
def _sparse_dots(
    a_indptr: Ints, a_indices: Ints, a_data: Array, left: Ints,
    b_indptr: Ints, b_indices: Ints, b_data: Array, right: Ints, width: int,
) -> Array:  # fmt: skip
    """The row of B is spread out, and again only when another one comes: pairs are mostly in the order of ``right``."""
    dots, spread, of = np.zeros(len(left)), np.zeros(width), -1
    for t in range(len(left)):
        if right[t] != of:
            spread[:] = 0.0
            of = right[t]
            for q in range(b_indptr[of], b_indptr[of + 1]):
                spread[b_indices[q]] += b_data[q]
        for p in range(a_indptr[left[t]], a_indptr[left[t] + 1]):
            dots[t] += a_data[p] * spread[a_indices[p]]
    return dots
