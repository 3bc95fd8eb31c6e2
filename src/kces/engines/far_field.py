"""How a moved row feels all other nodes: ``f(z) = Σ_r a_r k(z·z_r)`` around every node, to first and second order.

The gradient of f at z_k is ``G_k = Σ_{r≠k} a_r k'(z_k·z_r) z_r``; ``curvature.py`` has its Hessian M_k.
Removing an edge moves row k by ``δ = z'_k − z_k``, a combination of Z_k, X_i and X_j, so an edge needs only inner
products with these: ``Z_k·G_k``, ``X_m·G_k`` for m = k or beside it, and the same for ``δᵀ M_k δ / 2``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from kces.engines.curvature import Curvature, curvature_of_columns, flat_curvature, pair_curvature
from kces.engines.edge_dots import dense_dots, feature_dots
from kces.engines.fast_kernel import kernel_slope
from kces.engines.moments import second_moment, tall_product
from kces.engines.problem import Problem
from kces.engines.slope_correction import SlopeSums, slope_correction, slope_rest
from kces.engines.slope_tables import TAYLOR
from kces.engines.solve import Solution
from kces.progress import Progress, silent
from kces.types import Array, Singles

__all__ = ["FarField", "far_field"]


@dataclass(frozen=True, eq=False)
class FarField:
    """Inner products with G, for codes of c columns.

    Attributes
    ----------
    z_dot, x_dot : (N, c), ``Z_k·G_k`` and ``X_k·G_k``.
    neighbor_dot : (2E, c), ``X_m·G_k`` at each directed edge k→m, by position in the CSR adjacency.
    curvature : the second order, where it was asked for.
    """

    z_dot: Array
    x_dot: Array
    neighbor_dot: Array
    curvature: Curvature | None = None


def far_field(
    problem: Problem,
    solution: Solution,
    *,
    curved: bool = False,
    progress: Progress = silent,
) -> FarField:
    """The field of a solution, in the way of the problem's regime; ``curved`` adds the second order.

    ``pairs`` sums over all pairs of nodes, from their inner products (O((E + N) N) time, two N x N matrices);
    ``series`` takes the slope's expansion ``k'(c) ≈ 1/4 + c/π`` for all nodes and the exact slope for neighbors
    (O(N F² + E F) time, O(N F) memory); where the solve looked at all pairs, a line fitted to the graph's pairs and
    what it leaves out.
    """
    progress("far field", 0, 1)
    columns = [np.ascontiguousarray(column) for column in solution.a.T]
    if problem.regime.far_field == "pairs":
        found = _columns(*[_pairs(problem, column) for column in columns])
        if curved:
            parts = [pair_curvature(problem, column) for column in columns]
            found = replace(found, curvature=curvature_of_columns(parts, flat=False))
    else:
        found = _series_fields(problem, columns, solution.slope_sums(problem.unit_singles), curved)
    progress("far field", 1, 1)
    return found


def _columns(*parts: tuple[Array, Array, Array]) -> FarField:
    z_dot, x_dot, neighbor_dot = (np.stack(each, axis=1) for each in zip(*parts, strict=True))
    return FarField(z_dot, x_dot, neighbor_dot)


def _pairs(problem: Problem, a: Array) -> tuple[Array, Array, Array]:
    adjacency = problem.graph.adjacency
    return _pair_sums(problem.ZZ, problem.XZ, problem.inverse_lengths, a, adjacency.indptr, adjacency.indices)


@numba.njit(parallel=True, fastmath=True, cache=True, error_model="numpy")
def _pair_sums(ZZ, XZ, inverse_lengths, a, indptr, indices):
    n = len(a)
    z_dot, x_dot, neighbor_dot = np.zeros(n), np.zeros(n), np.zeros(len(indices))
    for k in numba.prange(n):
        pull = np.empty(n)
        for r in range(n):
            pull[r] = a[r] * inverse_lengths[r] * kernel_slope(ZZ[k, r] * inverse_lengths[k] * inverse_lengths[r])
        pull[k] = 0.0
        for r in range(n):
            z_dot[k] += pull[r] * ZZ[k, r]
            x_dot[k] += pull[r] * XZ[k, r]
        for p in range(indptr[k], indptr[k + 1]):
            total = 0.0
            for r in range(n):
                total += pull[r] * XZ[indices[p], r]
            neighbor_dot[p] = total
    return z_dot, x_dot, neighbor_dot


def _series_fields(problem: Problem, columns: list[Array], sums: SlopeSums | None, curved: bool) -> FarField:
    unit = problem.unit_singles
    adjacency, X = problem.graph.adjacency, problem.graph.features
    indptr, indices = adjacency.indptr, adjacency.indices
    line = TAYLOR if sums is None else sums.line
    near = slope_rest(indptr, indices, unit, line)[0]
    parts, curved_parts = [], []
    for a in columns:
        weights: Singles = a.astype(np.float32)
        moment = second_moment(unit, weights) / np.float32(np.pi)
        along_z = tall_product(unit, moment)
        if curved:
            curved_parts.append(flat_curvature(problem, unit, moment, along_z))
        with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
            total = weights @ unit
        G = _series(unit, weights, total, along_z, indptr, indices, near, line)
        z_dot = problem.lengths * np.einsum("kf,kf->k", unit, G).astype(np.float64)
        parts.append((z_dot, *feature_dots(X, G, indptr, indices)))
    field = _columns(*parts)
    if sums is not None:
        rest = slope_correction(problem, unit, sums, np.stack(columns, axis=1))
        dots = [dense_dots(rest.features, each, indptr, indices) for each in rest.fields]
        own, other = (np.stack(each, axis=1) for each in zip(*dots, strict=True))
        field = FarField(field.z_dot + rest.z_dot, field.x_dot + own, field.neighbor_dot + other)
    return replace(field, curvature=curvature_of_columns(curved_parts, flat=True)) if curved else field


@numba.njit(parallel=True, fastmath=True, cache=True)
def _series(unit, a, total, along_z, indptr, indices, near, line):
    """``Σ_r a_r (s₀ + s₁ c_kr) z_r`` for all r ≠ k, plus the rest of the slope where k and r are neighbors.

    ``total`` holds ``Σ_r a_r z_r``, ``along_z`` ``Σ_r a_r c_kr z_r / π``; ``near`` the rest of each directed edge.
    """
    at_zero, rise = np.float32(line.at_zero), np.float32(line.rise)
    G = np.empty_like(unit)
    for k in numba.prange(len(unit)):
        own, z = G[k], unit[k]
        square = np.float32(0.0)
        for f in range(len(z)):
            square += z[f] * z[f]
        itself = (at_zero + rise * square) * a[k]
        for f in range(len(z)):
            own[f] = np.float32(np.pi) * rise * along_z[k, f] + at_zero * total[f] - itself * z[f]
        for p in range(indptr[k], indptr[k + 1]):
            weight, other = near[p] * a[indices[p]], unit[indices[p]]
            for f in range(len(z)):
                own[f] += weight * other[f]
    return G
