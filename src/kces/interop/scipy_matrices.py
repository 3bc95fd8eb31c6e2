"""Adjacency matrices: scipy sparse of every format and class, and dense NumPy arrays."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.interop.adapters import Hints, Source, register_source
from kces.interop.dataframes import as_pandas, is_table
from kces.interop.feature_notes import say_about_features
from kces.interop.node_frames import rows_beside_matrix
from kces.interop.records import distinct_edges
from kces.types import Bools, Ints

__all__ = ["DenseSource", "SparseSource"]


@register_source("scipy")
class SparseSource(Source["sp.sparray | sp.spmatrix"]):
    """A sparse adjacency matrix; its records are the stored entries in the order of ``matrix.tocoo()``.

    >>> source = SparseSource(sp.csc_array([[0, 5], [5, 1]]))
    >>> source.spread(np.array([0.5]), np.nan).tolist()
    [0.5, 0.5, nan]
    >>> source.without([False]).toarray().tolist()
    [[0, 0], [0, 1]]
    """

    takes = frozenset({"nodes", "features", "label", "id_column", "scale"})

    def __init__(self, original: sp.sparray | sp.spmatrix, hints: Hints | None = None) -> None:
        if not sp.issparse(original):
            raise InvalidGraphError(f"cannot read a graph from {type(original).__name__}; give a sparse matrix")
        super().__init__(original, hints)

    @cached_property
    def _entries(self) -> sp.coo_array:
        return sp.coo_array(_checked_square(self.original))

    @cached_property
    def pairs(self) -> Ints:
        return np.stack([self._entries.row, self._entries.col], axis=1).astype(np.int64)

    @cached_property
    def edges(self) -> Ints:
        return distinct_edges(self.pairs[self._entries.data != 0])  # a stored zero is no edge

    @cached_property
    def graph(self) -> Graph:
        return _graph(self._entries, self.hints)

    def keep_records(self, mask: Bools) -> sp.sparray | sp.spmatrix:
        entries, kind = self._entries, type(self.original)
        kept = sp.coo_array((entries.data[mask], (entries.row[mask], entries.col[mask])), shape=entries.shape)
        layout = self.original.format
        if layout in ("csr", "csc"):
            return kind(_compressed(kept, layout), shape=kept.shape)
        return kind(kept, blocksize=self.original.blocksize) if layout == "bsr" else kind(kept)


@register_source("numpy")
class DenseSource(Source[npt.NDArray[np.generic]]):
    """A square NumPy array; its records are the entries that are not 0, row by row.

    >>> DenseSource(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])).without([True, False]).tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """

    takes = frozenset({"nodes", "features", "label", "id_column", "scale"})

    def __init__(self, original: npt.NDArray[np.generic], hints: Hints | None = None) -> None:
        if not isinstance(original, np.ndarray) or original.dtype.kind not in "biuf":
            raise InvalidGraphError("an adjacency matrix holds numbers; for pairs of names give a table of edges")
        super().__init__(_checked_square(original), hints)

    @cached_property
    def pairs(self) -> Ints:
        return np.argwhere(np.asarray(self.original)).astype(np.int64)

    @cached_property
    def graph(self) -> Graph:
        return _graph(self.original, self.hints)

    def keep_records(self, mask: Bools) -> npt.NDArray[np.generic]:
        result = self.original.copy()
        rows, cols = self.pairs[~mask].T
        result[rows, cols] = 0
        return result


def _graph(matrix: sp.sparray | npt.NDArray[np.generic], hints: Hints) -> Graph:
    """The graph with the features in ``hints.nodes``: a matrix with one row per node in their order, or a table."""
    nodes = hints.nodes
    if not is_table(nodes):
        return Graph.from_scipy(matrix, nodes)
    rows = rows_beside_matrix(as_pandas(nodes), matrix.shape[0], hints)
    say_about_features(rows.notes)
    graph = Graph.from_scipy(matrix, rows.features, labels=rows.labels, feature_names=rows.feature_names)
    return replace(graph, own_values=rows.own_values)


def _checked_square(matrix: sp.sparray) -> sp.sparray:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidGraphError(
            f"an adjacency matrix must be square, got shape {matrix.shape}; for pairs use kces.Graph.from_edges"
        )
    return matrix


def _compressed(entries: sp.coo_array, layout: str) -> tuple[npt.NDArray[np.generic], Ints, Ints]:
    """Arrays of a CSR or CSC matrix in the order of its entries: duplicates stay apart, as they were."""
    major, minor = (entries.row, entries.col) if layout == "csr" else (entries.col, entries.row)
    size = entries.shape[0 if layout == "csr" else 1]
    return entries.data, minor, np.searchsorted(major, np.arange(size + 1))
