"""Leading directions of the smoothed features, unit rows of ``T² X``: from a covariance matrix or by iteration."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator, svds
from threadpoolctl import threadpool_limits

from kces.graph import Graph
from kces.kernel import propagation
from kces.scorers.centred_features import NOTHING, CentredFeatures
from kces.scorers.hop_products import smoothed_squares
from kces.types import Array

__all__ = ["covariance_is_cheaper", "leading_by_covariance", "leading_by_iteration"]

_COVARIANCE_COLUMNS = 512
_COVARIANCE_ENTRIES = 2**25
_ITERATION_NODES = 4_096


def covariance_is_cheaper(n_nodes: int, n_columns: int) -> bool:
    """Many nodes with few columns, whose smoothed rows fit into 256 MB; small graphs are iterated in an instant.

    >>> [covariance_is_cheaper(*sizes) for sizes in ((20_000, 500), (20_000, 5_000), (1_000, 64), (10**6, 64))]
    [True, False, False, False]
    """
    few = n_columns <= _COVARIANCE_COLUMNS and n_nodes * n_columns <= _COVARIANCE_ENTRIES
    return few and n_nodes >= _ITERATION_NODES


def leading_by_covariance(graph: Graph, features: CentredFeatures, rank: int, seed: int) -> Array:
    """(F, rank) leading eigenvectors of the covariance of the smoothed rows; the seed plays no part."""
    T = propagation(graph)
    smoothed = np.hstack([T @ (T @ block) for block in features.blocks()])
    smoothed *= _inverse_lengths(np.einsum("nf,nf->n", smoothed, smoothed))[:, None]
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        covariance = smoothed.T @ smoothed
        n = len(covariance)
        return scipy.linalg.eigh(covariance, subset_by_index=(n - rank, n - 1))[1]


def leading_by_iteration(graph: Graph, features: CentredFeatures, rank: int, seed: int) -> Array:
    """(F, rank) leading right singular vectors of the smoothed rows, which are never formed."""
    T = propagation(graph)
    inverse = _inverse_lengths(smoothed_squares(graph, features))
    shape = (graph.n_nodes, features.n_columns)
    if not inverse.any():  # constant features: nothing to choose from
        return np.eye(features.n_columns)
    smoothed = LinearOperator(
        shape,
        matvec=lambda v: inverse * (T @ (T @ features.times(v.reshape(-1, 1)).ravel())),
        rmatvec=lambda v: features.transposed_times((T @ (T @ (inverse * v.ravel()))).reshape(-1, 1)).ravel(),
        dtype=np.float64,
    )
    start = np.random.default_rng(seed).standard_normal(min(shape))
    with threadpool_limits(1, user_api="blas"):  # products with single vectors: threads would only wait for each other
        directions = svds(smoothed, k=rank, v0=start, return_singular_vectors="vh")[2]
    return np.asarray(directions.T)


def _inverse_lengths(squares: Array) -> Array:
    return np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > NOTHING**2)
