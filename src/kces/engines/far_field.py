"""The gradient of ``f(z) = Σ_r a_r k(z·z_r)`` at every node: how a moved row feels all other nodes.

``G_k = Σ_{r≠k} a_r k'(z_k·z_r) z_r``. Removing an edge moves row k by ``z'_k − z_k``, a combination of Z_k, X_i and
X_j, so an edge needs only the inner products of G_k with these: ``Z_k·G_k``, and ``X_m·G_k`` for m = k or beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import kernel_slope
from kces.engines.problem import Array, Problem
from kces.engines.slope_correction import slope_correction
from kces.engines.solve import dense, takes_all_pairs
from kces.engines.triangle import KernelTriangle
from kces.graph import Features
from kces.progress import Progress, silent

__all__ = ["FarField", "far_field"]


@dataclass(frozen=True, eq=False)
class FarField:
    """Inner products with G, one column per code: at each node with its own z and X, at each directed edge k→m
    (by position in the CSR adjacency) with the neighbour's X."""

    z_dot: Array
    x_dot: Array
    neighbour_dot: Array


def far_field(
    problem: Problem,
    a: Array,
    *,
    method: str = "auto",
    triangle: KernelTriangle | None = None,
    progress: Progress = silent,
) -> FarField:
    """``pairs`` sums over all pairs of nodes, from their inner products (O((E + N) N) time, two N x N matrices);
    ``series`` takes the slope's expansion ``k'(c) ≈ 1/4 + c/π`` for all nodes and the exact slope for neighbours
    (O(N F² + E F) time, O(N F) memory), and with the stored kernel ``triangle`` what the expansion leaves out (O(N²)
    time); ``auto`` chooses by size."""
    if method == "auto":
        method = "pairs" if takes_all_pairs(problem.graph) else "series"
    progress("far field", 0, 1)
    columns = [np.ascontiguousarray(column) for column in a.T]
    if method == "pairs":
        found = _columns(*[_pairs(problem, column) for column in columns])
    else:
        found = _series_fields(problem, columns, triangle)
    progress("far field", 1, 1)
    return found


def _columns(*parts: tuple[Array, Array, Array]) -> FarField:
    return FarField(*(np.stack(each, axis=1) for each in zip(*parts, strict=True)))


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


def _series_fields(problem: Problem, columns: list[Array], triangle: KernelTriangle | None) -> FarField:
    unit = dense(problem.unit, np.float32)
    adjacency = problem.graph.adjacency
    indptr, indices = adjacency.indptr, adjacency.indices
    near = sp.csr_array((_slope_rest(indptr, indices, unit), indices, indptr), shape=adjacency.shape)
    parts = []
    for a in columns:
        with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
            G = _series(unit, a, near)
        z_dot = problem.lengths * np.einsum("kf,kf->k", unit, G).astype(np.float64)
        parts.append((z_dot, *_feature_dots(problem.graph.features, G, indptr, indices)))
    series = _columns(*parts)
    if triangle is None:
        return series
    rest = slope_correction(problem, unit, triangle, np.stack(columns, axis=1))
    dots = [_dense_dots(rest.features, field, indptr, indices) for field in rest.fields]
    own, other = (np.stack(each, axis=1) for each in zip(*dots, strict=True))
    return FarField(series.z_dot + rest.z_dot, series.x_dot + own, series.neighbour_dot + other)


def _series(unit: npt.NDArray[np.float32], a: Array, near: sp.csr_array) -> npt.NDArray[np.float32]:
    """``Σ_r a_r (1/4 + c_kr/π) z_r`` for all r ≠ k, plus the rest of the slope where k and r are neighbours."""
    weighted = a.astype(np.float32)[:, None] * unit
    moment = (weighted.T @ unit) / np.float32(np.pi)
    G = unit @ moment.T + 0.25 * weighted.sum(axis=0)
    squares = (unit * unit).sum(axis=1, keepdims=True)
    G -= (0.25 + squares / np.float32(np.pi)) * weighted
    G += near @ weighted
    return G


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
