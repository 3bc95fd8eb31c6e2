"""Leading directions of the smoothed features, unit rows of ``T² X``: from a covariance matrix or by iteration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

from kces.graph import Graph
from kces.kernel import propagation
from kces.scorers.centered_features import NOTHING, CenteredFeatures
from kces.scorers.gram_hops import gram_is_quick
from kces.scorers.hop_products import smoothed_squares
from kces.types import Array

__all__ = [
    "covariance_is_cheaper",
    "inverse_lengths",
    "leading_by_covariance",
    "leading_by_iteration",
    "leading_eigenvectors",
]

_COVARIANCE_COLUMNS = 512
_COVARIANCE_ENTRIES = 2**28
"""Of the smoothed rows, 2 GB: beyond, a hundred passes over features and graph cost less than the memory."""


def covariance_is_cheaper(n_nodes: int, n_columns: int) -> bool:
    """Few columns, whose smoothed rows fit into 2 GB: a pass in place of a hundred.

    >>> [covariance_is_cheaper(*sizes) for sizes in ((20_000, 500), (20_000, 5_000), (1_000, 64), (10**7, 64))]
    [True, False, True, False]
    """
    return n_columns <= _COVARIANCE_COLUMNS and n_nodes * n_columns <= _COVARIANCE_ENTRIES


def leading_by_covariance(graph: Graph, features: CenteredFeatures, rank: int, seed: int) -> Array:
    """(F, rank) leading eigenvectors of the covariance of the smoothed rows; the seed plays no part."""
    smoothed = np.empty((graph.n_nodes, features.n_columns))
    for columns, block in zip(features.blocks, _smoothed_blocks(graph, features), strict=True):
        smoothed[:, columns] = block
    smoothed *= inverse_lengths(np.einsum("nf,nf->n", smoothed, smoothed))[:, None]
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        return leading_eigenvectors(smoothed.T @ smoothed, rank)


def leading_eigenvectors(covariance: Array, rank: int) -> Array:
    """(F, rank) of a symmetric matrix, those of the largest eigenvalues; one thread, for the sake of the rounding.

    >>> np.abs(leading_eigenvectors(np.diag([1.0, 3.0, 2.0]), 2)).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    with threadpool_limits(1, user_api="blas"):
        return np.linalg.eigh(covariance)[1][:, -rank:]


def leading_by_iteration(graph: Graph, features: CenteredFeatures, rank: int, seed: int) -> Array:
    """(F, rank) leading right singular vectors of the smoothed rows, which are never formed."""
    from scipy.sparse.linalg import LinearOperator, svds  # here: few columns do not need it, and it loads slowly

    T = propagation(graph)
    inverse = inverse_lengths(smoothed_squares(graph, features))
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


def _smoothed_blocks(graph: Graph, features: CenteredFeatures) -> Iterator[Array]:
    """Columns of ``T² X``, block by block; those of a small graph without compiled loops."""
    if gram_is_quick(graph, features):
        T = propagation(graph)
        return (T @ (T @ features.block(columns)) for columns in features.blocks)
    from kces.scorers.dense_hops import hops_of_columns

    return (hops[:, 2] for hops in hops_of_columns(graph, features))


def inverse_lengths(squares: Array) -> Array:
    return np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > NOTHING**2)
