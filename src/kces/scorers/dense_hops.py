"""Inner products between the hops of dense features, one block of columns at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np

from kces.graph import Graph
from kces.progress import Progress, silent
from kces.scorers.centered_features import CenteredFeatures
from kces.scorers.pair_products import HopProducts
from kces.types import Array, Ints

__all__ = ["add_products", "aggregate_rows", "dense_products", "hops_of_columns", "inverse_root_degrees"]


def dense_products(graph: Graph, features: CenteredFeatures, pairs: Ints, progress: Progress = silent) -> HopProducts:
    """Products from whole columns, centered first. Time O((E + P) F), memory O(E + P) beyond a block of columns."""
    everyone = np.arange(graph.n_nodes)
    first, second = (np.ascontiguousarray(end) for end in pairs.T)
    at_nodes, at_pairs = np.zeros((graph.n_nodes, 3, 3)), np.zeros((len(pairs), 3, 3))
    n_blocks = len(features.blocks)
    for done, hops in enumerate(hops_of_columns(graph, features)):
        progress("compare ends of edges", done, n_blocks)
        add_products(hops, everyone, everyone, at_nodes)
        add_products(hops, first, second, at_pairs)
    progress("compare ends of edges", n_blocks, n_blocks)
    return HopProducts.of_rows(at_nodes, at_pairs)


def hops_of_columns(graph: Graph, features: CenteredFeatures) -> Iterator[Array]:
    """(N, 3, width) rows of X, Z and S, block of columns by block, in the same memory: fresh memory is slow."""
    adjacency, scale = graph.adjacency, inverse_root_degrees(graph.degrees)
    memory = np.empty(0)
    for columns in features.blocks:
        width = len(range(*columns.indices(features.n_columns)))
        size = graph.n_nodes * 3 * width
        memory = memory if memory.size >= size else np.empty(size)
        hops = memory[:size].reshape(graph.n_nodes, 3, width)
        features.write_block(columns, hops[:, 0])
        for hop in (1, 2):
            aggregate_rows(adjacency.indptr, adjacency.indices, scale, hops, hop, 0)
        yield hops


def inverse_root_degrees(degrees: Array) -> Array:
    """``D^-1/2``: with it ``T_ij`` is the product of two numbers, and T itself is not needed."""
    return degrees**-0.5


@numba.njit(parallel=True, cache=True)
def aggregate_rows(indptr: Ints, indices: Ints, scale: Array, hops: Array, hop: int, first: int) -> None:
    """Rows of ``T`` times hop ``hop - 1`` into hop ``hop``, for the nodes from ``first`` on whose neighbors are given.

    ``indptr`` and ``indices`` are those of the adjacency, or of some of its rows: a graph on disk goes in parts.
    """
    for row in numba.prange(len(indptr) - 1):
        i = first + row
        own = scale[i] * scale[i]
        for f in range(hops.shape[2]):
            hops[i, hop, f] = own * hops[i, hop - 1, f]
        for p in range(indptr[row], indptr[row + 1]):
            near, weight = hops[indices[p], hop - 1], scale[i] * scale[indices[p]]
            for f in range(len(near)):
                hops[i, hop, f] += weight * near[f]


@numba.njit(parallel=True, cache=True, fastmath={"reassoc", "contract"})
def add_products(hops: Array, first: Ints, second: Ints, products: Array) -> None:
    """Add the nine products of each pair; the order of a sum depends on the number of columns alone."""
    for p in numba.prange(len(first)):
        x, z, s = hops[first[p], 0], hops[first[p], 1], hops[first[p], 2]
        for b in range(3):
            other = hops[second[p], b]
            with_x = with_z = with_s = 0.0
            for f in range(len(other)):
                with_x += x[f] * other[f]
                with_z += z[f] * other[f]
                with_s += s[f] * other[f]
            products[p, 0, b] += with_x
            products[p, 1, b] += with_z
            products[p, 2, b] += with_s
