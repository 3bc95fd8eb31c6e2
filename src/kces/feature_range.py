"""Features of any finite size brought to where they can be squared, by powers of two, so that no digit changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.types import Array, Features, Ints, is_sparse

__all__ = ["is_ordinary", "row_exponents", "shifted_rows", "within_range", "without_empty_columns"]

_ORDINARY = 100
"""Features between 2^-100 and 2^100 are left alone: products of four of them stay far from any limit."""
_ROW_FLOOR = -200
"""A row counts as at least this power of two times the largest: beside that one it is below rounding anyway."""
_ENTRY_FLOOR = -480
"""Smaller entries, beside a largest of one, count as zero: their squares would."""
_BLOCK = 2**20
_WIDE = 10_000


def within_range(graph: Graph) -> Graph:
    """The graph itself, or with features scaled so that sums of their squares neither overflow nor vanish.

    A score that does not change when all features are multiplied by one number is the same for both.

    >>> graph = within_range(Graph.from_edges([[0, 1]], [[2.0**600], [2.0**599]]))
    >>> graph.features.tolist()
    [[0.5], [0.25]]
    """
    features = graph.features
    if is_ordinary(features.data if is_sparse(features) else features):
        return graph
    exponents = row_exponents(features)
    raised = np.maximum(exponents - np.frexp(abs(features).max())[1], _ROW_FLOOR)
    return replace(graph, features=_without_specks(shifted_rows(features, raised - exponents)))


def without_empty_columns(graph: Graph) -> Graph:
    """The graph itself, or without the columns of very wide sparse features in which every node has a zero.

    They say nothing about any node, but scorers go through features column by column.

    >>> import scipy.sparse as sp
    >>> wide = sp.csr_array(([1.0, 2.0], ([0, 1], [5, 2**20])), shape=(2, 2**20 + 1))
    >>> without_empty_columns(Graph.from_edges([[0, 1]], wide)).features.toarray().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    features = graph.features
    if not is_sparse(features) or features.shape[1] < max(_WIDE, 2 * features.nnz):
        return graph
    used = np.unique(features.indices)
    if not len(used):
        return graph
    return replace(graph, features=sp.csr_array(features[:, used]), feature_names=None, own_values=None)


def row_exponents(matrix: Features) -> Ints:
    """The power of two just above the largest entry of each row; 0 for a row of zeros.

    >>> row_exponents(np.array([[3.0, -5.0], [0.0, 0.0], [0.0, 0.25]])).tolist()
    [3, 0, -1]
    """
    if matrix.shape[0] == 0:
        return np.zeros(0, dtype=np.int64)
    largest = abs(matrix).max(axis=1)
    return np.frexp(np.asarray(largest.todense() if sp.issparse(largest) else largest).ravel())[1].astype(np.int64)


def shifted_rows(matrix: Features, exponents: Ints) -> Features:
    """Each row times two to its exponent; factors beyond the range of a number are no obstacle.

    >>> shifted_rows(np.array([[3.0], [5e-324]]), np.array([1, 1074])).tolist()
    [[6.0], [1.0]]
    """
    if not is_sparse(matrix):
        return np.ldexp(matrix, exponents[:, None])
    of_entry = np.repeat(exponents, np.diff(matrix.indptr))
    return sp.csr_array((np.ldexp(matrix.data, of_entry), matrix.indices, matrix.indptr), shape=matrix.shape)


def is_ordinary(values: Array) -> bool:
    """Whether no entry is extreme, looked at block by block to need no second matrix."""
    flat = values.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        size = np.abs(flat[start : start + _BLOCK])
        if size.max() > 2.0**_ORDINARY or np.min(size, where=size > 0, initial=1.0) < 2.0**-_ORDINARY:
            return False
    return True


def _without_specks(matrix: Features) -> Features:
    values = matrix.data if is_sparse(matrix) else matrix
    values[np.abs(values) < 2.0**_ENTRY_FLOOR] = 0.0
    return matrix
