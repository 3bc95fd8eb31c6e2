"""What the far field's series leaves out: the slope of the kernel between nodes that are quite alike.

The series takes ``k'(c) ≈ 1/4 + c/π``. The rest, ``c³/3π + …``, is nothing for most pairs, but where features are
dense some percent of all pairs have a cosine above 0.3, and together they matter. The stored kernel triangle knows
every pair: a table turns its 16-bit values into the rest of the slope, and

    ``G_k += Σ_r rest(c_kr) a_r z_r``

is a product of dense blocks. It is taken in the leading directions of the features only: a sum over hundreds of similar
nodes lies nearly within them, and the component along ``z_k`` itself is summed in full. O(N²) time per code column.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import kernel_slope, kernel_value
from kces.engines.problem import Array, Problem
from kces.engines.triangle import SCALE, Cells, KernelTriangle, Singles, cosine_table
from kces.threads import thread_count

__all__ = ["DIRECTIONS", "SlopeCorrection", "slope_correction"]

DIRECTIONS = 96
"""Leading directions of the features in which the correction is taken."""
_SAMPLE = 4_096
"""Nodes from which the leading directions are found."""


@dataclass(frozen=True, eq=False)
class SlopeCorrection:
    """What is added to the inner products with G: along each node's own z (a column per code), and as a vector in the
    leading directions (an array per code), to be multiplied with the ``features`` in these directions."""

    z_dot: Array
    fields: list[Singles]
    features: Singles


@dataclass(frozen=True, eq=False)
class _Table:
    """By stored value, counted from the lowest: the rest of the slope, and the rest times the cosine."""

    lowest: int
    rest: Singles
    rest_along: Singles

    @classmethod
    def make(cls) -> _Table:
        lowest, cosines = cosine_table()
        rest = _slopes(cosines) - 0.25 - cosines / np.pi
        return cls(lowest, rest.astype(np.float32), (rest * cosines).astype(np.float32))


@numba.njit(cache=True)
def _slopes(cosines):
    return np.array([kernel_slope(c) for c in cosines])


def slope_correction(problem: Problem, unit: Singles, triangle: KernelTriangle, a: Array) -> SlopeCorrection:
    """The rest of the slope for all pairs but neighbours, whose slope the series takes in full, and the node itself."""
    table = _Table.make()
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        directions = _leading_directions(unit)
        short = np.ascontiguousarray(unit @ directions)
        features = np.ascontiguousarray(problem.graph.features @ directions, dtype=np.float32)
    own_and_near = _treated_pairs(problem, unit, table)
    along, fields = [], []
    for column in a.T:
        weights = column.astype(np.float32)
        weighted = weights[:, None] * short
        whole_along, whole_field = _sum_over_pairs(triangle, table, weights, weighted)
        along.append(whole_along - own_and_near[1] @ column)
        fields.append(whole_field - own_and_near[0] @ weighted)
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


def _treated_pairs(problem: Problem, unit: Singles, table: _Table) -> tuple[sp.csr_array, sp.csr_array]:
    """What the table holds for a node with itself and with its neighbours, to be taken out again: two matrices."""
    n = problem.graph.n_nodes
    pattern = sp.csr_array(problem.graph.adjacency + sp.eye_array(n, format="csr"))
    rest, rest_along = _table_entries(pattern.indptr, pattern.indices, unit, table.lowest, table.rest, table.rest_along)
    parts = (sp.csr_array((data, pattern.indices, pattern.indptr), shape=(n, n)) for data in (rest, rest_along))
    first, second = parts
    return first, second


@numba.njit(parallel=True, fastmath=True, cache=True)
def _table_entries(indptr, indices, unit, lowest, rest, rest_along):
    first, second = np.empty(len(indices), np.float32), np.empty(len(indices), np.float32)
    for k in numba.prange(len(indptr) - 1):
        for p in range(indptr[k], indptr[k + 1]):
            c = 0.0
            for f in range(unit.shape[1]):
                c += unit[k, f] * unit[indices[p], f]
            if indices[p] == k:
                c = 1.0 if c > 0.5 else 0.0
            at = int(np.rint(kernel_value(c) * SCALE)) - lowest
            first[p], second[p] = rest[at], rest_along[at]
    return first, second


def _sum_over_pairs(triangle: KernelTriangle, table: _Table, a: Singles, weighted: Singles) -> tuple[Array, Singles]:
    """``Σ_r rest(c_kr) a_r c_kr`` and ``Σ_r rest(c_kr) weighted_r`` over all nodes r, for every k.

    The rows k of a strip are one task: what lies left of its diagonal is in the strip itself, what lies right of it in
    the strips below, transposed. No sum is shared between tasks, so that the rounding does not depend on the threads.
    """
    bounds = triangle.bounds
    along = np.zeros(len(a))
    field = np.zeros_like(weighted)
    look_up = (table.lowest, table.rest, table.rest_along)

    def sum_strip(strip: int) -> None:
        start, stop = bounds[strip], bounds[strip + 1]
        block = triangle.strip(strip)
        buffer = np.empty(block.size, dtype=np.float32)
        slopes = buffer.reshape(block.shape)
        _rows_of_strip(block, *look_up, a[:stop], slopes, along[start:stop])
        field[start:stop] = slopes @ weighted[:stop]
        for below in range(strip + 1, len(bounds) - 1):
            rows = slice(bounds[below], bounds[below + 1])
            tile = triangle.strip(below)[:, start:stop]
            slopes = buffer[: tile.size].reshape(tile.shape)
            _columns_of_tile(tile, *look_up, a[rows], slopes, along[start:stop])
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
