"""Edges and nodes as pandas tables: which columns name the ends, which column names the node, what describes it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.features import PreparedFeatures, prepare_features
from kces.features.prepare import with_unknown_rows
from kces.interop.adapters import Hints
from kces.interop.edge_columns import END_NAMES, WEIGHT_NAMES, find_end_columns
from kces.interop.node_attributes import ID_NAMES
from kces.interop.node_table import LABEL_NAMES, class_numbers
from kces.interop.records import count_weights
from kces.types import Features, Ints, is_sparse

__all__ = ["NamedEdges", "NodeRows", "find_ends", "named_edges", "node_rows"]

Names = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class NamedEdges:
    """The ends of every row: ``names`` of the nodes that occur, and ``codes`` (rows, 2), positions in ``names``."""

    names: Names
    codes: Ints
    weighted: int


@dataclass(frozen=True, eq=False)
class NodeRows:
    """What a table says of the nodes: their ids, one each, and features and labels where it has some."""

    ids: Names
    features: Features | None = None
    feature_names: list[str] | None = None
    labels: Ints | None = None
    notes: tuple[str, ...] = ()


# -- edges ------------------------------------------------------------------------------------------


def find_ends(columns: Sequence[Hashable], source: str | None, target: str | None) -> tuple[int, int]:
    """Positions of the two columns that name the ends: those given, a known pair, or the only two; else a question.

    >>> find_ends(["when", "src", "dst"], None, None), find_ends(["tx", "payer", "payee"], "payer", "payee")
    ((1, 2), (1, 2))
    """
    names = [str(name) for name in columns]
    given = [name for name in (source, target) if name is not None]
    for name in given:
        if names.count(name) != 1:
            many = "more than once" if name in names else "not"
            raise InvalidParameterError(f"column {name!r} is {many} in the table of edges: {', '.join(names)}")
    if source is not None and target is not None:
        return names.index(source), names.index(target)
    if len(names) == 2 and not given:
        return 0, 1
    first, second = find_end_columns(names)
    if given or len(names) < 2 or not {names[first].lower(), names[second].lower()} <= END_NAMES:
        raise InvalidParameterError(
            f"which two columns name the ends of an edge? Give source= and target=, out of: {', '.join(names)}"
        )
    return first, second


def named_edges(edges: pd.DataFrame, hints: Hints) -> NamedEdges:
    """The rows of a table of edges as pairs of names."""
    source, target = find_ends(list(edges.columns), hints.source, hints.target)
    ends = [edges.iloc[:, position] for position in (source, target)]
    whole = [_are_whole_numbers(end) for end in ends]
    if whole[0] != whole[1]:
        raise InvalidGraphError(
            f"columns {ends[0].name!r} and {ends[1].name!r} name nodes with numbers here and text there;"
            " convert both with astype(str)"
        )
    codes, names = pd.factorize(_names_of(pd.concat([end.astype(object) for end in ends]), whole[0]))
    weight = next((name for name in edges.columns if str(name).lower() in WEIGHT_NAMES), None)
    weighted = 0 if weight is None else count_weights(edges[weight].to_numpy())
    return NamedEdges(np.asarray(names), codes.reshape(2, -1).T.astype(np.int64), weighted)


def _are_whole_numbers(column: pd.Series) -> bool:
    """True for whole numbers and False for text and the like; what cannot name a node is an error."""
    missing = column.isna().to_numpy(dtype=bool)
    if missing.any():
        row = column.index[int(missing.argmax())]
        raise InvalidGraphError(f"column {column.name!r} names no node in row {row}; fill or drop it")
    if column.empty:
        return True
    kind = pd.api.types.infer_dtype(column.astype(object), skipna=False)
    if kind in ("floating", "boolean", "decimal", "complex") or "date" in kind or "time" in kind:
        raise InvalidGraphError(
            f"column {column.name!r} holds {column.dtype} values; nodes have whole numbers or text as names"
        )
    return bool(kind == "integer")


def _names_of(column: pd.Series, whole: bool) -> Names:
    """Node names as integers where they are, else as objects."""
    names = column.to_numpy(dtype=object)
    try:
        return np.array(names.tolist(), dtype=np.int64) if whole else names
    except OverflowError:
        return names


# -- nodes ------------------------------------------------------------------------------------------


def node_rows(nodes: object, names: Names, hints: Hints) -> NodeRows:
    """All nodes, whole numbers by value and words as they come, with what ``nodes`` says of them.

    ``nodes`` is None, a table, or a matrix whose row r describes node r; ``names`` are those the edges mention.
    """
    if nodes is None:
        return _ordered(NodeRows(names))
    if not isinstance(nodes, pd.DataFrame):
        return _matrix_rows(nodes, names)
    ids, used = _find_ids(nodes, names, hints.id_column)
    label = hints.label or _label_column(nodes, hints.feature_names())
    labels = None if label is None else class_numbers(_text_or_empty(nodes, label), f"column {label!r} of nodes")
    drop = [name for name in (used, label) if name is not None]
    prepared = _features(nodes, drop, hints)
    strangers = names[~pd.Index(names).isin(ids)]
    notes: list[str] = [] if prepared is None else list(prepared.notes)
    if len(strangers):
        notes.append(f"{len(strangers)} node(s) have no row, such as {strangers[0]!r}")
        ids = np.concatenate([ids, strangers])
        prepared = None if prepared is None else with_unknown_rows(prepared, len(strangers))
        labels = None if labels is None else np.append(labels, np.full(len(strangers), -1))
    if prepared is None:
        return _ordered(NodeRows(ids, labels=labels, notes=tuple(notes)))
    return _ordered(NodeRows(ids, prepared.matrix, prepared.names, labels, tuple(notes)))


def _ordered(rows: NodeRows) -> NodeRows:
    if rows.ids.dtype.kind != "i":
        return rows
    order = np.argsort(rows.ids, kind="stable")
    return NodeRows(
        rows.ids[order],
        None if rows.features is None else rows.features[order],
        rows.feature_names,
        None if rows.labels is None else rows.labels[order],
        rows.notes,
    )


def _matrix_rows(matrix: object, names: Names) -> NodeRows:
    features = matrix if is_sparse(matrix) else np.asarray(matrix)
    if features.ndim != 2:
        raise InvalidGraphError(f"nodes must be a table or a matrix (nodes x features), got {type(matrix).__name__}")
    if names.dtype.kind != "i":
        raise InvalidGraphError("the edges name their nodes with words; give nodes as a table with a column of names")
    beyond = names[(names < 0) | (names >= features.shape[0])]
    if len(beyond):
        raise InvalidGraphError(f"an edge names node {beyond[0]}, but nodes has {features.shape[0]} rows")
    return NodeRows(np.arange(features.shape[0]), features)


def _find_ids(nodes: pd.DataFrame, names: Names, id_column: str | None) -> tuple[Names, str | None]:
    """The name of each row's node, and the column that holds it (None: the index)."""
    if id_column is not None:
        ids = _ids_in(_column(nodes, id_column))
        return _checked_ids(ids, names, f"column {id_column!r} of nodes"), id_column
    own_index = nodes.index.name is not None or not isinstance(nodes.index, pd.RangeIndex)
    by_name = [str(name) for name in nodes.columns if str(name).lower() in ID_NAMES]
    found = [name for name in by_name if _fits(_column(nodes, name), names)]
    found += ["the index"] if own_index and _fits(nodes.index.to_series(), names) else []
    if not found:  # a column of text that has every name is no accident
        found = [str(name) for name in nodes.columns if _fits(_column(nodes, str(name)), names, text_with_all=True)]
    if not found and _fits(nodes.index.to_series(), names, with_all=True):
        found = ["the index"]
    if len(found) != 1:
        options = f"{' and '.join(found)} both could" if found else "no column is called id or holds all of them"
        raise InvalidGraphError(f"which column of nodes names the nodes of the edges? Give id_column= ({options})")
    if found == ["the index"]:
        return _ids_in(nodes.index.to_series()), None
    return _ids_in(_column(nodes, found[0])), found[0]


def _ids_in(column: pd.Series) -> Names:
    return _names_of(column, _are_whole_numbers(column))


def _fits(column: pd.Series, names: Names, *, with_all: bool = False, text_with_all: bool = False) -> bool:
    """Whether a column may be the names: each once, and at least half of those in the edges (or all)."""
    if column.isna().any() or not column.is_unique:
        return False
    if text_with_all and pd.api.types.infer_dtype(column) != "string":
        return False
    share = pd.Index(names).isin(column).mean() if len(names) else 1.0
    return bool(share == 1.0 if with_all or text_with_all else share >= 0.5)


def _checked_ids(ids: Names, names: Names, what: str) -> Names:
    repeated = pd.Index(ids).duplicated()
    if repeated.any():
        raise InvalidGraphError(f"{what} names node {ids[int(repeated.argmax())]!r} a second time")
    if len(names) and not pd.Index(names).isin(ids).any():
        raise InvalidGraphError(
            f"{what} names none of the nodes of the edges (it has {ids[:1].tolist()}, they have {names[:1].tolist()});"
            " are they numbers here and text there?"
        )
    return ids


def _label_column(nodes: pd.DataFrame, features: Sequence[str] | None) -> str | None:
    found = [str(name) for name in nodes.columns if str(name).lower() in LABEL_NAMES]
    return next((name for name in found if name not in (features or ())), None)


def _text_or_empty(nodes: pd.DataFrame, name: str) -> Names:
    column = _column(nodes, name)
    return column.astype(object).where(column.notna(), "").to_numpy(dtype=object)


def _features(nodes: pd.DataFrame, drop: list[str], hints: Hints) -> PreparedFeatures | None:
    wanted = hints.feature_names()
    if wanted is None and not set(map(str, nodes.columns)) - set(drop):
        return None
    return prepare_features(nodes, columns=wanted, drop=None if wanted else drop, scale=hints.scale)


def _column(nodes: pd.DataFrame, name: str) -> pd.Series:
    names = [str(column) for column in nodes.columns]
    if names.count(name) != 1:
        many = "more than once" if name in names else "not"
        raise InvalidParameterError(f"column {name!r} is {many} in the table of nodes: {', '.join(names)}")
    return nodes.iloc[:, names.index(name)]
