"""Tables of nodes in memory: as a features file is, and the index may name the nodes."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from kces.errors import AmbiguousInputError, GraphWarning, InvalidGraphError
from kces.interop.adapters import Hints
from kces.interop.node_columns import ID_NAMES, FeatureOptions, RawTable, id_text, is_id_name
from kces.interop.node_rows import NodeRows
from kces.interop.node_table import NodeTable
from kces.types import is_sparse

__all__ = ["rows_beside_matrix", "table_of_nodes"]

_NODES = Path("nodes")  # the name of the table in messages
_MOST = 0.5
_ROW_NUMBER = "index"  # what a caller says to name nodes by the table's index, which mostly numbers the rows


def table_of_nodes(nodes: object, named: pd.Index, hints: Hints) -> NodeTable | None:
    """``nodes``, a frame or a matrix whose row r is node r; ``named`` are the names in the edges, as text."""
    if nodes is None:
        return None
    options = FeatureOptions(hints.id_column, hints.feature_names(), None, hints.scale, hints.label)
    if isinstance(nodes, pd.DataFrame):
        return _table(_with_index(_with_text_names(nodes), named, hints.id_column), options)
    matrix = nodes if is_sparse(nodes) else np.asarray(nodes)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise InvalidGraphError(f"nodes must be a table or a matrix of numbers, got {type(nodes).__name__}")
    return NodeTable(_NODES, matrix.astype(np.float64), options)


def rows_beside_matrix(nodes: pd.DataFrame, n_nodes: int, hints: Hints) -> NodeRows:
    """The rows of ``nodes`` in the order of a matrix whose nodes are 0 … N-1: by their ids, or as they come.

    >>> table = pd.DataFrame({"id": [1, 0], "vip": [True, False]})
    >>> rows_beside_matrix(table, 2, Hints()).features.tolist()  # vip, and not vip
    [[0.0, 1.0], [1.0, 0.0]]
    """
    nodes = _with_text_names(nodes)
    if len(nodes) != n_nodes:
        raise InvalidGraphError(f"nodes has {len(nodes)} rows, but the matrix has {n_nodes} nodes")
    numbers = pd.Index([str(node) for node in range(n_nodes)])
    id_column = hints.id_column or next((name for name in nodes.columns if name.lower() in ID_NAMES), None)
    if id_column is None or (id_column == _ROW_NUMBER and _ROW_NUMBER not in nodes.columns):
        nodes = nodes.assign(**{"row number": _row_numbers(nodes, numbers, asked=id_column is not None)})
        id_column = "row number"
    options = FeatureOptions(id_column, hints.feature_names(), None, hints.scale, hints.label)
    if id_column in nodes.columns and not numbers.isin(id_text(nodes[id_column], numbers)).all():
        raise AmbiguousInputError(
            f"which column of nodes holds the node numbers 0 to {n_nodes - 1}? Column {id_column!r} does not;"
            f" {_ROW_NUMBER!r} stands for the index.",
            ("id_column",),
        )
    return _table(nodes, options).aligned(numbers.to_numpy(dtype=object))


def _row_numbers(nodes: pd.DataFrame, numbers: pd.Index, *, asked: bool) -> pd.Index:
    """The node of each row of a table without ids: by its place, or as its index says where the caller asked for it.

    An index with the same numbers in another order is asked about: rows may have been sorted, or not.
    """
    index = pd.Index(id_text(nodes.index.to_series(), numbers))
    if asked:
        return index
    if not index.equals(numbers) and index.is_unique and numbers.isin(index).all():
        raise AmbiguousInputError(
            "the index of nodes has the node numbers in another order than its rows; which is meant? The index:"
            " 'index'; the order of rows: give nodes.reset_index(drop=True).",
            ("id_column",),
        )
    warnings.warn("nodes has no column of ids: its row r is taken for node r of the matrix", GraphWarning, stacklevel=2)
    return numbers


def _table(nodes: pd.DataFrame, options: FeatureOptions) -> NodeTable:
    return NodeTable(_NODES, RawTable(nodes, list(nodes.columns), lambda row: f"row {nodes.index[row]}"), options)


def _with_text_names(nodes: pd.DataFrame) -> pd.DataFrame:
    if nodes.columns.nlevels > 1:
        raise InvalidGraphError(
            "nodes has column names of several levels, as groupby().agg() makes them; join them first:"
            " nodes.columns = ['_'.join(map(str, name)) for name in nodes.columns]"
        )
    nodes = (nodes.reset_index() if nodes.index.nlevels > 1 else nodes).rename(columns=str)
    if not nodes.columns.is_unique:
        twin = nodes.columns[nodes.columns.duplicated()][0]
        raise InvalidGraphError(f"nodes has more than one column called {twin!r}; rename or drop one")
    return nodes


def _with_index(nodes: pd.DataFrame, named: pd.Index, id_column: str | None) -> pd.DataFrame:
    """The index as first column where it names the nodes; a column called id is taken before it."""
    name = str(nodes.index.name or "index")
    if id_column is not None:
        return nodes.reset_index(names=name) if id_column == name and name not in nodes.columns else nodes
    if any(column.lower() in ID_NAMES and _share(nodes[column], named) >= _MOST for column in nodes.columns):
        return nodes
    counted = isinstance(nodes.index, pd.RangeIndex) and nodes.index.name is None
    shares = {column: _share(nodes[column], named) for column in nodes.columns}
    index_fits = _share(nodes.index.to_series(), named) >= (1.0 if counted else _MOST)
    no_column_fits = max(shares.values(), default=0.0) < _MOST
    if counted and (index_fits or no_column_fits):
        _ask_about_strange_ids(nodes, named)
    if not index_fits:
        if len(named) and no_column_fits:
            raise AmbiguousInputError(f"which column of nodes names the nodes, such as {named[0]!r}?", ("id_column",))
        return nodes
    rivals = [column for column, share in shares.items() if share == 1.0 and nodes[column].is_unique]
    if counted and rivals:
        raise AmbiguousInputError(
            f"is a node named by the index of nodes or by its column {rivals[0]!r}?", ("id_column",)
        )
    return nodes.reset_index(names=name)


def _ask_about_strange_ids(nodes: pd.DataFrame, named: pd.Index) -> None:
    """Row numbers are no ids beside a column that is called id, even if that does not hold the nodes' names."""
    for column in nodes.columns:
        strange = named[~named.isin(id_text(nodes[column], named))]
        if len(strange) and is_id_name(column, nodes[column]):
            raise AmbiguousInputError(
                f"which column of nodes names the nodes? Column {column!r} lacks {len(strange)} of {len(named)} nodes,"
                f" such as {strange[0]!r}; {_ROW_NUMBER!r} stands for the number of the row.",
                ("id_column",),
            )


def _share(column: pd.Series, named: pd.Index) -> float:
    return float(named.isin(id_text(column, named)).mean()) if len(named) else 0.0
