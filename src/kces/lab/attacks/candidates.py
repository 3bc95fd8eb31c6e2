"""Which node pairs a relaxed attack may flip: all of them, or a random block that is renewed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.graph import Graph, edge_keys, key_edges
from kces.lab.attacks.surrogate import FloatArray

__all__ = ["Candidates"]


class Candidates:
    """The searched pairs ``i < j`` with the direction a flip moves each: +1 adds an edge, −1 removes one."""

    def __init__(self, graph: Graph, block_size: int | None, rng: np.random.Generator) -> None:
        self._graph = graph
        self._edges = edge_keys(graph.edges, graph.n_nodes)
        n_pairs = graph.n_nodes * (graph.n_nodes - 1) // 2
        self.complete = block_size is None or block_size >= n_pairs
        self._size = n_pairs if block_size is None else min(block_size, n_pairs)
        if self.complete:
            rows, columns = np.triu_indices(graph.n_nodes, k=1)
            self.search(edge_keys(np.stack([rows, columns], axis=1), graph.n_nodes))
        else:
            self.search(np.unique(self._draw(self._size, rng)))

    def search(self, keys: npt.NDArray[np.int64]) -> None:
        """Make these pairs, ``i * N + j`` in increasing order, the candidates."""
        self.keys = keys
        self.pairs = key_edges(keys, self._graph.n_nodes)
        self.direction = np.where(np.isin(keys, self._edges), -1, 1).astype(np.float32)

    def _draw(self, count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        ends = np.sort(rng.integers(0, self._graph.n_nodes, size=(count, 2)), axis=1)
        return edge_keys(ends[ends[:, 0] != ends[:, 1]], self._graph.n_nodes)

    def perturbed(self, weights: FloatArray) -> sp.csr_array:
        """The adjacency with each candidate moved by its weight towards being flipped."""
        moved = np.flatnonzero(weights)
        rows, columns = self.pairs[moved].T
        values = self.direction[moved] * weights[moved]
        shape = self._graph.adjacency.shape
        change = sp.csr_array((values, (rows, columns)), shape=shape)
        return sp.csr_array(self._graph.adjacency + change + change.T)

    def renew(self, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw the useless part of the block anew, at least half of it, and return the weights that go with it."""
        if self.complete:
            return weights
        kept = np.flatnonzero(weights > 0)
        if len(kept) > self._size // 2:
            kept = kept[np.argsort(-weights[kept], kind="stable")[: self._size // 2]]
        old = self.keys[kept]
        keys = np.union1d(old, self._draw(self._size - len(old), rng))
        renewed = np.zeros(len(keys), dtype=weights.dtype)
        renewed[np.searchsorted(keys, old)] = weights[kept]
        self.search(keys)
        return renewed
