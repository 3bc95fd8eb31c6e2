"""What the far field's series leaves out: the slope of the kernel between nodes that are quite alike.

The series takes the slope as a straight line in the cosine. The rest (``stored_slopes.py``) is nothing for most pairs,
but where features are dense some percent of all pairs are quite alike, and together they matter. The stored kernel
triangle knows every pair:

    ``G_k += Σ_r rest(c_kr) a_r z_r``

is taken in the leading directions of the features only: a sum over hundreds of similar nodes lies nearly within them,
and the component along ``z_k`` itself is summed in full. O(N²) time per code column, of which most is looking for the
pairs where there is a rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import NEAR_COSINE, kernel_value, near_cosine
from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.moments import tall_product
from kces.engines.problem import Problem
from kces.engines.stored_slopes import SlopeTables
from kces.engines.triangle import SCALE, STRIP, KernelTriangle
from kces.types import Array, Singles

__all__ = ["DIRECTIONS", "SlopeCorrection", "slope_correction"]

DIRECTIONS = 128
"""Leading directions of the features in which the correction is taken."""
_SAMPLE = 4_096
"""Nodes from which the leading directions are found."""
_TILE = 1_024
"""Columns of a strip that are worked on together."""
_FEW = 0.15
"""Share of a tile's pairs up to which adding them one by one is quicker than a product of dense blocks."""


@dataclass(frozen=True, eq=False)
class SlopeCorrection:
    """What is added to the inner products with G, for codes of c columns.

    Attributes
    ----------
    z_dot : (N, c), along each node's own Z.
    fields : c arrays (N, directions), as vectors in the leading directions, to be multiplied with the features there.
    features : (N, directions), X in these directions.
    """

    z_dot: Array
    fields: list[Singles]
    features: Singles


def slope_correction(
    problem: Problem, unit: Singles, triangle: KernelTriangle, slopes: SlopeTables, a: Array
) -> SlopeCorrection:
    """The rest of the slope for all pairs but neighbors, whose slope the series takes in full."""
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        directions = _leading_directions(unit)
        features = np.ascontiguousarray(problem.graph.features @ directions, dtype=np.float32)
    short = tall_product(unit, directions)
    near = _treated_pairs(problem, unit, slopes)
    along, fields = [], []
    for column in a.T:
        weights = column.astype(np.float32)
        weighted = weights[:, None] * short
        whole_along, whole_field = _sum_over_pairs(triangle, slopes, weights, weighted)
        along.append(whole_along - near[1] @ column)
        fields.append(whole_field - near[0] @ weighted)
    return SlopeCorrection(problem.lengths[:, None] * np.stack(along, axis=1), fields, features)


def _leading_directions(unit: Singles) -> Singles:
    """An orthonormal basis near the leading right singular vectors: subspace iteration on a sample of the rows."""
    width = unit.shape[1]
    if width <= DIRECTIONS:
        return np.eye(width, dtype=np.float32)
    rows = np.ascontiguousarray(unit[:: max(1, len(unit) // _SAMPLE)])
    basis = np.random.default_rng(0).standard_normal((width, DIRECTIONS)).astype(np.float32)
    for _ in range(4):
        basis, _ = np.linalg.qr(rows.T @ (rows @ basis))
    return np.ascontiguousarray(basis)


def _treated_pairs(problem: Problem, unit: Singles, slopes: SlopeTables) -> tuple[sp.csr_array, sp.csr_array]:
    """What the sums below hold of a node's neighbors, to be taken out again: two matrices."""
    n = problem.graph.n_nodes
    pattern = problem.graph.adjacency
    above = _stored_values(pattern.indptr, pattern.indices, unit) - slopes.first
    tables = (np.where(above >= 0, table[np.maximum(above, 0)], np.float32(0.0)) for table in slopes[2:])
    rest, along = (sp.csr_array((data, pattern.indices, pattern.indptr), shape=(n, n)) for data in tables)
    return rest, along


@numba.njit(parallel=True, fastmath=True, cache=True)
def _stored_values(indptr, indices, unit):
    """As the triangle stores them, for the pairs of a pattern."""
    values = np.empty(len(indices), np.int64)
    for k in numba.prange(len(indptr) - 1):
        for p in range(indptr[k], indptr[k + 1]):
            c = np.float32(0.0)
            for f in range(unit.shape[1]):
                c += unit[k, f] * unit[indices[p], f]
            if c > NEAR_COSINE:
                c = near_cosine(unit[k], unit[indices[p]])
            values[p] = np.int64(np.rint(kernel_value(c) * SCALE))
    return values


class _GroupSums(NamedTuple):
    """``along`` (N,) and ``field`` (N, directions) of the strips of a group."""

    along: Array
    field: Singles


def _sum_over_pairs(
    triangle: KernelTriangle, slopes: SlopeTables, a: Singles, weighted: Singles
) -> tuple[Array, Singles]:
    """``Σ_r rest(c_kr) a_r c_kr`` and ``Σ_r rest(c_kr) weighted_r`` over all nodes r ≠ k, for every k.

    Each stored value is looked at once and serves both of its nodes. The strips are dealt to a fixed number of groups
    with sums of their own, which are added in order: the rounding does not depend on the threads.
    """
    groups = [_GroupSums(np.zeros(len(a)), np.zeros_like(weighted)) for _ in range(GROUPS)]

    def sum_group(number: int) -> None:
        found = np.empty(STRIP * _TILE, dtype=np.int32)
        buffer = np.empty(STRIP * _TILE, dtype=np.float32)  # one for all tiles: it stays in the cache
        for strip in range(number, len(triangle.bounds) - 1, GROUPS):
            start, stop = triangle.bounds[strip : strip + 2]
            for left in range(0, stop, _TILE):
                columns = slice(left, min(left + _TILE, stop))
                tile = triangle.strip(strip)[:, columns]
                count = _find(tile, start, left, slopes.first, found)
                _add_along(tile, found[:count], slopes, (start, left), a, groups[number].along)
                if count <= _FEW * tile.size:
                    _add_one_by_one(tile, found[:count], slopes, (start, left), weighted, groups[number].field)
                    continue
                rest = buffer[: tile.size].reshape(tile.shape)
                _spread(tile, found[:count], slopes, rest)
                groups[number].field[start:stop] += rest @ weighted[columns]
                groups[number].field[columns] += rest.T @ weighted[start:stop]

    in_groups(sum_group)
    along, field = groups[0]
    for other in groups[1:]:
        along += other.along
        field += other.field
    return along, field


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
