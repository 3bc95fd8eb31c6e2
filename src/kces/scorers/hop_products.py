"""Inner products between the rows of X, Z = TX and S = T²X at nodes and at pairs, by the cheaper of two routes.

Dense features are multiplied by T one block of columns at a time (``dense_hops.py``). Sparse ones are followed along
the stored entries (``sparse_hops.py``) unless the neighborhoods are so wide that whole columns cost less.
"""

from __future__ import annotations

from kces.graph import Graph
from kces.kernel import propagation
from kces.progress import Progress, silent
from kces.scorers.centred_features import CentredFeatures
from kces.scorers.dense_hops import HopProducts, dense_products
from kces.scorers.pairs_by_source import PairsBySource, group_pairs, pairs_and_edges
from kces.scorers.sparse_hops import sparse_products, sparse_visits
from kces.types import Array, Ints, is_sparse

__all__ = ["VISIT_COST", "hop_products", "smoothed_squares", "sparse_is_cheaper"]

VISIT_COST = 4.0
"""Time to follow a stored entry or neighbor, relative to one multiplication in a dense column: an estimate, frozen."""


def hop_products(graph: Graph, features: CentredFeatures, pairs: Ints, progress: Progress = silent) -> HopProducts:
    """Inner products of the three hops, at the ends of ``pairs``, ``i < j``, and between them.

    >>> import numpy as np
    >>> from kces.datasets.toys import path
    >>> found = hop_products(path(3), CentredFeatures(np.eye(3)), np.array([[0, 2]]))
    >>> found.at_pairs[0].round(3).tolist()  # entries of I, T, T²; T, T², T³; T², T³, T⁴
    [[0.0, 0.0, 0.167], [0.0, 0.167, 0.222], [0.167, 0.222, 0.255]]
    """
    if not is_sparse(features.matrix):
        return dense_products(graph, features, pairs, progress)
    wanted, which = pairs_and_edges(graph, pairs)
    groups = group_pairs(graph, wanted)
    if not sparse_is_cheaper(graph, features, groups, n_pairs=len(pairs)):
        return dense_products(graph, features, pairs, progress)
    return sparse_products(graph, features, wanted, groups, progress).at(which)


def smoothed_squares(graph: Graph, features: CentredFeatures) -> Array:
    """(N,) squared lengths of the rows of T²X.

    >>> import numpy as np
    >>> from kces.datasets.toys import path
    >>> smoothed_squares(path(2), CentredFeatures(np.eye(2))).round(3).tolist()
    [0.5, 0.5]
    """
    pairs = graph.edges if is_sparse(features.matrix) else graph.edges[:0]
    return hop_products(graph, features, pairs).at_nodes[:, 2, 2]


def sparse_is_cheaper(graph: Graph, features: CentredFeatures, groups: PairsBySource, *, n_pairs: int) -> bool:
    """Whether sparse rows cost less than dense columns, from the graph, the stored entries and the pairs alone.

    A dense column takes a multiplication for each entry of T, twice, and nine for each node and pair.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from kces.datasets.toys import path
    >>> graph = path(40)
    >>> groups = group_pairs(graph, graph.edges)
    >>> one_hot, full = sp.csr_array(np.eye(40)), sp.csr_array(np.ones((40, 2)))
    >>> [sparse_is_cheaper(graph, CentredFeatures(X), groups, n_pairs=39) for X in (one_hot, full)]
    [True, False]
    """
    visits = sparse_visits(propagation(graph), features.entries_per_node, groups)
    column = 2 * (2 * graph.n_edges + graph.n_nodes) + 9 * (graph.n_nodes + n_pairs)
    return VISIT_COST * visits < float(column) * features.n_columns
