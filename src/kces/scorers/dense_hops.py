"""Inner products between the hops of dense features, one block of columns at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numba
import numpy as np

from kces.graph import Graph
from kces.kernel import propagation
from kces.progress import Progress, silent
from kces.scorers.centred_features import CentredFeatures
from kces.types import Array, Ints

__all__ = ["HopProducts", "dense_products"]


@dataclass(frozen=True)
class HopProducts:
    """Inner products of the rows of X, Z = TX and S = T²X.

    Attributes
    ----------
    at_nodes : (N, 3, 3) of each node that is an end of a pair with itself.
    sizes : (N, 3) squared lengths to which the rounding of the products is relative.
    at_pairs : (P, 3, 3) of the first end's rows with the second end's.
    """

    at_nodes: Array
    sizes: Array
    at_pairs: Array

    def at(self, which: Ints) -> HopProducts:
        """The same at some of the pairs."""
        return replace(self, at_pairs=self.at_pairs[which])


def dense_products(graph: Graph, features: CentredFeatures, pairs: Ints, progress: Progress = silent) -> HopProducts:
    """Products from whole columns, centred first. Time O((E + P) F), memory O(E + P) beyond a block of columns."""
    T = propagation(graph)
    everyone = np.arange(graph.n_nodes)
    first, second = (np.ascontiguousarray(end) for end in pairs.T)
    at_nodes, at_pairs = np.zeros((graph.n_nodes, 3, 3)), np.zeros((len(pairs), 3, 3))
    for done, block in enumerate(features.blocks()):
        progress("compare ends of edges", done, features.n_blocks)
        hops = np.empty((graph.n_nodes, 3, block.shape[1]))
        hops[:, 0] = block
        for hop in (1, 2):
            _aggregate(T.indptr, T.indices, T.data, hops, hop)
        _add_products(hops, everyone, everyone, at_nodes)
        _add_products(hops, first, second, at_pairs)
    progress("compare ends of edges", features.n_blocks, features.n_blocks)
    return HopProducts(at_nodes, np.einsum("naa->na", at_nodes), at_pairs)


@numba.njit(parallel=True, cache=True)
def _aggregate(indptr: Ints, indices: Ints, values: Array, hops: Array, hop: int) -> None:
    for i in numba.prange(len(hops)):
        hops[i, hop] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            row, weight = hops[indices[p], hop - 1], values[p]
            for f in range(len(row)):
                hops[i, hop, f] += weight * row[f]


@numba.njit(parallel=True, cache=True, fastmath={"reassoc", "contract"})
def _add_products(hops: Array, first: Ints, second: Ints, products: Array) -> None:
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
