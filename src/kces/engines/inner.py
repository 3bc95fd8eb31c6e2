"""Inner products between rows of features, dense or sparse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.graph import Features

__all__ = ["all_pairs", "gathered_dots", "inverse_sqrt", "row_by_row"]

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def all_pairs(A: Features, B: Features) -> Array:
    """``A Bᵀ`` as a dense array.

    >>> all_pairs(np.eye(2), np.ones((1, 2))).tolist()
    [[1.0], [1.0]]
    """
    # Sparse times dense: sparse times sparse would store an index beside each entry of a full result.
    right = np.ascontiguousarray(B.toarray().T) if sp.issparse(B) else B.T
    return np.ascontiguousarray(A @ right)


def row_by_row(A: Features, B: Features) -> Array:
    """``A_k · B_k`` for every row k.

    >>> row_by_row(np.eye(2), np.full((2, 2), 3.0)).tolist()
    [3.0, 3.0]
    """
    product = A.multiply(B) if sp.issparse(A) else A * B
    return np.asarray(product.sum(axis=1)).ravel()


def gathered_dots(A: Features, left: Ints, B: Features, right: Ints, *, size: int = 100_000) -> Array:
    """``A[left] · B[right]`` row by row, in chunks, so that the gathered rows never exist all at once.

    >>> gathered_dots(np.eye(2), np.array([0, 1]), np.ones((2, 2)), np.array([1, 1])).tolist()
    [1.0, 1.0]
    """
    starts = range(0, len(left), size)
    parts = [row_by_row(A[left[at : at + size]], B[right[at : at + size]]) for at in starts]
    return np.concatenate(parts) if parts else np.empty(0)


def inverse_sqrt(squared: Array) -> Array:
    """``1 / sqrt(x)``, and 0 where x is not positive: a row that has lost its features.

    >>> inverse_sqrt(np.array([4.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(1.0, np.sqrt(np.maximum(squared, 0.0)), out=np.zeros_like(squared), where=squared > 0)
