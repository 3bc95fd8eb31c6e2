"""Features as the robust score compares them: columns weighted by rarity, unit rows, minus the mean row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from kces.kernel import normalize_rows
from kces.narrowed import is_far_wider_than_high, narrowed
from kces.types import Array, Bools, Features, Ints, is_sparse

__all__ = ["NOTHING", "CenteredFeatures", "chunks"]

NOTHING = 1e-12
"""Squared lengths and variances below this, relative to unit rows, are rounding."""

_COLUMN_BLOCK = 256
_NARROWEST_BLOCK = 16
_BLOCK_ENTRIES = 2**23
"""A block of the columns of a large graph is narrower, so that it takes 128 MB at most, 16 columns at least."""

_ROW_CHUNK = 4_096
"""Rows of an array that are worked on at once: what is in between stays in the cache."""


def chunks(n: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` that cover ``range(n)``.

    >>> list(chunks(5, 3))
    [slice(0, 3, None), slice(3, 6, None)]
    """
    return (slice(start, start + size) for start in range(0, n, size))


class CenteredFeatures:
    """Features minus the mean row, dense one block of columns at a time; a node without features stays at zero."""

    def __init__(self, matrix: Features, mean: Array | None = None, present: Array | None = None) -> None:
        self.matrix = matrix.tocsc() if is_sparse(matrix) else matrix
        self.n_columns = int(matrix.shape[1])
        self.mean = np.zeros(self.n_columns) if mean is None else mean
        self.present = np.ones(matrix.shape[0]) if present is None else present

    @classmethod
    def of(cls, features: Features, linked: Bools | None = None) -> CenteredFeatures:
        """Columns weighted by rarity, rows of unit length, then centered: the centered linear kernel.

        Rows of nodes that are not ``linked`` count as if they were not there: no edge has such an end, and a thousand
        of them would move the mean that all ends are compared to.

        >>> CenteredFeatures.of(np.array([[2.0, 0.0], [0.0, 5.0], [7.0, 7.0]]), np.array([True, True, False])).mean
        array([0.5, 0.5])
        """
        n_nodes = features.shape[0]
        if linked is not None and not linked.all():
            features, n_nodes = _rows_or_zeros(features, linked), int(linked.sum())
        present_in = np.diff(sp.csc_array(features).indptr) if is_sparse(features) else (features != 0).sum(axis=0)
        rarity = np.log1p(n_nodes / np.maximum(present_in, 1))
        unit, length = _weighted_unit_rows(features, rarity)
        present = (length > 0).astype(np.float64)
        mean = np.asarray(unit.sum(axis=0)).ravel() / max(present.sum(), 1.0)
        return cls(unit, mean, present)

    @property
    def entries_per_node(self) -> Ints:
        """(N,) stored entries of sparse features."""
        return np.diff(sp.csr_array(self.matrix).indptr)

    @property
    def entries_per_column(self) -> Ints:
        """(F,) stored entries of sparse features."""
        return np.diff(sp.csc_array(self.matrix).indptr)

    def without_empty_columns(self) -> CenteredFeatures:
        """Sparse features without the columns that nobody has: all inner products stay, work follows what is stored.

        >>> CenteredFeatures(sp.csr_array([[0.0, 1.0, 0.0], [0.0, 2.0, 3.0]])).without_empty_columns().n_columns
        2
        """
        used = np.flatnonzero(self.entries_per_column)
        return CenteredFeatures(self.matrix[:, used], self.mean[used], self.present)

    def narrowed(self) -> CenteredFeatures:
        """Far more columns than nodes turned into as many, centered already: all inner products stay.

        >>> wide = CenteredFeatures.of(np.random.default_rng(0).normal(size=(3, 10_000)))
        >>> wide.narrowed().n_columns
        3
        """
        if not is_far_wider_than_high(self.matrix):
            return self
        return CenteredFeatures(narrowed(self.rows(np.arange(self.matrix.shape[0]))), present=self.present)

    @property
    def _block_width(self) -> int:
        return max(_NARROWEST_BLOCK, min(_COLUMN_BLOCK, _BLOCK_ENTRIES // max(self.matrix.shape[0], 1)))

    @property
    def blocks(self) -> tuple[slice, ...]:
        """Columns that are made dense at once."""
        return tuple(chunks(self.n_columns, self._block_width))

    def block(self, columns: slice) -> Array:
        """(N, width) the centered columns."""
        out = np.empty((self.matrix.shape[0], len(range(*columns.indices(self.n_columns)))))
        self.write_block(columns, out)
        return out

    def write_block(self, columns: slice, out: Array) -> None:
        """The centered columns into an array of N rows."""
        part = self.matrix[:, columns]
        dense = part.toarray() if is_sparse(part) else np.asarray(part)
        for rows in chunks(len(out), _ROW_CHUNK):
            np.subtract(dense[rows], np.outer(self.present[rows], self.mean[columns]), out=out[rows])

    def rows(self, nodes: Ints) -> Array:
        """(len(nodes), F) centered rows of a few nodes.

        >>> CenteredFeatures.of(np.array([[2.0, 0.0], [0.0, 5.0]])).rows(np.array([1])).tolist()
        [[-0.5, 0.5]]
        """
        part = self.matrix[nodes]
        dense = part.toarray() if is_sparse(part) else np.asarray(part)
        return dense - np.outer(self.present[nodes], self.mean)

    def times(self, matrix: Array) -> Array:
        """Centered features times a matrix with one row per column."""
        return np.asarray(self.matrix @ matrix) - np.outer(self.present, self.mean @ matrix)

    def transposed_times(self, matrix: Array) -> Array:
        return np.asarray(self.matrix.T @ matrix) - np.outer(self.mean, self.present @ matrix)


def _rows_or_zeros(features: Features, kept: Bools) -> Features:
    """The features with zeros in all rows but the ``kept`` ones; none of these are stored."""
    if not is_sparse(features):
        return np.where(kept[:, None], features, 0.0)
    entries = np.repeat(kept, np.diff(features.indptr))
    starts = np.concatenate([[0], np.cumsum(np.diff(features.indptr) * kept)])
    return sp.csr_array((features.data[entries], features.indices[entries], starts), shape=features.shape)


def _weighted_unit_rows(features: Features, weights: Array) -> tuple[Features, Array]:
    """Columns times their weights, then rows of unit length, and the lengths before."""
    if is_sparse(features):
        return normalize_rows(features @ sp.diags_array(weights))
    unit, length = np.empty(features.shape), np.empty(len(features))
    for rows in chunks(len(features), _ROW_CHUNK):
        unit[rows], length[rows] = normalize_rows(features[rows] * weights)
    return unit, length
