"""Inner products between the hops of a small graph, looked up in Gram matrices of all its nodes.

``⟨T^a X, T^b X⟩ = T^a (X Xᵀ) T^b``: five sparse products with an N x N matrix serve all pairs. Nothing is compiled, so
that a first look at a small graph does not wait for a compiler.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from kces.graph import Graph
from kces.kernel import propagation
from kces.scorers.centered_features import CenteredFeatures
from kces.scorers.pair_products import HopProducts, centered_products, three_hops
from kces.types import Array, Ints, is_sparse

__all__ = ["gram_is_quick", "gram_products"]

_MOST_NODES = 2_048
"""Three matrices of this size take 100 MB."""

_MOST_MULTIPLICATIONS = 2**32
"""In the Gram matrix of the features, about a second of one core."""

_MOST_VISITS = 2**28
"""Of entries of T with the columns of a Gram matrix, about half a second for the five products."""


def gram_is_quick(graph: Graph, features: CenteredFeatures) -> bool:
    """Whether all pairs of nodes are few enough, from the sizes alone.

    >>> from kces.datasets.toys import path
    >>> few, many = (CenteredFeatures(np.ones((40, columns))) for columns in (3, 3_000_000))
    >>> gram_is_quick(path(40), few), gram_is_quick(path(40), many)
    (True, False)
    """
    n = graph.n_nodes
    if n > _MOST_NODES or n * (n + 2 * graph.n_edges) > _MOST_VISITS:
        return False
    if is_sparse(features.matrix):  # its columns are long or short: only pairs that share one are multiplied
        return float((features.entries_per_column.astype(np.float64) ** 2).sum()) <= _MOST_MULTIPLICATIONS
    return n * n * features.n_columns <= _MOST_MULTIPLICATIONS


def gram_products(graph: Graph, features: CenteredFeatures, pairs: Ints) -> HopProducts:
    """Products of the hops at ``pairs``. Time O(N² F + N E), memory O(N²).

    >>> from kces.datasets.toys import path
    >>> found = gram_products(path(3), CenteredFeatures(np.eye(3)), np.array([[0, 2]]))
    >>> found.at_pairs[0].round(3).tolist()  # entries of I, T, T²; T, T², T³; T², T³, T⁴
    [[0.0, 0.0, 0.167], [0.0, 0.167, 0.222], [0.167, 0.222, 0.255]]
    """
    T = propagation(graph)
    first, second = pairs.T
    at_nodes, at_pairs = np.empty((graph.n_nodes, 3, 3)), np.empty((len(pairs), 3, 3))
    for a, b, gram in _hop_grams(T, _feature_gram(features)):
        at_nodes[:, a, b] = at_nodes[:, b, a] = gram.diagonal()
        at_pairs[:, b, a] = gram[second, first]
        at_pairs[:, a, b] = gram[first, second]
    # A row of T^a X is never formed: the rounding is relative to the sum of the lengths that go into it.
    products = HopProducts(at_nodes, three_hops(T, np.sqrt(at_nodes[:, 0, 0])) ** 2, at_pairs)
    if is_sparse(features.matrix):
        products = centered_products(T, features, pairs, products)
    return products.without_rounding()


def _feature_gram(features: CenteredFeatures) -> Array:
    """``(N, N)`` inner products of the rows: as stored if they are sparse, centered if they are dense."""
    if is_sparse(features.matrix):
        rows = sp.csr_array(features.matrix)
        return np.asarray((rows @ rows.T).toarray())
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        return np.asarray(sum(block @ block.T for block in map(features.block, features.blocks)))


def _hop_grams(T: sp.csr_array, gram: Array) -> Iterator[tuple[int, int, Array]]:
    """The six matrices ``T^a G T^b`` with a ≤ b; T is symmetric, so that ``(T A)ᵀ = Aᵀ T``."""
    yield 0, 0, gram
    once = (T @ gram).T
    yield 0, 1, once
    yield 1, 1, T @ once
    twice = (T @ once.T).T
    yield 0, 2, twice
    smoothed = T @ twice
    yield 1, 2, smoothed
    yield 2, 2, T @ smoothed
