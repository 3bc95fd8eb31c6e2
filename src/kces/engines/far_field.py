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

from kces.engines.fast_kernel import kernel_slope
from kces.engines.problem import Array, Problem
from kces.engines.solve import dense
from kces.graph import Features, Graph
from kces.progress import Progress, silent

__all__ = ["FarField", "far_field"]

STREAM_LIMIT = 8_192
"""Above it the sum over all pairs of nodes costs more than the solve, and the series loses next to nothing."""
_TILE = 1_024


@dataclass(frozen=True, eq=False)
class FarField:
    """Inner products with G, one column per code: at each node with its own z and X, at each directed edge k→m
    (by position in the CSR adjacency) with the neighbour's X."""

    z_dot: Array
    x_dot: Array
    neighbour_dot: Array


def far_field(problem: Problem, a: Array, *, method: str = "auto", progress: Progress = silent) -> FarField:
    """``stream`` sums over all pairs of nodes, in tiles (O(N² F) time, O(N F) memory); ``series`` takes the slope's
    expansion ``k'(c) ≈ 1/4 + c/π`` for all nodes, exact for neighbours (O(N F² + E F)); ``auto`` chooses by size."""
    n = problem.graph.n_nodes
    if method == "auto":
        method = "stream" if n <= STREAM_LIMIT else "series"
    unit = dense(problem.unit, np.float32)
    parts = []
    for column in range(a.shape[1]):
        progress("far field", column, a.shape[1])
        values = a[:, column]
        G = _stream(unit, values) if method == "stream" else _series(problem.graph, unit, values)
        parts.append(_inner_products(problem, unit, G))
        progress("far field", column + 1, a.shape[1])
    return FarField(*(np.stack([part[which] for part in parts], axis=1) for which in range(3)))


def _stream(unit: npt.NDArray[np.float32], a: Array) -> npt.NDArray[np.float32]:
    n = len(unit)
    weights = a.astype(np.float32)
    G = np.zeros_like(unit)
    for start in range(0, n, _TILE):
        stop = min(start + _TILE, n)
        # Slopes are symmetric: a tile left of the diagonal serves its rows and its columns.
        tile = unit[start:stop] @ unit[:stop].T
        _slope_in_place(tile, start)
        G[start:stop] += tile @ (weights[:stop, None] * unit[:stop])
        G[:start] += tile[:, :start].T @ (weights[start:stop, None] * unit[start:stop])
    return G


@numba.njit(parallel=True, fastmath=True, cache=True)
def _slope_in_place(tile, start):
    for p in numba.prange(tile.shape[0]):
        for q in range(tile.shape[1]):
            tile[p, q] = kernel_slope(tile[p, q])
        tile[p, start + p] = 0.0


def _series(graph: Graph, unit: npt.NDArray[np.float32], a: Array) -> npt.NDArray[np.float32]:
    """``Σ_r a_r (1/4 + c_kr/π) z_r`` for all r ≠ k, plus the rest of the slope where k and r are neighbours."""
    weighted = a.astype(np.float32)[:, None] * unit
    moment = (weighted.T @ unit) / np.float32(np.pi)
    G = unit @ moment.T + 0.25 * weighted.sum(axis=0)
    squares = (unit * unit).sum(axis=1, keepdims=True)
    G -= (0.25 + squares / np.float32(np.pi)) * weighted
    indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
    correction = _slope_rest(indptr, indices, unit)
    G += sp.csr_array((correction, indices, indptr), shape=graph.adjacency.shape) @ weighted
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


def _inner_products(
    problem: Problem, unit: npt.NDArray[np.float32], G: npt.NDArray[np.float32]
) -> tuple[Array, Array, Array]:
    adjacency = problem.graph.adjacency
    z_dot = problem.lengths * np.einsum("kf,kf->k", unit, G).astype(np.float64)
    x_dot, neighbour_dot = _feature_dots(problem.graph.features, G, adjacency.indptr, adjacency.indices)
    return z_dot, x_dot, neighbour_dot


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
