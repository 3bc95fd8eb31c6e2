"""The second order of the far field: the Hessian of ``f(z) = Σ_r a_r k(z·z_r)`` at every node, seen along its edges.

``M_k = Σ_r a_r k''(z_k·z_r) z_r z_rᵀ``; a row that moves by δ adds ``δᵀ M_k δ / 2``. It matters where an endpoint has
few edges and moves far.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.edge_dots import feature_dots
from kces.engines.fast_kernel import kernel_curvature
from kces.engines.moments import sparse_product, tall_product
from kces.engines.problem import Problem
from kces.types import Array, Ints, Singles, is_sparse

__all__ = ["Curvature", "curvature_of_columns", "flat_curvature", "pair_curvature", "second_order"]


class Curvature(NamedTuple):
    """Halves of the products with M_k, for codes of c columns.

    Attributes
    ----------
    zz, zx, xx : (N, c), at each node ``Z_k M Z_k``, ``Z_k M X_k``, ``X_k M X_k``.
    neighbor_zx, neighbor_xx, neighbor_cross : (2E, c), at each directed edge k→m ``Z_k M X_m``, ``X_m M X_m``,
        ``X_k M X_m``.
    flat : every pair's ``k''`` is taken as 1/π and r = k is counted too: then M is the same for all nodes.
    """

    zz: Array
    zx: Array
    xx: Array
    neighbor_zx: Array
    neighbor_xx: Array
    neighbor_cross: Array
    flat: bool

    def at_edges(self, order: Ints) -> Curvature:
        """With the directed edges in another order (2E,)."""
        return self._replace(
            neighbor_zx=self.neighbor_zx[order],
            neighbor_xx=self.neighbor_xx[order],
            neighbor_cross=self.neighbor_cross[order],
        )


@numba.njit(cache=True)
def second_order(t, k, at_i, at_j, at_edge, column, curvature, move):
    """``δᵀ M_k δ / 2`` for ``δ = u Z_k + v_i X_i + v_j X_j``, ``move = (u, v_i, v_j)``, where the edge (i, j) goes.

    t = 0 is the row of i itself, t = 1 that of j; ``at_i`` and ``at_j`` say where k→i and k→j stand (-1: k is not a
    neighbor), ``at_edge`` where the edge itself does; a common neighbor takes the cross term of j.
    """
    u, v_i, v_j = move
    total = u * u * curvature.zz[k, column] + 2.0 * v_i * v_j * curvature.neighbor_cross[at_edge, column]
    if t == 0:
        total += 2.0 * u * v_i * curvature.zx[k, column] + v_i * v_i * curvature.xx[k, column]
    elif at_i >= 0:
        total += 2.0 * u * v_i * curvature.neighbor_zx[at_i, column]
        total += v_i * v_i * curvature.neighbor_xx[at_i, column]
    if t == 1:
        total += 2.0 * u * v_j * curvature.zx[k, column] + v_j * v_j * curvature.xx[k, column]
    elif at_j >= 0:
        total += 2.0 * u * v_j * curvature.neighbor_zx[at_j, column]
        total += v_j * v_j * curvature.neighbor_xx[at_j, column]
    return total


def curvature_of_columns(parts: list[tuple[Array, ...]], *, flat: bool) -> Curvature:
    """The parts of each code column, side by side."""
    zz, zx, xx, *at_edges = (np.stack(each, axis=1) for each in zip(*parts, strict=True))
    neighbor_zx, neighbor_xx, neighbor_cross = at_edges
    return Curvature(zz, zx, xx, neighbor_zx, neighbor_xx, neighbor_cross, flat)


def pair_curvature(problem: Problem, a: Array) -> tuple[Array, ...]:
    """From the inner products of all pairs, in O((E + N) N) time."""
    adjacency = problem.graph.adjacency
    return _curved_sums(problem.ZZ, problem.XZ, problem.inverse_lengths, a, adjacency.indptr, adjacency.indices)


@numba.njit(parallel=True, fastmath=True, cache=True, error_model="numpy")
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


def flat_curvature(problem: Problem, unit: Singles, moment: Singles, along_z: Singles) -> tuple[Array, ...]:
    """M = Σ_r a_r z_r z_rᵀ / π for all nodes: two products with it, then inner products along the edges."""
    X, indptr, indices = problem.graph.features, problem.graph.adjacency.indptr, problem.graph.adjacency.indices
    lengths = problem.lengths
    owner = np.repeat(np.arange(len(lengths)), np.diff(indptr))
    zz = 0.5 * lengths**2 * np.einsum("kf,kf->k", unit, along_z).astype(np.float64)
    zx, edge_zx = feature_dots(X, along_z, indptr, indices)
    along_x = sparse_product(X, moment) if is_sparse(X) else tall_product(X.astype(np.float32), moment)
    xx, edge_cross = feature_dots(X, along_x, indptr, indices)
    return zz, 0.5 * lengths * zx, 0.5 * xx, 0.5 * lengths[owner] * edge_zx, 0.5 * xx[indices], 0.5 * edge_cross
