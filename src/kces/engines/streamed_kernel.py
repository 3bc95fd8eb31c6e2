"""The kernel matrix as an operator, tile by tile: made anew for every product, or made once and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numba
import numpy as np

from kces.engines.fast_kernel import NEAR, kernel_value, near_cosine, single_kernel_value
from kces.engines.in_groups import GROUPS, in_groups
from kces.types import Array, Singles

__all__ = ["LARGEST_TILE", "KeptKernel", "StreamedKernel", "Tile"]

_ROWS, _COLUMNS = 256, 1_024
"""Of a tile: a megabyte of cosines stays in the cache until they are used up."""
LARGEST_TILE = _ROWS * max(_COLUMNS, _ROWS)
"""Entries."""


Tile: TypeAlias = tuple[slice, slice, Singles]
"""Rows, columns, and the kernel between them."""


class StreamedKernel:
    """``H @ v`` for unit rows (N, F) in O(N² F) time and O(N) memory. Each pair of nodes is looked at once.

    >>> (StreamedKernel(np.eye(3, dtype=np.float32)) @ np.ones((3, 1))).ravel().tolist()
    [0.5, 0.5, 0.5]
    """

    def __init__(self, unit: Singles) -> None:
        self._unit = unit

    def __matmul__(self, vectors: Array) -> Array:
        return self._product(vectors, look=lambda group, tile: None)

    def _product(self, vectors: Array, look: Callable[[int, Tile], None]) -> Array:
        """``look`` is shown every tile, with the number of its group."""
        n, columns = vectors.shape
        shares = np.zeros((GROUPS, n, columns))
        single = np.ascontiguousarray(vectors, dtype=np.float32)

        def add_strips(group: int) -> None:
            for tile in self._tiles(group):
                _add_tile(tile, single, shares[group])
                look(group, tile)

        in_groups(add_strips)
        return shares.sum(axis=0)

    def _tiles(self, group: int) -> Iterator[Tile]:
        """Of a group's strips: the columns left of the diagonal, then the square on it. Each overwrites the last."""
        buffer = np.empty(LARGEST_TILE, dtype=np.float32)
        for start in range(group * _ROWS, len(self._unit), GROUPS * _ROWS):
            rows = slice(start, min(start + _ROWS, len(self._unit)))
            left = [slice(first, min(first + _COLUMNS, start)) for first in range(0, start, _COLUMNS)]
            ours = self._unit[rows]
            for columns in (*left, rows):
                theirs = self._unit[columns]
                tile = buffer[: len(ours) * len(theirs)].reshape(len(ours), len(theirs))
                _to_kernel(np.matmul(ours, theirs.T, out=tile), ours, theirs)
                yield rows, columns, tile


class KeptKernel(StreamedKernel):
    """The same, with its tiles made once: 2 N² bytes, for many products with rows of many features.

    >>> (KeptKernel(np.eye(3, dtype=np.float32)) @ np.ones((3, 1))).ravel().tolist()
    [0.5, 0.5, 0.5]
    """

    def __init__(self, unit: Singles) -> None:
        super().__init__(unit)
        self._kept: dict[int, list[Tile]] = {}
        in_groups(self._keep)

    def _keep(self, group: int) -> None:
        self._kept[group] = [(rows, columns, tile.copy()) for rows, columns, tile in super()._tiles(group)]

    def _tiles(self, group: int) -> Iterator[Tile]:
        return iter(self._kept[group])


def _add_tile(tile: Tile, vectors: Singles, share: Array) -> None:
    """A tile times the vectors, and its mirror image on the other side of the diagonal."""
    rows, columns, values = tile
    share[rows] += values @ vectors[columns]
    if columns != rows:
        share[columns] += values.T @ vectors[rows]


@numba.njit(nogil=True, fastmath=True, cache=True)
def _to_kernel(tile: Singles, ours: Singles, theirs: Singles) -> None:
    """Cosines to kernel values in place; near 1 by way of the difference of the two unit vectors."""
    for p in range(tile.shape[0]):
        for q in range(tile.shape[1]):  # a loop of its own, so that it is vectorized
            tile[p, q] = single_kernel_value(tile[p, q])
        for q in range(tile.shape[1]):
            if tile[p, q] > NEAR:
                tile[p, q] = kernel_value(near_cosine(ours[p], theirs[q]))
