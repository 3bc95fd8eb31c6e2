"""Inner products between rows of features, dense or sparse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.graph import Features

__all__ = ["all_pairs", "row_by_row"]

Array = npt.NDArray[np.float64]


def all_pairs(A: Features, B: Features) -> Array:
    """``A Bᵀ`` as a dense array.

    >>> all_pairs(np.eye(2), np.ones((1, 2))).tolist()
    [[1.0], [1.0]]
    """
    product = A @ B.T
    return product.toarray() if sp.issparse(product) else np.ascontiguousarray(product)


def row_by_row(A: Features, B: Features) -> Array:
    """``A_k · B_k`` for every row k.

    >>> row_by_row(np.eye(2), np.full((2, 2), 3.0)).tolist()
    [3.0, 3.0]
    """
    product = A.multiply(B) if sp.issparse(A) else A * B
    return np.asarray(product.sum(axis=1)).ravel()
