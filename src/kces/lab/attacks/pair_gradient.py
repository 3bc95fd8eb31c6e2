"""From the gradient of a loss in the propagation matrix to the gradient in every node pair.

A model that propagates a few times has a gradient of low rank in ``T``: ``H = L Rᵀ`` with N x k factors.
With ``T_ij = A_ij / sqrt(d_i d_j)``, the gradient in the undirected pair (i, j) is
``(H_ij + H_ji) / sqrt(d_i d_j) + r_i + r_j``, again a product of two thin matrices, so any part of the
N x N array can be had without the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.lab.attacks.surrogate import FloatArray

__all__ = ["PairGradient", "degree_terms"]


def degree_terms(weighted_row_sums: FloatArray, degrees: FloatArray) -> FloatArray:
    """``r_i``, how the loss changes through ``d_i``, from ``Σ_k (H_ik + H_ki) T_ik``."""
    return -weighted_row_sums / (2 * degrees)


class PairGradient:
    """The gradient in all node pairs, held as two thin factors.

    Parameters
    ----------
    left, right : ``(N, k)`` factors of the gradient in ``step``.
    step : the propagation matrix at which the gradient was taken.
    degrees : (weighted) degrees with the self-loop.
    """

    def __init__(self, left: FloatArray, right: FloatArray, step: sp.csr_array, degrees: FloatArray) -> None:
        sums = (left * (step @ right)).sum(axis=1) + (right * (step @ left)).sum(axis=1)
        through_degrees = degree_terms(sums, degrees)[:, None]
        ones = np.ones_like(through_degrees)
        scale = (1 / np.sqrt(degrees))[:, None]
        left, right = left * scale, right * scale
        dtype = left.dtype
        self._left = np.ascontiguousarray(np.hstack([left, right, through_degrees, ones]), dtype=dtype)
        self._right = np.ascontiguousarray(np.hstack([right, left, ones, through_degrees]), dtype=dtype)

    def blocks(self, rows_per_block: int) -> Iterator[tuple[int, FloatArray]]:
        """``(start, block)``: the rows from ``start`` on, of the columns from ``start`` on."""
        for start in range(0, len(self._left), rows_per_block):
            yield start, self._left[start : start + rows_per_block] @ self._right[start:].T

    def at(self, pairs: npt.NDArray[np.int64]) -> FloatArray:
        """The gradient in the given pairs only."""
        return _row_products(self._left, self._right, pairs)


@numba.njit(cache=True)
def _row_products(left: FloatArray, right: FloatArray, pairs: npt.NDArray[np.int64]) -> FloatArray:
    products = np.empty(len(pairs), dtype=left.dtype)
    for position in range(len(pairs)):
        i, j = pairs[position]
        total = left.dtype.type(0)
        for column in range(left.shape[1]):
            total += left[i, column] * right[j, column]
        products[position] = total
    return products
