"""Cholesky's factor of a large matrix and its inverse, in place, by blocks of rows.

LAPACK as OpenBLAS builds it ends the process with a segmentation fault from about 16,000 rows on two threads on: no
call here is larger than a block, and a matrix of one block is LAPACK's own work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy

from kces.types import Array

__all__ = ["factor_in_place", "invert_in_place", "transpose_in_place"]

_BLOCK = 4_096


def factor_in_place(matrix: Array, block: int = _BLOCK) -> Array:
    """Turn a symmetric matrix into L with ``L Lᵀ = matrix``: lower triangular, what stands above is not touched.

    Raises ``scipy.linalg.LinAlgError`` where the matrix is not positive definite.

    >>> np.tril(factor_in_place(np.array([[4.0, 2.0], [2.0, 2.0]]), block=1)).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    blocks = list(_blocks(len(matrix), block))
    for place, own in enumerate(blocks):
        if _in_lower_half(scipy.linalg.lapack.dpotrf, matrix[own, own]) != 0:
            raise scipy.linalg.LinAlgError("the matrix is not positive definite")
        below = slice(own.stop, None)
        if own.stop < len(matrix):
            factor = matrix[own, own]
            solved = scipy.linalg.solve_triangular(factor, matrix[below, own].T, lower=True, check_finite=False)
            matrix[below, own] = solved.T
        for other in blocks[place + 1 :]:
            matrix[other.start :, other] -= matrix[other.start :, own] @ matrix[other, own].T
    return matrix


def invert_in_place(factor: Array, block: int = _BLOCK) -> Array:
    """Turn the lower triangular factor into its inverse; what stands above the diagonal is not touched.

    Raises ``scipy.linalg.LinAlgError`` where a pivot is zero.

    >>> np.tril(invert_in_place(np.array([[2.0, 0.0], [1.0, 1.0]]), block=1)).tolist()
    [[0.5, 0.0], [-0.5, 1.0]]
    """
    blocks = list(_blocks(len(factor), block))
    for place, own in enumerate(blocks):
        info = _in_lower_half(scipy.linalg.lapack.dtrtri, factor[own, own])
        if info != 0:
            raise scipy.linalg.LinAlgError(f"pivot {own.start + info - 1} of the factor is zero")
        for other in blocks[:place]:
            # The row block of the inverse: −(own inverse) · factor · (the inverse above it), which is lower triangular.
            between = slice(other.start, own.start)
            product = factor[own, between] @ np.tril(factor[between, other])
            factor[own, other] = -np.tril(factor[own, own]) @ product
    return factor


def transpose_in_place(lower: Array, block: int = _BLOCK) -> Array:
    """Turn a lower triangular matrix into its transpose, with zeros below; what stood above is not looked at.

    >>> transpose_in_place(np.array([[1.0, 9.0], [2.0, 3.0]]), block=1).tolist()
    [[1.0, 2.0], [0.0, 3.0]]
    """
    blocks = list(_blocks(len(lower), block))
    for place, own in enumerate(blocks):
        lower[own, own] = np.tril(lower[own, own]).T
        for other in blocks[:place]:
            lower[other, own] = lower[own, other].T
            lower[own, other] = 0.0
    return lower


def _blocks(size: int, block: int) -> Iterator[slice]:
    for start in range(0, size, block):
        yield slice(start, min(start + block, size))


def _in_lower_half(routine: Callable[..., tuple[Array, int]], square: Array) -> int:
    """Call LAPACK for the lower half of a square, and return what it says; it changes nothing above the diagonal.

    LAPACK counts columns first: to it the lower half is the upper half of the transpose, and an array of its own needs
    no copy.
    """
    found, info = routine(square.T, 0, 0, 1)  # upper half; neither cleaned nor with ones on the diagonal; in its place
    if not np.may_share_memory(found, square):
        below = np.tri(len(square), dtype=bool)
        square[below] = found.T[below]
    return info
