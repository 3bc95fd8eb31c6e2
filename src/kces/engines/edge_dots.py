"""Inner products of features with a vector per node, along the edges: of each node's own row and of its neighbors'."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from kces.engines.inner import sparse_rows
from kces.types import Array, Features, is_sparse

__all__ = ["dense_dots", "feature_dots"]


def feature_dots(
    X: Features, G: npt.NDArray[np.float32], indptr: npt.NDArray[np.int32], indices: npt.NDArray[np.int32]
) -> tuple[Array, Array]:
    """``X_k·G_k`` for every node, (N,), and ``X_m·G_k`` for every directed edge k→m, (2E,)."""
    if is_sparse(X):
        return _sparse_dots(sparse_rows(X), G, indptr, indices)
    return dense_dots(X, G, indptr, indices)


@numba.njit(parallel=True, fastmath=True, cache=True)
def dense_dots(X, G, indptr, indices):
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
def _sparse_dots(X, G, indptr, indices):
    own = np.zeros(len(G))
    other = np.zeros(len(indices))
    for k in numba.prange(len(G)):
        for q in range(X.indptr[k], X.indptr[k + 1]):
            own[k] += X.data[q] * G[k, X.indices[q]]
        for p in range(indptr[k], indptr[k + 1]):
            m = indices[p]
            total = 0.0
            for q in range(X.indptr[m], X.indptr[m + 1]):
                total += X.data[q] * G[k, X.indices[q]]
            other[p] = total
    return own, other
