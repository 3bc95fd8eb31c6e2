"""What the far field's series leaves out: the slope of the kernel between nodes that are quite alike.

The series takes ``k'(c) ≈ 1/4 + c/π``. The rest, ``c³/3π + …``, is nothing for most pairs, but where features are
dense some percent of all pairs have a cosine above 0.3, and together they matter. The stored kernel triangle knows
every pair: a table turns its 16-bit values into the rest of the slope, and

    ``G_k += Σ_r rest(c_kr) a_r z_r``

is a product of dense blocks. It is taken in the leading directions of the features only: a sum over hundreds of similar
nodes lies nearly within them, and the component along ``z_k`` itself is summed in full.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import kernel_slope
from kces.engines.problem import Array, Problem
from kces.engines.triangle import Cells, KernelTriangle, Singles, cosine_table
from kces.threads import thread_count

__all__ = ["DIRECTIONS", "SlopeCorrection", "slope_correction"]

DIRECTIONS = 96
"""Leading directions of the features in which the correction is taken."""


@dataclass(frozen=True, eq=False)
class SlopeCorrection:
    """What is added to the inner products with G: along each node's own z, and in the leading directions."""

    z_dot: Array
    field: Singles
    features: Singles


def slope_correction(
    problem: Problem, unit: Singles, triangle: KernelTriangle, a: Array, near: sp.csr_array
) -> SlopeCorrection:
    """The correction for one code column; ``near`` holds the rest of the slope for pairs that were treated exactly."""
    directions = _leading_directions(unit)
    short = np.ascontiguousarray(unit @ directions)
    weighted = a.astype(np.float32)[:, None] * short
    along, field = _sum_over_pairs(triangle, a.astype(np.float32), weighted)
    own = np.where(problem.lengths > 0, _rest_of_slope(np.ones(1)), 0.0) * a
    along -= own + _near_sums(near.indptr, near.indices, near.data, unit, a)
    field -= own.astype(np.float32)[:, None] * short
    field -= near @ weighted
    features = np.ascontiguousarray(problem.graph.features @ directions, dtype=np.float32)
    return SlopeCorrection(problem.lengths * along, field, features)


def _leading_directions(unit: Singles) -> Singles:
    if unit.shape[1] <= DIRECTIONS:
        return np.eye(unit.shape[1], dtype=np.float32)
    _, vectors = np.linalg.eigh((unit.T @ unit).astype(np.float64))
    return np.ascontiguousarray(vectors[:, -DIRECTIONS:], dtype=np.float32)


def _rest_of_slope(cosines: Array) -> Array:
    """``k'(c) − 1/4 − c/π``."""
    slopes: Array = _slopes(cosines)
    return slopes - 0.25 - cosines / np.pi


@numba.njit(cache=True)
def _slopes(cosines):
    return np.array([kernel_slope(c) for c in cosines])


@numba.njit(parallel=True, fastmath=True, cache=True)
def _near_sums(indptr, indices, rest, unit, a):
    """``Σ_r rest(c_kr) a_r c_kr`` over the pairs of a sparse matrix."""
    sums = np.zeros(len(indptr) - 1)
    for k in numba.prange(len(sums)):
        for p in range(indptr[k], indptr[k + 1]):
            c = 0.0
            for f in range(unit.shape[1]):
                c += unit[k, f] * unit[indices[p], f]
            sums[k] += rest[p] * c * a[indices[p]]
    return sums


def _sum_over_pairs(triangle: KernelTriangle, a: Singles, weighted: Singles) -> tuple[Array, Singles]:
    """``Σ_r rest(c_kr) a_r c_kr`` and ``Σ_r rest(c_kr) weighted_r`` over all nodes r, for every k.

    The rows k of a strip are one task: what lies left of its diagonal is in the strip itself, what lies right of it in
    the strips below, transposed. No sum is shared between tasks, so that the rounding does not depend on the threads.
    """
    lowest, cosines = cosine_table()
    rest = _rest_of_slope(cosines).astype(np.float32)
    rest_along = (rest * cosines).astype(np.float32)
    bounds = triangle.bounds
    along = np.zeros(len(a))
    field = np.zeros_like(weighted)

    def sum_strip(strip: int) -> None:
        start, stop = bounds[strip], bounds[strip + 1]
        block = triangle.strip(strip)
        buffer = np.empty(block.size, dtype=np.float32)
        slopes = buffer.reshape(block.shape)
        _rows_of_strip(block, lowest, rest, rest_along, a[:stop], slopes, along[start:stop])
        field[start:stop] = slopes @ weighted[:stop]
        for below in range(strip + 1, len(bounds) - 1):
            rows = slice(bounds[below], bounds[below + 1])
            tile = triangle.strip(below)[:, start:stop]
            slopes = buffer[: tile.size].reshape(tile.shape)
            _columns_of_tile(tile, lowest, rest, rest_along, a[rows], slopes, along[start:stop])
            field[start:stop] += slopes.T @ weighted[rows]

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(thread_count()) as pool:
        for _ in pool.map(sum_strip, range(len(bounds) - 1)):
            pass
    return along, field


@numba.njit(nogil=True, fastmath=True, cache=True)
def _rows_of_strip(
    cells: Cells, lowest: int, rest: Singles, rest_along: Singles, a: Singles, out: Singles, sums: Array
):
    for p in range(cells.shape[0]):
        total = np.float32(0.0)
        for q in range(cells.shape[1]):
            at = cells[p, q] - lowest
            out[p, q] = rest[at]
            total += rest_along[at] * a[q]
        sums[p] += total


@numba.njit(nogil=True, fastmath=True, cache=True)
def _columns_of_tile(
    cells: Cells, lowest: int, rest: Singles, rest_along: Singles, a: Singles, out: Singles, sums: Array
):
    for p in range(cells.shape[0]):
        for q in range(cells.shape[1]):
            at = cells[p, q] - lowest
            out[p, q] = rest[at]
            sums[q] += rest_along[at] * a[p]
