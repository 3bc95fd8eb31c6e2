"""What the far field's series leaves out: the slope of the kernel between nodes that are quite alike.

The series takes ``k'(c) ≈ 1/4 + c/π``. The rest, ``c³/3π + …``, is nothing for most pairs, but where features are
dense some percent of all pairs have a cosine above 0.3, and together they matter. The stored kernel triangle knows
every pair: a polynomial of the kernel value gives the rest of the slope, and

    ``G_k += Σ_r rest(c_kr) a_r z_r``

is a product of dense blocks. It is taken in the leading directions of the features only: a sum over hundreds of similar
nodes lies nearly within them, and the component along ``z_k`` itself is summed in full. O(N²) time per code column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
import scipy.sparse as sp
from numpy.polynomial import Polynomial
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import NEAR_COSINE, SLOPE_CAP, kernel_value, near_cosine
from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.polynomial import compiled_polynomial
from kces.engines.problem import Problem
from kces.engines.triangle import SCALE, STRIP, KernelTriangle
from kces.kernel import arc_cosine, slope_at_angle
from kces.types import Array, Singles

__all__ = ["DIRECTIONS", "SlopeCorrection", "slope_correction"]

DIRECTIONS = 96
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


_HIGHEST = 0.42
"""Kernel value (of a cosine of 0.94) up to which a polynomial serves. Above, where few pairs lie, a table does."""
_CHUNK = 256
_TILE = 1_024
"""Columns of a strip that are worked on together."""


def _fitted(power: int) -> tuple[float, ...]:
    """The table p_0 … p_8 of ``rest · c^(power − 3) ≈ k^power (p_0 + p_1 k + … + p_8 k^8)``, right to a thousandth of
    the value for kernel values ``0 < k ≤ _HIGHEST``."""
    c = np.linspace(0.01, 0.945, 4_001)
    k = arc_cosine(c)
    c, k = c[k <= _HIGHEST], k[k <= _HIGHEST]
    wanted = (slope_at_angle(c, np.arccos(c)) - 0.25 - c / np.pi) * c ** (power - 3) / k**power
    return tuple(float(p) for p in Polynomial.fit(k, wanted, 8, w=1.0 / wanted).convert().coef)


_rest_factor = compiled_polynomial(_fitted(3), np.float32)
_along_factor = compiled_polynomial(_fitted(4), np.float32)
_TOP = np.float32(_HIGHEST)
_UNIT = np.float32(1.0) / SCALE
_FIRST = int(_HIGHEST * SCALE)


def _high_rest() -> tuple[Singles, Singles]:
    """The rest, and the rest times c, for the stored values from ``_FIRST`` on."""
    cosines = np.sin(np.linspace(1.2, np.pi / 2, 20_001))  # dense where the kernel is steep
    c = np.interp(np.arange(_FIRST, int(SCALE) // 2 + 1) / SCALE, arc_cosine(cosines), cosines)
    capped = np.minimum(c, SLOPE_CAP)
    rest = slope_at_angle(capped, np.arccos(capped)) - 0.25 - c / np.pi
    return rest.astype(np.float32), (rest * c).astype(np.float32)


_HIGH_REST, _HIGH_ALONG = _high_rest()


@numba.njit(inline="always", fastmath=True)
def _rest(k):
    """``k'(c) − 1/4 − c/π`` from a kernel value of at most ``_HIGHEST``; 0 for negative ones, where it is small."""
    k = min(max(k, np.float32(0.0)), _TOP)
    return k * k * k * _rest_factor(k)


@numba.njit(inline="always", fastmath=True)
def _rest_along(k):
    """The same times c."""
    k = min(max(k, np.float32(0.0)), _TOP)
    return k * k * k * k * _along_factor(k)


@numba.njit(nogil=True, fastmath=True, cache=True)
def _rest_of_row(cells, rest, along):
    """Both for a row of stored values. Chunk by chunk: only one that holds a high value is looked at again."""
    for start in range(0, len(cells), _CHUNK):
        stop = min(start + _CHUNK, len(cells))
        for q in range(start, stop):  # loops of their own, so that each is vectorised
            rest[q] = _rest(np.float32(cells[q]) * _UNIT)
        for q in range(start, stop):
            along[q] = _rest_along(np.float32(cells[q]) * _UNIT)
        highest = np.int16(0)
        for q in range(start, stop):
            highest = max(highest, cells[q])
        if highest >= _FIRST:
            for q in range(start, stop):
                if cells[q] >= _FIRST:
                    rest[q] = _HIGH_REST[cells[q] - _FIRST]
                    along[q] = _HIGH_ALONG[cells[q] - _FIRST]


def slope_correction(problem: Problem, unit: Singles, triangle: KernelTriangle, a: Array) -> SlopeCorrection:
    """The rest of the slope for all pairs but neighbors, whose slope the series takes in full, and the node itself."""
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        directions = _leading_directions(unit)
        short = np.ascontiguousarray(unit @ directions)
        features = np.ascontiguousarray(problem.graph.features @ directions, dtype=np.float32)
    own_and_near = _treated_pairs(problem, unit)
    along, fields = [], []
    for column in a.T:
        weights = column.astype(np.float32)
        weighted = weights[:, None] * short
        whole_along, whole_field = _sum_over_pairs(triangle, weights, weighted)
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


def _treated_pairs(problem: Problem, unit: Singles) -> tuple[sp.csr_array, sp.csr_array]:
    """What the sums below hold of a node itself and of its neighbors, to be taken out again: two matrices."""
    n = problem.graph.n_nodes
    pattern = sp.csr_array(problem.graph.adjacency + sp.eye_array(n, format="csr"))
    rest, along = _entries(pattern.indptr, pattern.indices, unit)
    first, second = (sp.csr_array((data, pattern.indices, pattern.indptr), shape=(n, n)) for data in (rest, along))
    return first, second


@numba.njit(parallel=True, fastmath=True, cache=True)
def _entries(indptr, indices, unit):
    rest, along = np.empty(len(indices), np.float32), np.empty(len(indices), np.float32)
    for k in numba.prange(len(indptr) - 1):
        cells = np.empty(indptr[k + 1] - indptr[k], dtype=np.int16)
        for p in range(indptr[k], indptr[k + 1]):
            c = 0.0
            for f in range(unit.shape[1]):
                c += unit[k, f] * unit[indices[p], f]
            if c > NEAR_COSINE:
                c = near_cosine(unit[k], unit[indices[p]])
            cells[p - indptr[k]] = np.int16(np.rint(kernel_value(c) * SCALE))
        _rest_of_row(cells, rest[indptr[k] : indptr[k + 1]], along[indptr[k] : indptr[k + 1]])
    return rest, along


class _GroupSums(NamedTuple):
    """``along`` (N,) and ``field`` (N, directions) of the strips of a group."""

    along: Array
    field: Singles


def _sum_over_pairs(triangle: KernelTriangle, a: Singles, weighted: Singles) -> tuple[Array, Singles]:
    """``Σ_r rest(c_kr) a_r c_kr`` and ``Σ_r rest(c_kr) weighted_r`` over all nodes r, for every k.

    Each stored value is looked at once and serves both of its nodes. The strips are dealt to a fixed number of groups
    with sums of their own, which are added in order: the rounding does not depend on the threads.
    """
    groups = [_GroupSums(np.zeros(len(a)), np.zeros_like(weighted)) for _ in range(GROUPS)]

    def sum_group(number: int) -> None:
        buffer = np.empty(STRIP * _TILE, dtype=np.float32)  # one for all tiles: it stays in the cache
        for strip in range(number, len(triangle.bounds) - 1, GROUPS):
            _add_strip(triangle, strip, a, weighted, buffer, groups[number])

    in_groups(sum_group)
    along, field = groups[0]
    for other in groups[1:]:
        along += other.along
        field += other.field
    return along, field


def _add_strip(
    triangle: KernelTriangle, strip: int, a: Singles, weighted: Singles, buffer: Singles, sums: _GroupSums
) -> None:
    """The rows of a strip with all columns left of its diagonal, both ways, and the square on it, which has both."""
    start, stop = triangle.bounds[strip : strip + 2]
    rows, cells = slice(start, stop), triangle.strip(strip)
    tiles = [slice(left, min(left + _TILE, start)) for left in range(0, start, _TILE)]
    for columns in (*tiles, rows):
        tile = cells[:, columns]
        slopes = buffer[: tile.size].reshape(tile.shape)
        across = sums.along[columns] if columns is not rows else np.empty(0)
        _slopes_of_tile(tile, a[rows], a[columns], slopes, sums.along[rows], across)
        sums.field[rows] += slopes @ weighted[columns]
        if columns is not rows:
            sums.field[columns] += slopes.T @ weighted[rows]


@numba.njit(nogil=True, fastmath=True, cache=True)
def _slopes_of_tile(cells, a_rows, a_columns, slopes, down, across):
    """The rest for a tile of stored values, and its sums along the rows and, unless empty, the columns."""
    along = np.empty(cells.shape[1], dtype=np.float32)
    totals = np.zeros(len(across), dtype=np.float32)
    for p in range(cells.shape[0]):
        _rest_of_row(cells[p], slopes[p], along)
        total = np.float32(0.0)
        for q in range(cells.shape[1]):
            total += along[q] * a_columns[q]
        down[p] += total
        for q in range(len(across)):
            totals[q] += along[q] * a_rows[p]
    across += totals
