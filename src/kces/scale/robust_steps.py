"""The steps of the robust score over a graph folder: each a function of shared state and the number of an item.

The formulas are those of the scorer in memory (``kces.scorers``), taken over rows, blocks of columns and chunks of
edges:

1. ``presence`` and ``lengths``: two passes over the rows, for weights, means and lengths of the features;
2. ``hops``: X, Z = TX and S = T²X of a block of columns, written to the run folder;
3. ``nodes``: products of the hops at every node, and the covariance of the smoothed rows;
4. the same of the leading directions (``pattern-hops``, ``pattern-nodes``);
5. ``views``: products of the hops at a chunk of pairs, and from them the cosines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from kces.scale.centered_rows import CenteredRows, column_presence, rarity_of, weighted_sums
from kces.scale.drawn_pairs import rows_by_links
from kces.scale.graph_folder import GraphFolder
from kces.scale.hops_in_memory import held_hops, read_hops
from kces.scale.robust_layout import RobustLayout
from kces.scale.run_folder import RunFolder
from kces.scorers.centered_features import chunks
from kces.scorers.dense_hops import add_products, aggregate_rows, inverse_root_degrees
from kces.scorers.leading_directions import inverse_lengths
from kces.scorers.link_cosines import HOPS, cosines_from_products
from kces.threads import thread_count
from kces.types import Array, Ints, Values

__all__ = ["FEATURES", "PATTERNS", "RobustState", "Space", "edge_chunk", "row_range"]

Results: TypeAlias = Mapping[str, Values]

_MAPPED_ROWS = 2**20
_LINKS_AT_ONCE = 2**24


@dataclass(frozen=True)
class Space:
    """One of the spaces in which ends are compared: its name, columns, and how many are made at once."""

    name: str
    n_columns: int
    width: int

    @property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        return tuple((first, min(first + self.width, self.n_columns)) for first in range(0, self.n_columns, self.width))

    @property
    def hops(self) -> str:
        """The stage that makes its hops."""
        return f"{self.name}-hops"

    @property
    def nodes(self) -> str:
        """The stage that makes its products at nodes."""
        return f"{self.name}-nodes"


FEATURES = "features"
PATTERNS = "patterns"


@dataclass(frozen=True)
class RobustState:
    """What all steps share: where things are and how they are parted. Small; what is large is read from there.

    Attributes
    ----------
    graph : the folder, or its address in an object store; every process opens it itself.
    run : the run folder.
    layout : sizes of the parts.
    spaces : those that are compared in.
    void : columns of the views that say nothing, where features alone cannot tell nodes apart.
    """

    graph: str
    run: Path
    layout: RobustLayout
    spaces: tuple[Space, ...] = ()
    void: tuple[int, ...] = ()

    @property
    def folder(self) -> GraphFolder:
        return _opened(self.graph)

    @property
    def results(self) -> RunFolder:
        return RunFolder(self.run)

    def space(self, name: str) -> Space:
        return next(space for space in self.spaces if space.name == name)

    @property
    def rarity(self) -> Array:
        counts = sum(self.results.load("presence", item, "counts") for item in range(self.layout.row_items))
        return rarity_of(int(self.folder.is_linked.sum()), np.asarray(counts))

    @property
    def inverse(self) -> Array:
        """(N,) one over the length of each weighted row; 0 for a node without features."""
        items = range(self.layout.row_items)
        return np.concatenate([self.results.load("lengths", item, "inverse") for item in items])

    def centered(self) -> CenteredRows:
        """The centered features, from the two passes over the rows; those of nodes without a link are zero."""
        sums = [self.results.load("lengths", item, "sums") for item in range(self.layout.row_items)]
        inverse = np.where(self.folder.is_linked, self.inverse, 0.0)
        total: Array = np.sum(sums, axis=0)
        return CenteredRows(self.folder, self.rarity, total / max(int((inverse > 0).sum()), 1), inverse)


@lru_cache(maxsize=4)
def _opened(path: str) -> GraphFolder:
    return GraphFolder.open(path)


def row_range(n_nodes: int, item: int, items: int) -> tuple[int, int]:
    """The nodes of one of the parts.

    >>> [row_range(10, item, 3) for item in range(3)]
    [(0, 3), (3, 6), (6, 10)]
    """
    return item * n_nodes // items, (item + 1) * n_nodes // items


def edge_chunk(n_edges: int, item: int, chunk: int) -> tuple[int, int]:
    """The edges of one of the chunks.

    >>> [edge_chunk(5, item, 2) for item in range(3)]
    [(0, 2), (2, 4), (4, 5)]
    """
    return item * chunk, min((item + 1) * chunk, n_edges)


def _rows_of(state: RobustState, item: int) -> list[tuple[int, int]]:
    start, stop = row_range(state.folder.n_nodes, item, state.layout.row_items)
    return [(first, min(first + state.layout.rows, stop)) for first in range(start, stop, state.layout.rows)]


# -- features ---------------------------------------------------------------------------------------


def presence(state: RobustState, item: int) -> Results:
    """In how many rows of a part each column is not zero; rows of nodes without a link have no say."""
    counts, ordinary = np.zeros(state.folder.n_features), True
    for start, stop in _rows_of(state, item):
        found, safe = column_presence(state.folder.rows(start, stop), state.folder.is_linked[start:stop])
        counts += found
        ordinary &= safe
    return {"counts": counts, "ordinary": np.array([ordinary])}


def lengths(state: RobustState, item: int) -> Results:
    """Lengths of the weighted rows of a part, and the sum of its unit rows."""
    rarity, sums, inverse = state.rarity, np.zeros(state.folder.n_features), []
    for start, stop in _rows_of(state, item):
        total, found = weighted_sums(state.folder.rows(start, stop), rarity, state.folder.is_linked[start:stop])
        sums += total
        inverse.append(found)
    return {"sums": sums, "inverse": np.concatenate(inverse)}


# -- hops -------------------------------------------------------------------------------------------


def feature_hops(state: RobustState, item: int) -> Results:
    """(N, 3, width) hops of a block of columns of the features."""
    columns = state.space(FEATURES).blocks[item]
    centered, folder = state.centered(), state.folder
    hops = np.empty((folder.n_nodes, 3, columns[1] - columns[0]))
    for start in range(0, folder.n_nodes, _MAPPED_ROWS):
        stop = min(start + _MAPPED_ROWS, folder.n_nodes)
        hops[start:stop, 0] = centered.part(start, stop, columns)
    _aggregate(folder, hops)
    return {"hops": hops}


def pattern_hops(state: RobustState, item: int) -> Results:
    """(N, 3, width) hops of the features along some of the leading directions."""
    first, last = state.space(PATTERNS).blocks[item]
    centered, folder, layout = state.centered(), state.folder, state.layout
    directions = np.ascontiguousarray(state.results.load("directions", 0, "directions")[:, first:last])
    hops = np.empty((folder.n_nodes, 3, last - first))
    for part in range(layout.row_items):
        for start, stop in _rows_of(state, part):
            hops[start:stop, 0] = centered.part(start, stop, (0, folder.n_features)) @ directions
    _aggregate(folder, hops)
    return {"hops": hops}


def _aggregate(folder: GraphFolder, hops: Array) -> None:
    """Fill in the second and third hop, some rows of the adjacency at a time."""
    scale, indptr = inverse_root_degrees(folder.degrees), folder.indptr
    for hop in (1, 2):
        for start, stop in rows_by_links(indptr, _LINKS_AT_ONCE):
            links = folder.indices[indptr[start] : indptr[stop]]
            aggregate_rows(np.asarray(indptr[start : stop + 1] - indptr[start]), links, scale, hops, hop, start)


# -- products at nodes ------------------------------------------------------------------------------


def feature_nodes(state: RobustState, item: int) -> Results:
    """Products of the hops at the nodes of a part, and the covariance of their smoothed unit rows."""
    space = state.space(FEATURES)
    files = [state.results.load(space.hops, block, "hops") for block in range(len(space.blocks))]
    products, covariance = [], np.zeros((space.n_columns, space.n_columns))
    for start, stop in _rows_of(state, item):
        hops = np.concatenate([file[start:stop] for file in files], axis=2)
        products.append(_at_nodes(hops))
        smoothed = hops[:, 2] * inverse_lengths(np.ascontiguousarray(products[-1][:, 2, 2]))[:, None]
        with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
            covariance += smoothed.T @ smoothed
    return {"products": np.concatenate(products), "covariance": covariance}


def pattern_nodes(state: RobustState, item: int) -> Results:
    """Products of the hops of the leading directions at the nodes of a part."""
    space = state.space(PATTERNS)
    files = [state.results.load(space.hops, block, "hops") for block in range(len(space.blocks))]
    parts = [_at_nodes(np.concatenate([file[a:b] for file in files], axis=2)) for a, b in _rows_of(state, item)]
    return {"products": np.concatenate(parts)}


def _at_nodes(hops: Array) -> Array:
    everyone, products = np.arange(len(hops)), np.zeros((len(hops), 3, 3))
    add_products(hops, everyone, everyone, products)
    return products


# -- pairs ------------------------------------------------------------------------------------------


def edge_views(state: RobustState, item: int) -> Results:
    """(C, k) cosines of the ends of a chunk of edges, each without its edge, and the sum of each column."""
    folder = state.folder
    start, stop = edge_chunk(folder.n_edges, item, state.layout.chunk)
    views = pair_views(state, np.asarray(folder.edges[start:stop]), linked=True)
    return {"views": views, "sums": views.sum(axis=0)}


def pair_views(state: RobustState, pairs: Ints, *, linked: bool | npt.NDArray[np.bool_]) -> Array:
    """(P, k) cosines of the ends of pairs in all spaces, four columns each.

    Parameters
    ----------
    state : of a run whose hops are there.
    pairs : (P, 2) numbers of nodes, ``i < j``.
    linked : whether the pairs are edges, whose link is left out.
    """
    folder = state.folder
    degrees = folder.degrees
    first, second = (np.ascontiguousarray(pairs[:, end]) for end in (0, 1))
    step = linked / np.sqrt(degrees[first] * degrees[second])
    pairs = np.stack([first, second], axis=1)
    found = np.hstack([_cosines(state, space, pairs, step, degrees) for space in state.spaces])
    found[:, list(state.void)] = 0.0
    return found


def _cosines(state: RobustState, space: Space, pairs: Ints, step: Array, degrees: Array) -> Array:
    results, items = state.results, state.layout.row_items
    at_nodes = np.concatenate([results.load(space.nodes, item, "products") for item in range(items)])
    at_pairs = np.zeros((len(pairs), len(HOPS) - 1, len(HOPS) - 1))
    few = len(pairs) < _FEW_PAIRS * len(degrees)
    ends, places = np.unique(pairs, return_inverse=True) if few else (None, pairs)
    first, second = (np.ascontiguousarray(places.reshape(pairs.shape)[:, end]) for end in (0, 1))
    for hops in _hops_in_memory(state, space) if ends is None else _hops_of(state, space, ends):
        add_products(hops, first, second, at_pairs)
    sizes = np.ascontiguousarray(np.einsum("naa->na", at_nodes))

    def cosines(part: slice) -> Array:
        return cosines_from_products(pairs[part], step[part], degrees, at_nodes, sizes, at_pairs[part])

    parts = list(chunks(len(pairs), max(1, -(-len(pairs) // thread_count()))))
    with ThreadPoolExecutor(thread_count()) as threads:
        return np.concatenate([np.empty((0, len(HOPS))), *threads.map(cosines, parts)])


_FEW_PAIRS = 0.02
"""Of the nodes. The rows of the ends of fewer pairs are picked from the files; else whole blocks are read."""


def _hops_of(state: RobustState, space: Space, nodes: Ints) -> Iterator[Array]:
    """(n, 3, width) hops of some nodes, block of columns by block."""
    for block in range(len(space.blocks)):
        yield np.ascontiguousarray(state.results.load(space.hops, block, "hops")[nodes])


def _hops_in_memory(state: RobustState, space: Space) -> Iterator[Array]:
    """(N, 3, width) hops of all nodes: all columns, kept for the next chunk, where they fit; else block by block."""
    files = [state.results.file(space.hops, block, "hops") for block in range(len(space.blocks))]
    if state.layout.held:
        yield held_hops(files, space.blocks)
    else:
        yield from map(read_hops, files)
