"""Rows of very many numbers in as few columns as there are rows, with the same inner products."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from kces.types import Features, is_sparse

__all__ = ["is_far_wider_than_high", "narrowed"]

_WIDE = 10_000
_TIMES_ITS_HEIGHT = 8


def is_far_wider_than_high(matrix: Features) -> bool:
    """Whether one rotation costs less than the passes over all columns that it saves; never for sparse rows.

    The rotation costs as much as inner products of all rows do: it has to save columns by a large factor.

    >>> [is_far_wider_than_high(np.zeros(shape)) for shape in ((3, 10_000), (3, 100), (2_000, 10_000))]
    [True, False, False]
    """
    n_rows, n_columns = matrix.shape
    return not is_sparse(matrix) and n_columns >= max(_WIDE, _TIMES_ITS_HEIGHT * n_rows)


def narrowed(matrix: Features) -> Features:
    """The matrix itself, or if it is far wider than high its rows turned into the space that they span.

    What depends on inner products of rows alone is the same for both, but for rounding.

    >>> wide = np.random.default_rng(0).normal(size=(3, 10_000))
    >>> narrowed(wide).shape, bool(np.allclose(narrowed(wide) @ narrowed(wide).T, wide @ wide.T))
    ((3, 3), True)
    """
    if not is_far_wider_than_high(matrix):
        return matrix
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        turned = np.asarray(np.linalg.qr(np.asarray(matrix).T, mode="r"))
    return np.ascontiguousarray(turned.T)
