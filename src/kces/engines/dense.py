"""Features as plain arrays, for compiled loops and BLAS."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kces.types import Features, Singles, is_sparse

__all__ = ["dense", "padded"]

_LANES = 32
"""Numbers that compiled loops take at a time; a multiple of it leaves no remainder."""


def dense(matrix: Features, dtype: type = np.float64) -> npt.NDArray:
    """As a C-ordered array.

    >>> dense(np.eye(2), np.float32).dtype
    dtype('float32')
    """
    return np.ascontiguousarray(matrix.astype(dtype).toarray() if is_sparse(matrix) else matrix, dtype=dtype)


def padded(matrix: Features) -> Singles:
    """In single precision, with zeros up to a multiple of 32 columns.

    >>> padded(np.eye(3)).shape
    (3, 32)
    """
    rows = np.zeros((matrix.shape[0], -(-matrix.shape[1] // _LANES) * _LANES), dtype=np.float32)
    rows[:, : matrix.shape[1]] = dense(matrix, np.float32)
    return rows
