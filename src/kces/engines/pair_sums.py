"""Sums over the pairs of nodes that are quite alike, from the stored kernel, each pair looked at once.

For a solution a and every node k: ``Σ_r rest(c_kr) a_r c_kr`` and ``Σ_r rest(c_kr) a_r s_r`` over all nodes r ≠ k,
where ``rest`` is what a straight line leaves of the kernel's slope (``slope_tables.py``) and ``s_r`` a short form of
z_r. Most pairs have no rest; finding the others takes most of the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.slope_tables import SlopeTables
from kces.engines.triangle import STRIP, KernelTriangle
from kces.types import Array, Singles

__all__ = ["PairSums", "stored_pair_sums"]

_TILE = 1_024
"""Columns of a strip that are worked on together."""
_FEW = 0.15
"""Share of a tile's pairs up to which adding them one by one is quicker than a product of dense blocks."""


class PairSums(NamedTuple):
    """For codes of c columns and short forms of d entries: ``along`` (c, N) and ``fields`` (c, N, d)."""

    along: Array
    fields: Singles


def stored_pair_sums(triangle: KernelTriangle, slopes: SlopeTables, a: Array, short: Singles) -> PairSums:
    """The sums for ``a`` (N, c) and ``short`` (N, d).

    >>> from kces.engines.slope_tables import stored_slopes
    >>> triangle = KernelTriangle(np.eye(3, dtype=np.float32))  # no two rows are alike
    >>> stored_pair_sums(triangle, stored_slopes(triangle), np.ones((3, 1)), np.eye(3, dtype=np.float32)).along.tolist()
    [[0.0, 0.0, 0.0]]
    """
    sums = [_column_sums(triangle, slopes, column.astype(np.float32), short) for column in a.T]
    return PairSums(np.stack([along for along, _ in sums]), np.stack([field for _, field in sums]))


def _column_sums(triangle: KernelTriangle, slopes: SlopeTables, a: Singles, short: Singles) -> tuple[Array, Singles]:
    """The strips are dealt to a fixed number of groups with sums of their own, which are added in order: the rounding
    does not depend on the threads."""
    weighted = a[:, None] * short
    alongs, fields = np.zeros((GROUPS, len(a))), np.zeros((GROUPS, *weighted.shape), dtype=np.float32)

    def sum_group(number: int) -> None:
        along, field = alongs[number], fields[number]
        found = np.empty(STRIP * _TILE, dtype=np.int32)
        buffer = np.empty(STRIP * _TILE, dtype=np.float32)  # one for all tiles: it stays in the cache
        for strip in range(number, len(triangle.bounds) - 1, GROUPS):
            start, stop = triangle.bounds[strip : strip + 2]
            for left in range(0, stop, _TILE):
                columns = slice(left, min(left + _TILE, stop))
                tile = triangle.strip(strip)[:, columns]
                count = _find(tile, start, left, slopes.first, found)
                _add_along(tile, found[:count], slopes, (start, left), a, along)
                if count <= _FEW * tile.size:
                    _add_one_by_one(tile, found[:count], slopes, (start, left), weighted, field)
                    continue
                rest = buffer[: tile.size].reshape(tile.shape)
                _spread(tile, found[:count], slopes, rest)
                field[start:stop] += rest @ weighted[columns]
                field[columns] += rest.T @ weighted[start:stop]

    in_groups(sum_group)
    return alongs.sum(axis=0), fields.sum(axis=0)


@numba.njit(nogil=True, cache=True)
def _find(tile, start, left, first, found):
    """Places in the tile of the values from ``first`` on left of the diagonal, and how many there are."""
    count, width = 0, tile.shape[1]
    for p in range(tile.shape[0]):
        for q in range(min(width, start + p - left)):
            found[count] = p * width + q
            count += tile[p, q] >= first
    return count


@numba.njit(nogil=True, cache=True)
def _add_along(tile, found, slopes, corner, a, along):
    width = tile.shape[1]
    for place in found:
        p, q = place // width, place % width
        value = slopes.along[tile[p, q] - slopes.first]
        along[corner[0] + p] += value * a[corner[1] + q]
        along[corner[1] + q] += value * a[corner[0] + p]


@numba.njit(nogil=True, fastmath=True, cache=True)
def _add_one_by_one(tile, found, slopes, corner, weighted, field):
    width = tile.shape[1]
    for place in found:
        p, q = place // width, place % width
        value = slopes.rest[tile[p, q] - slopes.first]
        k, r = corner[0] + p, corner[1] + q
        for d in range(weighted.shape[1]):
            field[k, d] += value * weighted[r, d]
        for d in range(weighted.shape[1]):
            field[r, d] += value * weighted[k, d]


@numba.njit(nogil=True, cache=True)
def _spread(tile, found, slopes, rest):
    """The rest at the places that were found, 0 elsewhere."""
    width = tile.shape[1]
    rest[:] = 0.0
    for place in found:
        rest[place // width, place % width] = slopes.rest[tile[place // width, place % width] - slopes.first]
