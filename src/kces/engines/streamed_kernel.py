"""The kernel matrix as an operator, tile by tile: made anew for every product, or made once and kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numba
import numpy as np

from kces.engines.fast_kernel import NEAR, kernel_value, near_cosine, single_kernel_value
from kces.engines.in_groups import GROUPS, in_groups
from kces.types import Array, Singles

__all__ = ["KeptKernel", "StreamedKernel", "Tile", "cosine_tiles"]

_ROWS, _COLUMNS = 256, 1_024
"""Of a tile: a megabyte of cosines stays in the cache until they are used up."""


Tile: TypeAlias = tuple[slice, slice, Singles]
"""Rows, columns, and the kernel between them."""


def cosine_tiles(unit: Singles, group: int) -> Iterator[Tile]:
    """Of a group's strips: the columns left of the diagonal, then the square on it. Each overwrites the last.

    >>> rows, columns, cosines = next(cosine_tiles(np.eye(3, dtype=np.float32), 0))
    >>> rows == columns, cosines.sum()
    (True, np.float32(3.0))
    """
    buffer = np.empty(_ROWS * max(_COLUMNS, _ROWS), dtype=np.float32)
    for start in range(group * _ROWS, len(unit), GROUPS * _ROWS):
        rows = slice(start, min(start + _ROWS, len(unit)))
        left = [slice(first, min(first + _COLUMNS, start)) for first in range(0, start, _COLUMNS)]
        ours = unit[rows]
        for columns in (*left, rows):
            theirs = unit[columns]
            tile = buffer[: len(ours) * len(theirs)].reshape(len(ours), len(theirs))
            yield rows, columns, np.matmul(ours, theirs.T, out=tile)


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
            for tile in self._tiles(group):
                _add_tile(tile, single, shares[group])

        in_groups(add_strips)
        return shares.sum(axis=0)

    def _tiles(self, group: int) -> Iterator[Tile]:
        for rows, columns, tile in cosine_tiles(self._unit, group):
            _to_kernel(tile, self._unit[rows], self._unit[columns])
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
