"""Inner products between the rows of X, Z = TX and S = T²X at nodes and at pairs, by the cheapest of four routes.

A small graph has few pairs of nodes: all of them are taken together (``gram_hops.py``). On larger ones dense features
are multiplied by T one block of columns at a time (``dense_hops.py``). Sparse ones are followed along the stored
entries: source by source where three steps from a node reach little of the graph (``followed_hops.py``),
eight sources at once where they reach most of it (``block_hops.py``); or as dense columns where these are few.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.kernel import propagation
from kces.progress import Progress, silent
from kces.scorers.centered_features import CenteredFeatures
from kces.scorers.gram_hops import gram_is_quick, gram_products
from kces.scorers.pair_products import HopProducts
from kces.scorers.pairs_by_source import PairsBySource, group_pairs, pairs_and_edges
from kces.scorers.sparse_hops import sparse_products, sparse_squares
from kces.types import Array, Ints, is_sparse

__all__ = ["LANE_COST", "VISIT_COST", "Route", "cheapest_route", "hop_products", "smoothed_squares"]

Route: TypeAlias = Literal["dense", "follow", "blocks"]

VISIT_COST = 4.0
"""Time to follow a stored entry or neighbor, relative to one multiplication in a dense column: an estimate, frozen."""
LANE_COST = 0.6
"""Time of one of the eight multiplications that share a visit, on the same scale."""


def hop_products(graph: Graph, features: CenteredFeatures, pairs: Ints, progress: Progress = silent) -> HopProducts:
    """Inner products of the three hops, at the ends of ``pairs``, ``i < j``, and between them.

    >>> import numpy as np
    >>> from kces.datasets.toys import path
    >>> found = hop_products(path(3), CenteredFeatures(np.eye(3)), np.array([[0, 2]]))
    >>> found.at_pairs[0].round(3).tolist()  # entries of I, T, T²; T, T², T³; T², T³, T⁴
    [[0.0, 0.0, 0.167], [0.0, 0.167, 0.222], [0.167, 0.222, 0.255]]
    """
    if gram_is_quick(graph, features):
        return gram_products(graph, features, pairs)
    # Imported here: the loops of the other routes are compiled, and a small graph need not wait for the compiler.
    from kces.scorers.block_hops import products_by_blocks
    from kces.scorers.dense_hops import dense_products
    from kces.scorers.followed_hops import products_by_following

    if not is_sparse(features.matrix):
        return dense_products(graph, features, pairs, progress)
    wanted, which = pairs_and_edges(graph, pairs)
    groups = group_pairs(graph, wanted)
    route = cheapest_route(graph, features, groups, n_pairs=len(pairs))
    if route == "dense":
        return dense_products(graph, features, pairs, progress)
    follow = products_by_following if route == "follow" else products_by_blocks
    return sparse_products(graph, features, wanted, groups, follow, progress).at(which)


def smoothed_squares(graph: Graph, features: CenteredFeatures) -> Array:
    """(N,) squared lengths of the rows of T²X.

    >>> import numpy as np
    >>> from kces.datasets.toys import path
    >>> smoothed_squares(path(2), CenteredFeatures(np.eye(2))).round(3).tolist()
    [0.5, 0.5]
    """
    if not is_sparse(features.matrix) or gram_is_quick(graph, features):
        return hop_products(graph, features, graph.edges[:0]).at_nodes[:, 2, 2]
    from kces.scorers.block_hops import squares_by_blocks
    from kces.scorers.followed_hops import squares_by_following

    entries = features.entries_per_node
    T = propagation(graph)
    followed = VISIT_COST * float((_pattern(T) @ (_pattern(T) @ entries.astype(np.float64))).sum())
    by_blocks = LANE_COST * graph.n_nodes * float(entries.sum())
    return sparse_squares(graph, features, squares_by_following if followed < by_blocks else squares_by_blocks)


def cheapest_route(graph: Graph, features: CenteredFeatures, groups: PairsBySource, *, n_pairs: int) -> Route:
    """The route for sparse features, from the graph, the stored entries and the pairs alone.

    A dense column takes a multiplication for each entry of T, twice, and nine for each node and pair.

    >>> import numpy as np
    >>> from kces.datasets.toys import path
    >>> graph = path(200)
    >>> groups = group_pairs(graph, graph.edges)
    >>> one_hot, full = sp.csr_array(np.eye(200)), sp.csr_array(np.ones((200, 2)))
    >>> [cheapest_route(graph, CenteredFeatures(X), groups, n_pairs=199) for X in (one_hot, full)]
    ['follow', 'dense']
    """
    from kces.scorers.block_hops import block_multiplications
    from kces.scorers.followed_hops import followed_visits

    T, entries = propagation(graph), features.entries_per_node
    column = 2 * (2 * graph.n_edges + graph.n_nodes) + 9 * (graph.n_nodes + n_pairs)
    costs: dict[Route, float] = {
        "follow": VISIT_COST * followed_visits(T, entries, groups),
        "blocks": LANE_COST * block_multiplications(T, entries, features.n_columns, len(groups.sources)),
        "dense": float(column) * features.n_columns,
    }
    return min(costs, key=lambda route: costs[route])


def _pattern(T: sp.csr_array) -> sp.csr_array:
    return sp.csr_array((np.ones(T.nnz), T.indices, T.indptr), shape=T.shape)
