"""A kernel close to the true one, in O(N (F² + block)) time a product: two terms for all pairs, the rest in blocks.

``k(c) = c/4 + c²/2π + c⁴/12π + …``. The first two terms couple all nodes and follow from moments of the features:
``Σ_r v_r c_kr = z_k · Σ_r v_r z_r`` and ``Σ_r v_r c_kr² = z_kᵀ (Σ_r v_r z_r z_rᵀ) z_k``. What is left, at most 0.09, is
felt between similar nodes only, and is kept within blocks of them. All terms of the expansion are positive, so what is
kept is positive definite.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from kces.engines.fast_kernel import NEAR, kernel_value, near_cosine, single_kernel_value
from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.moments import second_moment
from kces.types import Array, Features, Ints, Singles

__all__ = ["SplitKernel", "block_size", "similarity_blocks"]

_BLOCK = 1_024
_REST_BYTES = 2**30
_ROWS = 4_096
_SCALE = np.float32(32767.0 / 0.0910)
"""Stored values per unit of the rest, which is at most (π/2 − 1) / 2π."""
_LINEAR, _QUADRATIC = np.float32(0.25), np.float32(0.5 / np.pi)


def block_size(n_nodes: int) -> int:
    """Nodes in a block: 1,024, or fewer so that the rest takes a gigabyte at most.

    >>> block_size(100_000), block_size(2_000_000)
    (1024, 268)
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
        blocks = similarity_blocks(unit, block or block_size(len(unit)), seed)
        sizes = np.array([len(nodes) for nodes in blocks])
        self._order = np.concatenate(blocks)
        self._ends = np.concatenate([[0], np.cumsum(sizes)])
        self._starts = np.concatenate([[0], np.cumsum(sizes**2)])
        self._cells = np.empty(int(self._starts[-1]), dtype=np.int16)

        def fill(group: int) -> None:
            for number in range(group, len(blocks), GROUPS):
                rows, size = unit[blocks[number]], sizes[number]
                cells = self._cells[self._starts[number] : self._starts[number + 1]].reshape(size, size)
                _store_rest(rows @ rows.T, rows, cells)

        in_groups(fill)

    def __matmul__(self, vectors: Array) -> Array:
        products = []
        for column in vectors.T:
            single = np.ascontiguousarray(column, dtype=np.float32)
            product = self._two_terms(single)
            product[self._order] += _within_blocks(self._cells, self._starts, self._ends, single[self._order])
            products.append(product)
        return np.stack(products, axis=1)

    def _two_terms(self, vector: Singles) -> Array:
        unit = self._unit
        moment, mean = second_moment(unit, vector), unit.T @ vector
        product = np.empty(len(unit))

        def read(group: int) -> None:
            for start in range(group * _ROWS, len(unit), GROUPS * _ROWS):
                rows = unit[start : start + _ROWS]
                squares = np.einsum("nf,nf->n", rows @ moment, rows)
                product[start : start + _ROWS] = _LINEAR * (rows @ mean) + _QUADRATIC * squares

        in_groups(read)
        return product


def similarity_blocks(unit: Features, size: int, seed: int = 0) -> list[Ints]:
    """Split the nodes into blocks of at most ``size`` by halving along the direction of largest spread.

    Nodes that the kernel couples strongly have similar aggregated features; the graph is already in these.
    """
    generator = np.random.default_rng(seed)
    pending, blocks = [np.arange(unit.shape[0])], []
    while pending:
        nodes = pending.pop()
        if len(nodes) <= size:
            blocks.append(np.sort(nodes))
            continue
        rows = unit[nodes]
        direction = np.asarray(generator.standard_normal(unit.shape[1]), dtype=unit.dtype)
        for _ in range(4):  # power iteration: the leading direction of the centered rows
            along = rows @ direction
            along = along - along.mean()
            direction = rows.T @ along
            direction /= np.linalg.norm(direction) + np.finfo(np.float32).tiny
        order = np.argsort(rows @ direction, kind="stable")
        middle = len(nodes) // 2
        pending += [nodes[order[:middle]], nodes[order[middle:]]]
    return blocks


@numba.njit(nogil=True, fastmath=True, cache=True)
def _store_rest(cosines: Singles, rows: Singles, cells: npt.NDArray[np.int16]) -> None:
    """What the two terms leave of the kernel, rounded; near 1 by way of the difference of the two unit vectors."""
    for p in range(len(cells)):
        for q in range(len(cells)):
            c = cosines[p, q]
            k = single_kernel_value(c)
            if k > NEAR:
                k = np.float32(kernel_value(near_cosine(rows[p], rows[q])))
            rest = k - _LINEAR * c - _QUADRATIC * c * c
            cells[p, q] = np.int16(np.rint(max(rest, np.float32(0.0)) * _SCALE))


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
