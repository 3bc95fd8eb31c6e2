"""Random pairs of nodes of a graph on disk: those that ``kces.node_pairs`` draws in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kces.canonical_order import order_of
from kces.node_pairs import RANDOM_PAIRS, drawn_pairs
from kces.scale.graph_folder import GraphFolder
from kces.types import Array, Ints, Words

__all__ = ["rows_by_links", "unlinked_pairs_on_disk"]

_LINKS = 2**22
_ENTRIES = 2**22


def unlinked_pairs_on_disk(folder: GraphFolder, generator: np.random.Generator, size: int = RANDOM_PAIRS) -> Ints:
    """At most ``size`` pairs that are not edges, each end drawn in proportion to its degree.

    Parameters
    ----------
    folder : the graph.
    generator : of the draws.
    size : how many are drawn.
    """
    drawn = drawn_pairs(order_of(_OnDisk(folder)), np.diff(folder.indptr), generator, size)
    return drawn[~folder.are_edges(drawn)]


def rows_by_links(indptr: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of nodes that have at most so many links together, or are one node.

    >>> list(rows_by_links(np.array([0, 2, 3, 9, 10]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    start, n_nodes = 0, len(indptr) - 1
    while start < n_nodes:
        stop = int(np.searchsorted(indptr, indptr[start] + most, side="right")) - 1
        stop = min(max(stop, start + 1), n_nodes)
        yield start, stop
        start = stop


@dataclass(frozen=True, eq=False)
class _OnDisk:
    """The surroundings of nodes, from some rows at a time."""

    folder: GraphFolder

    @property
    def links(self) -> Ints:
        return np.diff(self.folder.indptr)

    def sums_around(self, words: Words) -> Words:
        indptr, found = self.folder.indptr, np.empty_like(words)
        for start, stop in rows_by_links(indptr, _LINKS):
            around = np.cumsum(words[self.folder.indices[indptr[start] : indptr[stop]]])
            up_to = np.concatenate([np.zeros(1, np.uint64), around])[indptr[start : stop + 1] - indptr[start]]
            found[start:stop] = np.diff(up_to)
        return found

    def shares_around(self, values: Array) -> Array:
        indptr, n_nodes = self.folder.indptr, self.folder.n_nodes
        found = np.empty(n_nodes)
        for start, stop in rows_by_links(indptr, _LINKS):
            near = self.folder.indices[indptr[start] : indptr[stop]]
            parts = (np.ones(len(near)), near, indptr[start : stop + 1] - indptr[start])
            found[start:stop] = sp.csr_array(parts, shape=(stop - start, n_nodes)) @ values
        return found / self.folder.degrees

    def of_nodes(self, columns: Array) -> Array:
        return np.concatenate([rows @ columns for _, rows in self._rows()])

    def of_columns(self, nodes: Array) -> Array:
        return np.sum([rows.T @ nodes[start : start + len(rows)] for start, rows in self._rows()], axis=0)

    def _rows(self) -> Iterator[tuple[int, Array]]:
        size = max(256, _ENTRIES // self.folder.n_features)
        return ((start, self.folder.rows(start, start + size)) for start in range(0, self.folder.n_nodes, size))

    def agreement_with_neighbors(self) -> Array:
        """The rows of X times those of A X, block of columns by block: what is in memory is one block."""
        indptr, n_nodes = self.folder.indptr, self.folder.n_nodes
        found = np.zeros(n_nodes)
        for columns in self.folder.manifest.column_blocks:
            block = self.folder.rows(0, n_nodes, columns)
            for start, stop in rows_by_links(indptr, _LINKS):
                near = self.folder.indices[indptr[start] : indptr[stop]]
                parts = (np.ones(len(near)), near, indptr[start : stop + 1] - indptr[start])
                around = sp.csr_array(parts, shape=(stop - start, n_nodes)) @ block
                found[start:stop] += np.einsum("nf,nf->n", block[start:stop], around)
        return found
