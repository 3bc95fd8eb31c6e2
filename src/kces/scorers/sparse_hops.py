"""Inner products between the hops of sparse features, from the stored entries: no row of T²X is kept.

The work is done source by source (``followed_hops.py``) or for eight sources at once (``block_hops.py``). Centering
is a rank-one correction. What is left of a row that the mean cancels to rounding is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.kernel import propagation
from kces.progress import Progress, silent
from kces.scorers.centered_features import NOTHING, CenteredFeatures
from kces.scorers.pair_products import HopProducts, centered_products
from kces.scorers.pairs_by_source import PairsBySource
from kces.types import Array, Ints

__all__ = ["SparseRoute", "SquaresRoute", "sparse_products", "sparse_squares"]

SparseRoute: TypeAlias = Callable[[sp.csr_array, sp.csr_array, PairsBySource, Progress], Array]
"""From T, X and grouped pairs to their (P, 3, 3) uncentered products."""
SquaresRoute: TypeAlias = Callable[[sp.csr_array, sp.csr_array], Array]
"""From T and X to the (N,) uncentered squared lengths of the rows of T²X."""


def sparse_products(
    graph: Graph,
    features: CenteredFeatures,
    pairs: Ints,
    groups: PairsBySource,
    route: SparseRoute,
    progress: Progress = silent,
) -> HopProducts:
    """Products from the stored entries.

    Parameters
    ----------
    graph, features : sparse features.
    pairs : (P, 2) without repeats; all edges at an end of a pair are among them, products at nodes follow from those.
    groups : the same pairs by source.
    route : how the uncentered products are made.
    progress : told about each part of the sources.
    """
    T, X = propagation(graph), sp.csr_array(features.without_empty_columns().matrix)
    at_pairs = _in_order(route(T, X, groups, progress), groups)
    products = HopProducts.of_rows(_at_nodes(T, X, pairs, at_pairs), at_pairs)
    return centered_products(T, features, pairs, products).without_rounding()


def sparse_squares(graph: Graph, features: CenteredFeatures, route: SquaresRoute) -> Array:
    """(N,) squared lengths of the centered rows of T²X."""
    T, X = propagation(graph), sp.csr_array(features.without_empty_columns().matrix)
    plain = route(T, X)
    along = T @ (T @ (features.matrix @ features.mean))
    mass = T @ (T @ features.present)
    square = float(features.mean @ features.mean)
    centered = plain - mass * (2.0 * along - square * mass)
    return np.where(centered > NOTHING * (plain + square * mass**2), centered, 0.0)


def _in_order(found: Array, groups: PairsBySource) -> Array:
    """Products in the order of the pairs, each pair the right way round."""
    ordered = np.empty_like(found)
    ordered[groups.order] = found
    ordered[groups.swapped] = ordered[groups.swapped].transpose(0, 2, 1)
    return ordered


def _at_nodes(T: sp.csr_array, X: sp.csr_array, pairs: Ints, at_pairs: Array) -> Array:
    """``⟨·, Z_i⟩ = Σ_l T_il ⟨·, X_l⟩`` and ``⟨·, S_i⟩ = Σ_l T_il ⟨·, Z_l⟩``, over the edges of i and i itself."""
    n = T.shape[0]
    first, second = pairs.T
    step = np.where(first < second, np.asarray(T[first, second]).ravel(), 0.0)
    own = T.diagonal()
    nodes = np.zeros((n, 3, 3))
    nodes[:, 0, 0] = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    for a, b in ((0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        forth, back = step * at_pairs[:, a, b - 1], step * at_pairs[:, b - 1, a]
        others = np.bincount(first, forth, n) + np.bincount(second, back, n)
        nodes[:, a, b] = nodes[:, b, a] = own * nodes[:, a, b - 1] + others
    return nodes
