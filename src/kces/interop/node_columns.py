"""A table that describes nodes: which column names them, which is the class, and the rest as features."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import (
    AmbiguousInputError,
    GraphWarning,
    InvalidGraphError,
    InvalidParameterError,
    KCESError,
    UnreadableFileError,
)
from kces.features import prepare_features
from kces.features.missing import as_text, missing_cells
from kces.interop.end_choice import column_position
from kces.interop.end_names import name_words
from kces.interop.header_evidence import names_above_values
from kces.interop.node_labels import LABEL_NAMES, class_numbers
from kces.interop.node_rows import NodeRows
from kces.types import Bools, Ints, Values

__all__ = [
    "ID_NAMES",
    "FeatureOptions",
    "RawTable",
    "id_text",
    "is_id_name",
    "rows_of_table",
    "warn_of_missing",
    "without_zero_decimals",
]

ID_NAMES = frozenset({"id", "node", "node_id", "nodeid", "name", "key", "account", "account_id", "user", "user_id"})
"""What people call the column of node ids."""
_ID_WORDS = frozenset(
    {"id", "ids", "uid", "node", "name", "key", "account", "acct", "user", "customer", "client", "person", "member"}
)
_MATCHES = 0.5
_BEYOND_INTEGERS = 2.0**53
_WHOLE = re.compile(r"-?(0|[1-9]\d*)")
_WHOLE_WITH_DECIMALS = re.compile(_WHOLE.pattern + r"\.0+")


@dataclass(frozen=True)
class FeatureOptions:
    """What the caller said about a table of nodes.

    Its id column, the columns to use or leave out, how they are scaled, and the column with the class.
    """

    id_column: str | int | None = None
    columns: Sequence[str] | None = None
    drop_columns: Sequence[str] | None = None
    scale: str = "auto"
    label: str | None = None

    def refuse_for_matrix(self, path: Path) -> None:
        """A matrix has no named columns to choose from."""
        if replace(self, scale="auto") != FeatureOptions():
            raise InvalidParameterError(f"{path} is a matrix, row r is node r: its columns have no names to choose by")


@dataclass(frozen=True)
class RawTable:
    """The cells of a table and its column names.

    Names are None while nobody has looked for a header in the first row, and made up where there is none.
    """

    frame: pd.DataFrame
    names: list[str] | None
    where: Callable[[int], str]
    has_header: bool = True


def rows_of_table(table: RawTable, nodes: Values, options: FeatureOptions, path: Path) -> NodeRows:
    """The table's rows as features and labels by name; ``nodes`` are the names in the graph."""
    table = _with_header(table, nodes, options)
    names = table.names or []
    if table.frame.empty:
        raise UnreadableFileError(f"{path} holds a header, but no nodes")
    id_column = _find_ids(table, nodes, options, path)
    ids = id_text(table.frame.iloc[:, id_column], nodes).to_numpy(dtype=object)
    notes: list[str] = []
    if pd.Index(ids).has_duplicates:
        table, notes = _without_repeated_rows(table)
        ids = id_text(table.frame.iloc[:, id_column], nodes).to_numpy(dtype=object)
    _refuse_twins(ids, table, path)
    labels = _labels(table, id_column, options, path)
    others = [position for position in range(len(names)) if position != id_column]
    if labels is not None:
        others.remove(labels[0])
    if not others and labels is None:
        raise UnreadableFileError(f"{path} has one column; a features file has the node ids and the features")
    notes += _said_of_roles(table, id_column, None if labels is None else labels[0], options)
    rows = NodeRows(ids, labels=None if labels is None else labels[1], notes=notes)
    if not others:
        return rows
    return _with_features(rows, table, others, options, path, linked=pd.Index(ids).isin(nodes))


def _said_of_roles(table: RawTable, id_column: int, label: int | None, options: FeatureOptions) -> list[str]:
    """Which columns have a part that the caller has not given them and that their names do not tell."""
    names, said = table.names or [], []
    if (
        options.id_column is None
        and table.has_header
        and not is_id_name(names[id_column], table.frame.iloc[:, id_column])
    ):
        said.append(f"{names[id_column]!r} names the nodes")
    if options.label is None and label is not None:
        said.append(f"{names[label]!r} is the class and no feature")
    return ["; ".join(said)] if said else []


def id_text(column: pd.Series, nodes: npt.ArrayLike = ()) -> pd.Series:
    """Node ids as text; whole numbers that gaps have turned into fractions are whole again.

    Text such as ``1.0`` is the number 1 where all of it is of that kind and all ``nodes`` are whole numbers.

    >>> id_text(pd.Series([1.0, None])).tolist(), id_text(pd.Series([" a", 7])).tolist()
    (['1', ''], ['a', '7'])
    >>> id_text(pd.Series(["1.0", "2.0"]), ["1", "2"]).tolist(), id_text(pd.Series(["1.0", "2.0"]), ["1.0"]).tolist()
    (['1', '2'], ['1.0', '2.0'])
    """
    if pd.api.types.is_float_dtype(column.dtype):
        known = column.dropna().astype(np.float64)  # half precision could not be compared with large numbers
        if (known == np.floor(known)).all() and (known.abs() < _BEYOND_INTEGERS).all():
            return as_text(column.astype("Int64"))
    text = as_text(column)
    whole = without_zero_decimals(text)
    return whole if whole is text or pd.Series(nodes, dtype=object).astype(str).str.fullmatch(_WHOLE).all() else text


def is_id_name(name: str, column: pd.Series) -> bool:
    """Whether a column goes by one of :data:`ID_NAMES`, or ends in id and names no two rows alike.

    >>> is_id_name("Node", pd.Series([1, 1])), is_id_name("city_id", pd.Series([1, 1])), is_id_name("x", pd.Series([1]))
    (True, False, False)
    """
    if name.lower() in ID_NAMES:
        return True
    return name_words(name)[-1:] in (["id"], ["uid"]) and as_text(column.dropna()).is_unique


def without_zero_decimals(text: pd.Series) -> pd.Series:
    """Whole numbers that were written with decimals (``1.0``) as whole numbers, if all cells are such; else as given.

    >>> without_zero_decimals(pd.Series(["1.0", "20.0"])).tolist()
    ['1', '20']
    >>> without_zero_decimals(pd.Series(["1.0", "1.1"])).tolist()
    ['1.0', '1.1']
    """
    if not len(text) or "." not in text.iloc[0] or not text[text != ""].str.fullmatch(_WHOLE_WITH_DECIMALS).all():
        return text
    return text.str.partition(".")[0]


def _with_header(table: RawTable, nodes: Values, options: FeatureOptions) -> RawTable:
    """Take the first row of a text table off if it is a header.

    It is one if it says id or class or what the caller named, or has words above numbers; it is none if it has
    numbers above numbers; and if there are no numbers, it is one unless it begins with the name of a node.
    """
    if table.names is not None:
        return table
    first = [str(cell).strip() for cell in table.frame.iloc[0]]
    rest = table.frame.iloc[1:]
    asked = [options.id_column, *(options.columns or ()), *(options.drop_columns or ())]
    expected = LABEL_NAMES | ID_NAMES | {str(name).lower() for name in asked if isinstance(name, str)}
    is_header: bool | None = any(name.lower() in expected for name in first)
    if not is_header:
        is_header = False if rest.empty else names_above_values(first[1:], rest.iloc[:, 1:])
    if is_header is None:
        is_header = not bool(pd.Index(first).isin(nodes).any())
    if not is_header:
        made_up = [f"column {position + 1}" for position in range(len(first))]
        return RawTable(table.frame, made_up, table.where, has_header=False)
    names = [name or f"column {position + 1}" for position, name in enumerate(first)]
    return RawTable(rest.reset_index(drop=True), names, lambda row: table.where(row + 1))


def _find_ids(table: RawTable, nodes: Values, options: FeatureOptions, path: Path) -> int:
    """The id column: as given, else the one that holds the graph's nodes, else the one whose name says so."""
    names = table.names or []
    if options.id_column is not None:
        return column_position(options.id_column, names, len(names), path)
    called = [position for position, name in enumerate(names) if _is_called_id(name)]
    wanted = pd.Index(nodes)
    share = [_share_of(wanted, id_text(table.frame.iloc[:, position], nodes)) for position in range(len(names))]
    matching = [position for position in range(len(names)) if share[position] >= _MATCHES]
    best = [position for position in matching if position in called] or [
        position for position in matching if share[position] == max(share)
    ]
    if len(best) > 1 and best[0] not in called and table.has_header:
        shown = ", ".join(repr(names[position]) for position in best)
        raise AmbiguousInputError(f"{path}: which of its columns holds the node ids: {shown}?", ("id_column",))
    return (best or called or [0])[0]


def _is_called_id(name: str) -> bool:
    return bool(_ID_WORDS & set(name_words(name)))


def _share_of(nodes: pd.Index, ids: pd.Series) -> float:
    """Share of the nodes that a column names; 0 if it names any twice, for then it is no id, and without nodes."""
    return float(nodes.isin(ids).mean()) if len(nodes) and ids.is_unique else 0.0


def warn_of_missing(path: Path, name: str, rows: Bools, where: Callable[[int], str]) -> None:
    """Say that ``rows`` name a node NaN or the like: rather no node at all, but it may be one, NA is a country."""
    warnings.warn(
        f"{path}: {int(rows.sum())} row(s) name a node {name!r}, the first on {where(int(rows.argmax()))};"
        " drop them if it stands for a missing value",
        GraphWarning,
        stacklevel=2,
    )


def _without_repeated_rows(table: RawTable) -> tuple[RawTable, list[str]]:
    """The table without rows that stand there before with all their cells, as exports put together have them."""
    repeated = table.frame.apply(lambda column: column.map(str)).duplicated().to_numpy()
    if not repeated.any():
        return table, []
    kept = np.flatnonzero(~repeated)
    frame = table.frame.iloc[kept].reset_index(drop=True)
    once = replace(table, frame=frame, where=lambda row: table.where(int(kept[row])))
    return once, [f"{int(repeated.sum())} row(s) that are there twice, cell by cell, taken once"]


def _refuse_twins(ids: Values, table: RawTable, path: Path) -> None:
    if (ids == "").any():
        raise InvalidGraphError(f"{path} {table.where(int((ids == '').argmax()))} has an empty node id")
    suspects = missing_cells(pd.Series(ids, dtype=object))
    if suspects.any():
        warn_of_missing(path, ids[suspects.argmax()], suspects, table.where)
    duplicated = pd.Index(ids).duplicated()
    if duplicated.any():
        record = int(duplicated.argmax())
        first = table.where(int((ids == ids[record]).argmax()))
        raise InvalidGraphError(
            f"{path} {table.where(record)} names node {ids[record]!r} a second time, after {first}, with other values;"
            " leave one row per node"
        )


def _labels(table: RawTable, id_column: int, options: FeatureOptions, path: Path) -> tuple[int, Ints] | None:
    """Position and values of the column given, or called label or class, unless the caller has other plans for it."""
    names = table.names or []
    others = {*(options.columns or ()), *(options.drop_columns or ())}
    called = [position for position, name in enumerate(names) if name.lower() in LABEL_NAMES and name not in others]
    if options.label is not None:
        called = [column_position(options.label, names, len(names), path)]
    for position in called:
        if position != id_column:
            values = as_text(table.frame.iloc[:, position]).to_numpy(dtype=object)
            return position, class_numbers(values, f"labels in {path}")
    return None


def _with_features(
    rows: NodeRows, table: RawTable, others: list[int], options: FeatureOptions, path: Path, *, linked: Bools
) -> NodeRows:
    names = table.names or []
    frame = table.frame.iloc[:, others].set_axis([names[position] for position in others], axis=1)
    frame.index = pd.Index(rows.ids)
    try:
        prepared = prepare_features(
            frame, columns=options.columns, drop=options.drop_columns, scale=options.scale, counted=linked
        )
    except KCESError as error:
        raise type(error)(f"{path}: {error}") from error
    notes = [*rows.notes, *prepared.notes]
    return NodeRows(rows.ids, prepared.matrix, tuple(prepared.names), rows.labels, notes, prepared.own)
