"""The kernel matrix as an operator that keeps none of it: every product makes it anew, tile by tile."""

from __future__ import annotations

import numba
import numpy as np

from kces.engines.fast_kernel import NEAR, kernel_value, near_cosine, single_kernel_value
from kces.engines.in_groups import GROUPS, in_groups
from kces.types import Array, Singles

__all__ = ["StreamedKernel"]

_ROWS, _COLUMNS = 256, 1_024
"""Of a tile: half a megabyte of cosines stays in the cache until they are used up."""


class StreamedKernel:
    """``H @ v`` for unit rows (N, F) in O(N² F) time and O(N) memory. Each pair of nodes is looked at once.

    >>> (StreamedKernel(np.eye(3, dtype=np.float32)) @ np.ones((3, 1))).ravel().tolist()
    [0.5, 0.5, 0.5]
    """

    def __init__(self, unit: Singles) -> None:
        self._unit = unit

    def __matmul__(self, vectors: Array) -> Array:
        n, columns = vectors.shape
        shares = np.zeros((GROUPS, n, columns))
        single = np.ascontiguousarray(vectors, dtype=np.float32)

        def add_strips(group: int) -> None:
            buffer = np.empty(_ROWS * max(_COLUMNS, _ROWS), dtype=np.float32)
            for start in range(group * _ROWS, n, GROUPS * _ROWS):
                self._add_strip(start, single, buffer, shares[group])

        in_groups(add_strips)
        return shares.sum(axis=0)

    def _add_strip(self, start: int, vectors: Singles, buffer: Singles, share: Array) -> None:
        """The rows of a strip with all columns left of its diagonal, both ways, and the square on it."""
        rows = slice(start, min(start + _ROWS, len(vectors)))
        tiles = [slice(left, min(left + _COLUMNS, start)) for left in range(0, start, _COLUMNS)]
        ours = self._unit[rows]
        for columns in (*tiles, rows):
            theirs = self._unit[columns]
            tile = buffer[: len(ours) * len(theirs)].reshape(len(ours), len(theirs))
            _to_kernel(np.matmul(ours, theirs.T, out=tile), ours, theirs)
            share[rows] += tile @ vectors[columns]
            if columns is not rows:
                share[columns] += tile.T @ vectors[rows]


@numba.njit(nogil=True, fastmath=True, cache=True)
def _to_kernel(tile: Singles, ours: Singles, theirs: Singles) -> None:
    """Cosines to kernel values in place; near 1 by way of the difference of the two unit vectors."""
    for p in range(tile.shape[0]):
        for q in range(tile.shape[1]):  # a loop of its own, so that it is vectorized
            tile[p, q] = single_kernel_value(tile[p, q])
        for q in range(tile.shape[1]):
            if tile[p, q] > NEAR:
                tile[p, q] = kernel_value(near_cosine(ours[p], theirs[q]))
