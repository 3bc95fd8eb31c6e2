"""What the far field's series leaves out: the slope of the kernel between nodes that are quite alike.

The series takes the slope as a straight line in the cosine. The rest (``slope_tables.py``) is nothing for most pairs,
but where features are dense some percent of all pairs are quite alike, and together they matter:

    ``G_k += Σ_r rest(c_kr) a_r z_r``

is taken in the leading directions of the features only: a sum over hundreds of similar nodes lies nearly within them,
and the component along ``z_k`` itself is summed in full. The stored kernel knows every pair; without it they are
computed once more (``streamed_sums.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import NEAR_COSINE, kernel_slope, kernel_value, near_cosine
from kces.engines.moments import tall_product
from kces.engines.pair_sums import PairSums, stored_pair_sums
from kces.engines.problem import Problem
from kces.engines.slope_tables import SlopeLine, SlopeTables, sampled_line, stored_slopes
from kces.engines.streamed_sums import streamed_pair_sums
from kces.engines.triangle import SCALE, KernelTriangle
from kces.types import Array, Singles

__all__ = [
    "DIRECTIONS",
    "ShortRows",
    "SlopeCorrection",
    "SlopeSums",
    "slope_correction",
    "slope_rest",
    "stored_slope_sums",
    "streamed_slope_sums",
]

DIRECTIONS = 128
"""Leading directions of the features in which the correction is taken."""
_SAMPLE = 4_096
"""Nodes from which the leading directions are found."""


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


@dataclass(frozen=True, eq=False)
class ShortRows:
    """Unit rows in the leading directions of the features.

    Attributes
    ----------
    directions : (F, d), an orthonormal basis.
    rows : (N, d).
    """

    directions: Singles
    rows: Singles

    @classmethod
    def of(cls, unit: Singles) -> ShortRows:
        """For unit rows (N, F)."""
        with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
            directions = _leading_directions(unit)
        return cls(directions, tall_product(unit, directions))


@dataclass(frozen=True, eq=False)
class SlopeSums:
    """The rest of the slope summed over all pairs, neighbors too, for a solution.

    Attributes
    ----------
    line : what the rest is left by.
    short : the rows in which the sums are.
    totals : the sums.
    tables : the rest by stored value, where the kernel was stored.
    """

    line: SlopeLine
    short: ShortRows
    totals: PairSums
    tables: SlopeTables | None = None


def stored_slope_sums(unit: Singles, triangle: KernelTriangle, a: Array) -> SlopeSums:
    """From the stored kernel, in O(N²) time per column of ``a`` (N, c)."""
    short, tables = ShortRows.of(unit), stored_slopes(triangle)
    return SlopeSums(tables.line, short, stored_pair_sums(triangle, tables, a, short.rows), tables)


def streamed_slope_sums(unit: Singles, a: Array) -> SlopeSums:
    """From unit rows (N, F), whose inner products are made anew."""
    short, line = ShortRows.of(unit), sampled_line(unit)
    return SlopeSums(line, short, streamed_pair_sums(unit, line, a, short.rows))


def slope_correction(problem: Problem, unit: Singles, sums: SlopeSums, a: Array) -> SlopeCorrection:
    """The rest of the slope for all pairs but neighbors, whose slope the series takes in full."""
    with threadpool_limits(1, user_api="blas"):
        features = np.ascontiguousarray(problem.graph.features @ sums.short.directions, dtype=np.float32)
    rest, rest_along = _treated_pairs(problem, unit, sums)
    along = sums.totals.along.T - rest_along @ a
    fields = [
        field - rest @ (column.astype(np.float32)[:, None] * sums.short.rows)
        for field, column in zip(sums.totals.fields, a.T, strict=True)
    ]
    return SlopeCorrection(problem.lengths[:, None] * along, fields, features)


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


def _treated_pairs(problem: Problem, unit: Singles, sums: SlopeSums) -> tuple[sp.csr_array, sp.csr_array]:
    """What the sums hold of a node's neighbors, to be taken out again: two matrices."""
    pattern = problem.graph.adjacency
    rest, along = (
        sp.csr_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)
        for data in _rests(pattern.indptr, pattern.indices, unit, sums)
    )
    return rest, along


def _rests(
    indptr: npt.NDArray[np.integer], indices: npt.NDArray[np.integer], unit: Singles, sums: SlopeSums
) -> tuple[Singles, Singles]:
    """Of the pairs of a pattern: the rest of the slope, and the rest times the cosine."""
    if sums.tables is None:
        rest, cosines = slope_rest(indptr, indices, unit, sums.line)
        return rest, rest * cosines
    above = _stored_values(indptr, indices, unit) - sums.tables.first
    found = (np.where(above >= 0, table[np.maximum(above, 0)], np.float32(0.0)) for table in sums.tables[2:])
    rest, along = found
    return rest, along


@numba.njit(parallel=True, fastmath=True, cache=True, error_model="numpy")
def slope_rest(indptr, indices, unit, line):
    """What a line leaves of the slope for the pairs of a pattern, and their cosines."""
    rest, cosines = np.empty(len(indices), dtype=np.float32), np.empty(len(indices), dtype=np.float32)
    for k in numba.prange(len(indptr) - 1):
        for p in range(indptr[k], indptr[k + 1]):
            c = 0.0
            for f in range(unit.shape[1]):
                c += unit[k, f] * unit[indices[p], f]
            rest[p], cosines[p] = kernel_slope(c) - line.at_zero - line.rise * c, c
    return rest, cosines


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
