"""How a moved row feels all other nodes: ``f(z) = Σ_r a_r k(z·z_r)`` around every node, to first and second order.

The gradient of f at z_k is ``G_k = Σ_{r≠k} a_r k'(z_k·z_r) z_r``, its Hessian ``M_k = Σ_r a_r k''(z_k·z_r) z_r z_rᵀ``.
Removing an edge moves row k by ``δ = z'_k − z_k``, a combination of Z_k, X_i and X_j, so an edge needs only inner
products with these: ``Z_k·G_k``, ``X_m·G_k`` for m = k or beside it, and the same for ``δᵀ M_k δ / 2``. The second
order matters where an endpoint has few edges and moves far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import kernel_curvature, kernel_slope
from kces.engines.problem import Array, Problem
from kces.engines.slope_correction import slope_correction
from kces.engines.solve import dense, takes_all_pairs
from kces.engines.triangle import KernelTriangle, Singles
from kces.graph import Features
from kces.progress import Progress, silent

__all__ = ["Curvature", "FarField", "far_field"]


@dataclass(frozen=True, eq=False)
class FarField:
    """Inner products with G, one column per code: at each node with its own z and X, at each directed edge k→m
    (by position in the CSR adjacency) with the neighbour's X."""

    z_dot: Array
    x_dot: Array
    neighbour_dot: Array
    curvature: Curvature | None = None


class Curvature(NamedTuple):
    """Halves of the products with M_k, one column per code: at each node ``Z_k M Z_k``, ``Z_k M X_k``, ``X_k M X_k``;
    at each directed edge k→m ``Z_k M X_m``, ``X_m M X_m``, ``X_k M X_m``.

    With ``flat`` every pair's ``k''`` is taken as 1/π and r = k is counted too: then M is the same for all nodes.
    """

    zz: Array
    zx: Array
    xx: Array
    neighbour_zx: Array
    neighbour_xx: Array
    neighbour_cross: Array
    flat: bool


def far_field(
    problem: Problem,
    a: Array,
    *,
    method: str = "auto",
    triangle: KernelTriangle | None = None,
    curved: bool = False,
    progress: Progress = silent,
) -> FarField:
    """``pairs`` sums over all pairs of nodes, from their inner products (O((E + N) N) time, two N x N matrices);
    ``series`` takes the slope's expansion ``k'(c) ≈ 1/4 + c/π`` for all nodes and the exact slope for neighbours
    (O(N F² + E F) time, O(N F) memory), and with the stored kernel ``triangle`` what the expansion leaves out (O(N²)
    time); ``auto`` chooses by size. ``curved`` adds the second order."""
    if method == "auto":
        method = "pairs" if takes_all_pairs(problem.graph) else "series"
    progress("far field", 0, 1)
    columns = [np.ascontiguousarray(column) for column in a.T]
    if method == "pairs":
        found = _columns(*[_pairs(problem, column) for column in columns])
        if curved:
            parts = [_pair_curvature(problem, column) for column in columns]
            found = replace(found, curvature=_columns_of_curvature(parts, flat=False))
    else:
        found = _series_fields(problem, columns, triangle, curved)
    progress("far field", 1, 1)
    return found


def _columns(*parts: tuple[Array, Array, Array]) -> FarField:
    z_dot, x_dot, neighbour_dot = (np.stack(each, axis=1) for each in zip(*parts, strict=True))
    return FarField(z_dot, x_dot, neighbour_dot)


def _columns_of_curvature(parts: list[tuple[Array, ...]], flat: bool) -> Curvature:
    zz, zx, xx, *at_edges = (np.stack(each, axis=1) for each in zip(*parts, strict=True))
    neighbour_zx, neighbour_xx, neighbour_cross = at_edges
    return Curvature(zz, zx, xx, neighbour_zx, neighbour_xx, neighbour_cross, flat)


def _pairs(problem: Problem, a: Array) -> tuple[Array, Array, Array]:
    adjacency = problem.graph.adjacency
    return _pair_sums(problem.ZZ, problem.XZ, problem.inverse_lengths, a, adjacency.indptr, adjacency.indices)


@numba.njit(parallel=True, fastmath=True, cache=True)
def _pair_sums(ZZ, XZ, inverse_lengths, a, indptr, indices):
    n = len(a)
    z_dot, x_dot, neighbour_dot = np.zeros(n), np.zeros(n), np.zeros(len(indices))
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
            neighbour_dot[p] = total
    return z_dot, x_dot, neighbour_dot


def _pair_curvature(problem: Problem, a: Array) -> tuple[Array, ...]:
    adjacency = problem.graph.adjacency
    return _curved_sums(problem.ZZ, problem.XZ, problem.inverse_lengths, a, adjacency.indptr, adjacency.indices)


@numba.njit(parallel=True, fastmath=True, cache=True)
def _curved_sums(ZZ, XZ, inverse_lengths, a, indptr, indices):
    n = len(a)
    zz, zx, xx = np.zeros(n), np.zeros(n), np.zeros(n)
    edge_zx, edge_xx, edge_cross = np.zeros(len(indices)), np.zeros(len(indices)), np.zeros(len(indices))
    for k in numba.prange(n):
        weight, with_z, with_x = np.empty(n), np.empty(n), np.empty(n)
        for r in range(n):
            c = ZZ[k, r] * inverse_lengths[k] * inverse_lengths[r]
            weight[r] = 0.5 * a[r] * inverse_lengths[r] * inverse_lengths[r] * kernel_curvature(c)
        weight[k] = 0.0
        for r in range(n):
            with_z[r] = weight[r] * ZZ[k, r]
            with_x[r] = weight[r] * XZ[k, r]
            zz[k] += with_z[r] * ZZ[k, r]
            zx[k] += with_z[r] * XZ[k, r]
            xx[k] += with_x[r] * XZ[k, r]
        for p in range(indptr[k], indptr[k + 1]):
            m = indices[p]
            first, second, third = 0.0, 0.0, 0.0
            for r in range(n):
                value = XZ[m, r]
                first += with_z[r] * value
                second += weight[r] * value * value
                third += with_x[r] * value
            edge_zx[p], edge_xx[p], edge_cross[p] = first, second, third
    return zz, zx, xx, edge_zx, edge_xx, edge_cross


def _series_fields(problem: Problem, columns: list[Array], triangle: KernelTriangle | None, curved: bool) -> FarField:
    unit = dense(problem.unit, np.float32)
    adjacency, X = problem.graph.adjacency, problem.graph.features
    indptr, indices = adjacency.indptr, adjacency.indices
    near = sp.csr_array((_slope_rest(indptr, indices, unit), indices, indptr), shape=adjacency.shape)
    parts, curved_parts = [], []
    for a in columns:
        with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
            weighted = a.astype(np.float32)[:, None] * unit
            moment = (weighted.T @ unit) / np.float32(np.pi)
            along_z = unit @ moment
            if curved:
                curved_parts.append(_flat_curvature(problem, unit, moment, along_z))
            G = _series(unit, weighted, along_z, near)
        z_dot = problem.lengths * np.einsum("kf,kf->k", unit, G).astype(np.float64)
        parts.append((z_dot, *_feature_dots(X, G, indptr, indices)))
    field = _columns(*parts)
    if triangle is not None:
        rest = slope_correction(problem, unit, triangle, np.stack(columns, axis=1))
        dots = [_dense_dots(rest.features, each, indptr, indices) for each in rest.fields]
        own, other = (np.stack(each, axis=1) for each in zip(*dots, strict=True))
        field = FarField(field.z_dot + rest.z_dot, field.x_dot + own, field.neighbour_dot + other)
    return replace(field, curvature=_columns_of_curvature(curved_parts, flat=True)) if curved else field


def _series(unit: Singles, weighted: Singles, along_z: Singles, near: sp.csr_array) -> Singles:
    """``Σ_r a_r (1/4 + c_kr/π) z_r`` for all r ≠ k, plus the rest of the slope where k and r are neighbours."""
    squares = (unit * unit).sum(axis=1, keepdims=True)
    G = along_z + 0.25 * weighted.sum(axis=0)
    G += near @ weighted
    G -= (0.25 + squares / np.float32(np.pi)) * weighted
    return G


def _flat_curvature(problem: Problem, unit: Singles, moment: Singles, along_z: Singles) -> tuple[Array, ...]:
    """M = Σ_r a_r z_r z_rᵀ / π for all nodes: two products with it, then inner products along the edges."""
    X, indptr, indices = problem.graph.features, problem.graph.adjacency.indptr, problem.graph.adjacency.indices
    lengths = problem.lengths
    owner = np.repeat(np.arange(len(lengths)), np.diff(indptr))
    zz = 0.5 * lengths**2 * np.einsum("kf,kf->k", unit, along_z).astype(np.float64)
    zx, edge_zx = _feature_dots(X, along_z, indptr, indices)
    along_x = np.ascontiguousarray(X.astype(np.float32) @ moment)
    xx, edge_cross = _feature_dots(X, along_x, indptr, indices)
    return zz, 0.5 * lengths * zx, 0.5 * xx, 0.5 * lengths[owner] * edge_zx, 0.5 * xx[indices], 0.5 * edge_cross


@numba.njit(parallel=True, fastmath=True, cache=True)
def _slope_rest(indptr, indices, unit):
    rest = np.empty(len(indices), dtype=np.float32)
    for k in numba.prange(len(indptr) - 1):
        for p in range(indptr[k], indptr[k + 1]):
            c = 0.0
            for f in range(unit.shape[1]):
                c += unit[k, f] * unit[indices[p], f]
            rest[p] = kernel_slope(c) - 0.25 - c / np.pi
    return rest


def _feature_dots(
    X: Features, G: npt.NDArray[np.float32], indptr: npt.NDArray[np.int32], indices: npt.NDArray[np.int32]
) -> tuple[Array, Array]:
    """``X_k·G_k`` for every node and ``X_m·G_k`` for every directed edge k→m."""
    if sp.issparse(X):
        return _sparse_dots(X.indptr, X.indices, X.data, G, indptr, indices)
    return _dense_dots(X, G, indptr, indices)


@numba.njit(parallel=True, fastmath=True, cache=True)
def _dense_dots(X, G, indptr, indices):
    own = np.zeros(len(G))
    other = np.zeros(len(indices))
    for k in numba.prange(len(G)):
        for f in range(X.shape[1]):
            own[k] += X[k, f] * G[k, f]
        for p in range(indptr[k], indptr[k + 1]):
            m = indices[p]
            total = 0.0
            for f in range(X.shape[1]):
                total += X[m, f] * G[k, f]
            other[p] = total
    return own, other


@numba.njit(parallel=True, fastmath=True, cache=True)
def _sparse_dots(x_indptr, x_indices, x_data, G, indptr, indices):
    own = np.zeros(len(G))
    other = np.zeros(len(indices))
    for k in numba.prange(len(G)):
        for q in range(x_indptr[k], x_indptr[k + 1]):
            own[k] += x_data[q] * G[k, x_indices[q]]
        for p in range(indptr[k], indptr[k + 1]):
            m = indices[p]
            total = 0.0
            for q in range(x_indptr[m], x_indptr[m + 1]):
                total += x_data[q] * G[k, x_indices[q]]
            other[p] = total
    return own, other
