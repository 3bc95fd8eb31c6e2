"""Products of tall arrays in single precision, on all threads, whose rounding does not depend on their number."""

from __future__ import annotations

import numpy as np

from kces.engines.in_groups import GROUPS, in_groups
from kces.types import Singles

__all__ = ["second_moment", "tall_product"]

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
