"""Sums over all pairs of nodes for the far field, tile by tile of a kernel that is too large to be stored.

The same sums as from the stored kernel (``pair_sums.py``), but of every pair: where the slope of a pair has to be
computed, not looked up, telling which pairs have none left costs as much as adding them.
"""

from __future__ import annotations

import numba
import numpy as np

from kces.engines.fast_kernel import single_kernel_slope
from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.pair_sums import PairSums
from kces.engines.slope_tables import SlopeLine
from kces.engines.streamed_kernel import cosine_tiles
from kces.types import Array, Singles

__all__ = ["streamed_pair_sums"]


def streamed_pair_sums(unit: Singles, line: SlopeLine, a: Array, short: Singles) -> PairSums:
    """The sums for unit rows (N, F), ``a`` (N, c) and ``short`` (N, d), in O(N² (F + c d)) time.

    >>> from kces.engines.slope_tables import TAYLOR
    >>> rows = np.eye(3, dtype=np.float32)  # no two are alike
    >>> streamed_pair_sums(rows, TAYLOR, np.ones((3, 1)), rows).along.tolist()
    [[0.0, 0.0, 0.0]]
    """
    weights = np.ascontiguousarray(a, dtype=np.float32)
    weighted = weights.T[:, :, None] * short
    alongs = np.zeros((GROUPS, *weights.shape))
    fields = np.zeros((GROUPS, *weighted.shape), dtype=np.float32)  # a group's own: no rounding by threads

    def add(group: int) -> None:
        rest = np.empty(0, dtype=np.float32)  # one for all tiles: it stays in the cache
        for rows, columns, cosines in cosine_tiles(unit, group):
            rest = rest if cosines.size <= rest.size else np.empty(cosines.size, dtype=np.float32)
            left = rest[: cosines.size].reshape(cosines.shape)
            mirrored = columns != rows
            _rest_of_slope(cosines, line, left)
            if not mirrored:
                np.fill_diagonal(left, 0.0)
            for each, field in zip(weighted, fields[group], strict=True):
                field[rows] += left @ each[columns]
                if mirrored:
                    field[columns] += left.T @ each[rows]
            left *= cosines
            alongs[group, rows] += left @ weights[columns]
            if mirrored:
                alongs[group, columns] += left.T @ weights[rows]

    in_groups(add)
    return PairSums(alongs.sum(axis=0).T, fields.sum(axis=0))


@numba.njit(nogil=True, fastmath=True, cache=True, error_model="numpy")
def _rest_of_slope(cosines: Singles, line: SlopeLine, rest: Singles) -> None:
    at_zero, rise = np.float32(line.at_zero), np.float32(line.rise)
    for p in range(cosines.shape[0]):
        for q in range(cosines.shape[1]):
            c = cosines[p, q]
            rest[p, q] = single_kernel_slope(c) - at_zero - rise * c
