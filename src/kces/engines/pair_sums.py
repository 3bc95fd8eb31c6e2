"""Sums over the pairs of nodes that are quite alike, tile by tile of the kernel, each pair looked at once.

For a solution a and every node k: ``Σ_r rest(c_kr) a_r c_kr`` and ``Σ_r rest(c_kr) a_r s_r`` over all nodes r ≠ k,
where ``rest`` is what a straight line leaves of the kernel's slope (``slope_tables.py``) and ``s_r`` a short form of
z_r. Most pairs have no rest; finding the others takes most of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numba
import numpy as np
import numpy.typing as npt

from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.slope_tables import SlopeTables
from kces.engines.triangle import SCALE, STRIP, KernelTriangle
from kces.types import Array, Singles

Tile: TypeAlias = npt.NDArray[np.int16] | Singles

__all__ = ["TILE", "PairSums", "PairTotals", "stored_pair_sums"]

TILE = 1_024
"""Columns of a strip that are worked on together."""
_FEW = 0.15
"""Share of a tile's pairs up to which adding them one by one is quicker than a product of dense blocks."""


@dataclass(frozen=True, eq=False)
class PairTotals:
    """For codes of c columns and short forms of d entries: ``along`` (c, N) and ``fields`` (c, N, d)."""

    along: Array
    fields: Singles

    def scaled(self, factors: Array) -> PairTotals:
        """Those of ``a`` with each column times its factor, shape (c,)."""
        return PairTotals(factors[:, None] * self.along, factors[:, None, None].astype(np.float32) * self.fields)

    def __add__(self, other: PairTotals) -> PairTotals:
        return PairTotals(self.along + other.along, self.fields + other.fields)


class PairSums:
    """The sums while tiles of the kernel come in, from several groups of them at a time.

    Each group has sums of its own, which are added in order: the rounding does not depend on the threads.

    Parameters
    ----------
    slopes : the rest of the slope by kernel value.
    a : (N, c).
    short : (N, d).
    largest : entries of the largest tile.
    """

    def __init__(self, slopes: SlopeTables, a: Array, short: Singles, largest: int) -> None:
        self._slopes = slopes
        self._weights: Singles = np.ascontiguousarray(a.T, dtype=np.float32)
        self._weighted: Singles = self._weights[:, :, None] * short
        self._along = np.zeros((GROUPS, *self._weights.shape))
        self._fields = np.zeros((GROUPS, *self._weighted.shape), dtype=np.float32)
        self._places = np.empty((GROUPS, 2, largest), dtype=np.int32)
        self._rest = np.empty((GROUPS, largest), dtype=np.float32)  # one for all tiles: it stays in the cache

    def add(self, group: int, tile: Tile, corner: tuple[int, int]) -> None:
        """The pairs of a tile that lie left of the diagonal; ``corner`` is its first row and column.

        A tile of whole numbers holds stored values, another one the kernel itself.
        """
        slopes, (found, values) = self._slopes, self._places[group]
        stored = tile.dtype == np.int16
        least = np.int32(slopes.first) if stored else np.float32((slopes.first - 0.5) / SCALE)
        count = _find(tile, corner, least, found)
        _look_up(tile, found[:count], np.float32(1.0) if stored else SCALE, slopes.first, values)
        found, values = found[:count], values[:count]
        rows = slice(corner[0], corner[0] + tile.shape[0])
        columns = slice(corner[1], corner[1] + tile.shape[1])
        width, few = tile.shape[1], count <= _FEW * tile.size
        if not few:
            rest = self._rest[group, : tile.size].reshape(tile.shape)
            _spread(found, values, slopes.rest, rest.reshape(-1))
        for number, (a, weighted) in enumerate(zip(self._weights, self._weighted, strict=True)):
            field = self._fields[group, number]
            _add_along(found, values, width, slopes.along, corner, a, self._along[group, number])
            if few:
                _add_one_by_one(found, values, width, slopes.rest, corner, weighted, field)
            else:
                field[rows] += rest @ weighted[columns]
                field[columns] += rest.T @ weighted[rows]

    def total(self) -> PairTotals:
        """Over all groups."""
        along, fields = self._along[0], self._fields[0]
        for group in range(1, GROUPS):
            along += self._along[group]
            fields += self._fields[group]
        return PairTotals(along, fields)


def stored_pair_sums(triangle: KernelTriangle, slopes: SlopeTables, a: Array, short: Singles) -> PairTotals:
    """The sums from the stored kernel, for ``a`` (N, c) and ``short`` (N, d).

    >>> from kces.engines.slope_tables import stored_slopes
    >>> triangle = KernelTriangle(np.eye(3, dtype=np.float32))  # no two rows are alike
    >>> stored_pair_sums(triangle, stored_slopes(triangle), np.ones((3, 1)), np.eye(3, dtype=np.float32)).along.tolist()
    [[0.0, 0.0, 0.0]]
    """
    sums = PairSums(slopes, a, short, STRIP * TILE)

    def add_strips(group: int) -> None:
        for strip in range(group, len(triangle.bounds) - 1, GROUPS):
            start, stop = triangle.bounds[strip : strip + 2]
            for left in range(0, stop, TILE):
                tile = triangle.strip(strip)[:, left : min(left + TILE, stop)]
                sums.add(group, tile, (start, left))

    in_groups(add_strips)
    return sums.total()


@numba.njit(nogil=True, cache=True)
def _find(tile, corner, least, found):
    """Places in the tile of what is not below ``least`` left of the diagonal, and how many there are."""
    count, width = 0, tile.shape[1]
    for p in range(tile.shape[0]):
        for q in range(min(width, corner[0] + p - corner[1])):
            found[count] = p * width + q
            count += tile[p, q] >= least
    return count


@numba.njit(nogil=True, cache=True)
def _look_up(tile, found, scale, first, values):
    """Where the tables have the values that were found."""
    width = tile.shape[1]
    for t in range(len(found)):
        value = np.float32(tile[found[t] // width, found[t] % width]) * scale
        values[t] = max(np.int64(np.rint(value)) - first, 0)


@numba.njit(nogil=True, cache=True)
def _add_along(found, values, width, table, corner, a, along):
    for t in range(len(found)):
        k, r = corner[0] + found[t] // width, corner[1] + found[t] % width
        along[k] += table[values[t]] * a[r]
        along[r] += table[values[t]] * a[k]


@numba.njit(nogil=True, fastmath=True, cache=True)
def _add_one_by_one(found, values, width, table, corner, weighted, field):
    for t in range(len(found)):
        value = table[values[t]]
        k, r = corner[0] + found[t] // width, corner[1] + found[t] % width
        for d in range(weighted.shape[1]):
            field[k, d] += value * weighted[r, d]
        for d in range(weighted.shape[1]):
            field[r, d] += value * weighted[k, d]


@numba.njit(nogil=True, cache=True)
def _spread(found, values, table, rest):
    """The rest at the places that were found, 0 elsewhere."""
    rest[:] = 0.0
    for t in range(len(found)):
        rest[found[t]] = table[values[t]]
