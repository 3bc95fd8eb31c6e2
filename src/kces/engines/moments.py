"""Products of tall arrays in single precision, on all threads, whose rounding does not depend on their number."""

from __future__ import annotations

import numba
import numpy as np
import scipy.sparse as sp

from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.inner import sparse_rows
from kces.types import Singles

__all__ = ["second_moment", "sparse_product", "tall_product"]

_ROWS = 1_024
"""Taken together: their product stays in the cache."""


def second_moment(rows: Singles, weights: Singles | None = None) -> Singles:
    """``Σ_r w_r z_r z_rᵀ``, (F, F), for rows (N, F); without weights (N,) they are one.

    >>> second_moment(np.array([[1.0, 2.0], [0.0, 1.0]], dtype=np.float32)).tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """
    shares = np.zeros((GROUPS, rows.shape[1], rows.shape[1]), dtype=np.float32)

    def add(group: int) -> None:
        for start in range(group * _ROWS, len(rows), GROUPS * _ROWS):
            part = rows[start : start + _ROWS]
            weighted = part if weights is None else part * weights[start : start + _ROWS, None]
            shares[group] += weighted.T @ part

    in_groups(add)
    moment: Singles = shares.sum(axis=0)
    return moment


def tall_product(rows: Singles, matrix: Singles) -> Singles:
    """``rows @ matrix`` for many rows.

    >>> tall_product(np.ones((3, 2), dtype=np.float32), np.eye(2, dtype=np.float32)).shape
    (3, 2)
    """
    product = np.empty((len(rows), matrix.shape[1]), dtype=np.float32)

    def fill(group: int) -> None:
        for start in range(group * _ROWS, len(rows), GROUPS * _ROWS):
            np.matmul(rows[start : start + _ROWS], matrix, out=product[start : start + _ROWS])

    in_groups(fill)
    return product


def sparse_product(rows: sp.csr_array, matrix: Singles) -> Singles:
    """``rows @ matrix`` for many sparse rows.

    >>> sparse_product(sp.csr_array(np.eye(2)), np.full((2, 3), 2.0, dtype=np.float32)).tolist()
    [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    """
    product = np.zeros((rows.shape[0], matrix.shape[1]), dtype=np.float32)
    _add_rows(sparse_rows(rows), matrix, product)
    return product


@numba.njit(parallel=True, cache=True)
def _add_rows(rows, matrix, product):
    for k in numba.prange(len(product)):
        for p in range(rows.indptr[k], rows.indptr[k + 1]):
            weight, other = np.float32(rows.data[p]), matrix[rows.indices[p]]
            for f in range(len(other)):
                product[k, f] += weight * other[f]
