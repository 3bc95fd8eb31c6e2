"""Inner products between rows of features, dense or sparse."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.types import Array, Features, Ints, is_sparse

__all__ = ["SparseRows", "all_pairs", "gathered_dots", "row_by_row", "sparse_rows"]


class SparseRows(NamedTuple):
    """Rows in CSR form, as compiled loops read them: ``indptr`` (rows + 1,), ``indices`` and ``data`` (entries,)."""

    indptr: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    data: Array


def sparse_rows(matrix: sp.csr_array) -> SparseRows:
    """The parts of a matrix."""
    return SparseRows(matrix.indptr, matrix.indices, matrix.data)


_SPARSE = 0.1
"""Share of entries below which skipping the zeros beats running over all of them in order."""


def all_pairs(A: Features, B: Features) -> Array:
    """``A Bᵀ`` as a dense array.

    >>> all_pairs(np.eye(2), np.ones((1, 2))).tolist()
    [[1.0], [1.0]]
    """
    if is_sparse(A) and is_sparse(B) and B.nnz < _SPARSE * B.shape[0] * B.shape[1]:
        product = np.zeros((A.shape[0], B.shape[0]))  # by numpy, which asks for large pages of memory
        _sparse_pairs(sparse_rows(A), sparse_rows(sp.csr_array(B.T)), product)
        return product
    right = np.ascontiguousarray(B.toarray().T) if is_sparse(B) else B.T
    return np.ascontiguousarray(A @ right)


@numba.njit(parallel=True, cache=True)
def _sparse_pairs(A, columns, product):
    """Row by row into a dense array: scipy's product of two sparse matrices would store an index beside each entry."""
    for k in numba.prange(len(product)):
        row = product[k]
        for p in range(A.indptr[k], A.indptr[k + 1]):
            value = A.data[p]
            for q in range(columns.indptr[A.indices[p]], columns.indptr[A.indices[p] + 1]):
                row[columns.indices[q]] += value * columns.data[q]


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
        dots: Array = _sparse_dots(sparse_rows(A), left, sparse_rows(B), right, A.shape[1])
        return dots
    starts = range(0, len(left), size)
    parts = [row_by_row(A[left[at : at + size]], B[right[at : at + size]]) for at in starts]
    return np.concatenate(parts) if parts else np.empty(0)


@numba.njit(cache=True)
def _sparse_dots(A, left, B, right, width):
    """The row of B is spread out, and again only when another one comes: pairs are mostly in the order of ``right``."""
    dots, spread, of = np.zeros(len(left)), np.zeros(width), -1
    for t in range(len(left)):
        if right[t] != of:
            spread[:] = 0.0
            of = right[t]
            for q in range(B.indptr[of], B.indptr[of + 1]):
                spread[B.indices[q]] += B.data[q]
        for p in range(A.indptr[left[t]], A.indptr[left[t] + 1]):
            dots[t] += A.data[p] * spread[A.indices[p]]
    return dots
