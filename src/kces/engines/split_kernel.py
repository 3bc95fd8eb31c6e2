"""A kernel close to the true one, in O(N (F² + block)) time a product: smooth terms for all pairs, the rest in blocks.

``k(c) = c/4 + c²/2π + c⁴/12π + …``. The first two terms couple all nodes and follow from moments of the features:
``Σ_r v_r c_kr = z_k · Σ_r v_r z_r`` and ``Σ_r v_r c_kr² = z_kᵀ (Σ_r v_r z_r z_rᵀ) z_k``. The rest, at most 0.09, is
taken through the centers of some hundred blocks of similar nodes (``far_features.py``), and within larger blocks in
full. Each part is positive semidefinite, so the sum is.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from kces.engines.far_features import LINEAR, QUADRATIC, far_features
from kces.engines.fast_kernel import NEAR, kernel_value, near_cosine, single_kernel_value
from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.moments import second_moment
from kces.engines.similarity_blocks import similarity_blocks
from kces.types import Array, Ints, Singles

__all__ = ["SplitKernel", "block_size"]

_BLOCK = 2_048
_REST_BYTES = 2**30
_ROWS = 4_096
_SCALE = np.float32(32767.0 / 0.0920)
"""Stored values per unit of the rest, which is at most (π/2 − 1) / 2π."""


def block_size(n_nodes: int) -> int:
    """Nodes in a block: 2,048, or fewer so that the rest takes a gigabyte at most.

    >>> block_size(100_000), block_size(2_000_000)
    (2048, 268)
    """
    return max(32, min(_BLOCK, _REST_BYTES // (2 * max(n_nodes, 1))))


class SplitKernel:
    """``H̃ @ v`` for unit rows (N, F).

    >>> rows = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    >>> (SplitKernel(rows) @ np.eye(2)).round(3).tolist()  # one block: the true kernel
    [[0.5, 0.211], [0.211, 0.5]]
    """

    def __init__(self, unit: Singles, seed: int = 0, block: int | None = None) -> None:
        self._unit = unit
        self._far = far_features(unit, seed)
        blocks = similarity_blocks(unit, block or block_size(len(unit)), seed)
        sizes = np.array([len(nodes) for nodes in blocks])
        self._order = np.concatenate(blocks)
        self._ends = np.concatenate([[0], np.cumsum(sizes)])
        self._starts = np.concatenate([[0], np.cumsum(sizes**2)])
        self._cells = np.empty(int(self._starts[-1]), dtype=np.int16)

        def fill(group: int) -> None:
            for number in range(group, len(blocks), GROUPS):
                rows, far, size = unit[blocks[number]], self._far[blocks[number]], sizes[number]
                cells = self._cells[self._starts[number] : self._starts[number + 1]].reshape(size, size)
                _store_rest(rows @ rows.T, far @ far.T, rows, cells)

        in_groups(fill)

    def __matmul__(self, vectors: Array) -> Array:
        products = []
        for column in vectors.T:
            single = np.ascontiguousarray(column, dtype=np.float32)
            product = self._smooth_terms(single)
            product[self._order] += _within_blocks(self._cells, self._starts, self._ends, single[self._order])
            products.append(product)
        return np.stack(products, axis=1)

    def _smooth_terms(self, vector: Singles) -> Array:
        unit, far = self._unit, self._far
        moment, mean, far_mean = second_moment(unit, vector), unit.T @ vector, far.T @ vector
        product = np.empty(len(unit))

        def read(group: int) -> None:
            for start in range(group * _ROWS, len(unit), GROUPS * _ROWS):
                rows = unit[start : start + _ROWS]
                squares = np.einsum("nf,nf->n", rows @ moment, rows)
                terms = LINEAR * (rows @ mean) + QUADRATIC * squares
                product[start : start + _ROWS] = terms + far[start : start + _ROWS] @ far_mean

        in_groups(read)
        return product


@numba.njit(nogil=True, fastmath=True, cache=True)
def _store_rest(cosines: Singles, far: Singles, rows: Singles, cells: npt.NDArray[np.int16]) -> None:
    """What the smooth terms leave of the kernel, rounded; near 1 by way of the difference of the two unit vectors."""
    for p in range(len(cells)):
        for q in range(len(cells)):
            c = cosines[p, q]
            k = single_kernel_value(c)
            if k > NEAR:
                k = np.float32(kernel_value(near_cosine(rows[p], rows[q])))
            cells[p, q] = np.int16(np.rint((k - LINEAR * c - QUADRATIC * c * c - far[p, q]) * _SCALE))


@numba.njit(parallel=True, fastmath=True, cache=True)
def _within_blocks(cells: npt.NDArray[np.int16], starts: Ints, ends: Ints, vector: Singles) -> Array:
    product = np.empty(len(vector))
    for block in numba.prange(len(ends) - 1):
        first, size = ends[block], ends[block + 1] - ends[block]
        for p in range(size):
            row = cells[starts[block] + p * size : starts[block] + (p + 1) * size]
            total = np.float32(0.0)
            for q in range(size):
                total += np.float32(row[q]) * vector[first + q]
            product[first + p] = total / _SCALE
    return product
