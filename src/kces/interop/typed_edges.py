"""Edges from a table that knows types (Parquet, JSON): which columns are the ends, and their ids as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.features.missing import as_text
from kces.graph import Graph
from kces.interop.adjacency_tables import refuse_adjacency
from kces.interop.edge_columns import EndColumns
from kces.interop.edge_records import EdgeRecords, column_names
from kces.interop.end_choice import EndChoice, choose_ends
from kces.interop.end_names import WEIGHT_NAMES
from kces.interop.formats.base import EdgeOptions, Request
from kces.interop.node_columns import id_text
from kces.types import Values

__all__ = ["TypedEnds", "find_typed_ends", "graph_from_frame"]

_LOOKED_AT = 100_000


@dataclass(frozen=True, eq=False)
class TypedEnds:
    """The two ends of every row of a table, which columns they are, and the weights beside them."""

    columns: EndColumns
    choice: EndChoice
    weights: Values | None


def find_typed_ends(
    frame: pd.DataFrame, path: Path, options: EdgeOptions, *, has_names: bool, where: Callable[[int], str]
) -> TypedEnds:
    """Find the ends in a table whose cells have types; ``path`` names the table in messages."""
    width = frame.shape[1]
    if width < 2:
        raise UnreadableFileError(f"{path} is no edge list: it has {width} column(s)")
    header = [str(name) for name in frame.columns] if has_names else None
    if width == len(frame):  # only a square table is worth the look
        refuse_adjacency(frame, path)
    cells = pd.DataFrame({place: as_text(frame.iloc[:_LOOKED_AT, place]) for place in range(width)})
    ends = choose_ends(cells, header, path, source=options.source, target=options.target)
    weight = next((place for place, name in enumerate(header or []) if name.lower() in WEIGHT_NAMES), None)
    names = column_names(header, width, ends)
    sources, targets = (_ids(frame.iloc[:, end], f"{path} column {names[end]!r}") for end in ends)
    _refuse_two_types(frame, ends, path)
    weights = None if weight is None else frame.iloc[:, weight].to_numpy(dtype=object)
    choice = EndChoice(*ends, names, "" if has_names else None)
    return TypedEnds(EndColumns(sources, targets, where, (names[ends[0]], names[ends[1]])), choice, weights)


def graph_from_frame(
    frame: pd.DataFrame, request: Request, *, has_names: bool, where: Callable[[int], str]
) -> tuple[Graph, EdgeRecords]:
    """The graph and the rows of a table whose cells have types."""
    path = request.path
    request.edges.refuse_text_options(path)
    found = find_typed_ends(frame, path, request.edges, has_names=has_names, where=where)
    graph, pairs, notes = found.columns.to_graph(path, request.table, request.labels, found.weights)
    return graph, EdgeRecords(frame.set_axis(list(found.choice.names), axis=1), pairs, found.choice, notes)


def _refuse_two_types(frame: pd.DataFrame, ends: tuple[int, int], path: Path) -> None:
    """The number 1 and the text "1" may be one node or two."""
    cells = [value for end in ends for value in frame.iloc[:, end].unique()]
    texts = {value.strip() for value in cells if isinstance(value, str)}
    twin = next((value for value in cells if texts and not isinstance(value, str) and str(value) in texts), None)
    if twin is not None:
        raise InvalidGraphError(
            f"{path} names nodes by the number {twin} and by the text '{twin}'; are they one? Make all ids one type"
        )


def _ids(column: pd.Series, what: str) -> Values:
    """Node ids as text: whole numbers and text are, fractions, flags, dates and nested values are not."""
    missing = column.isna()
    if missing.any():
        raise InvalidGraphError(f"{what} has {int(missing.sum())} missing node id(s)")
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if pd.api.types.is_float_dtype(column.dtype):
        column = id_text(column)
        column = column if column.str.fullmatch(r"-?\d+").all() else column.astype(float)
    if not pd.api.types.is_integer_dtype(column.dtype):
        wrong = next((value for value in column if isinstance(value, bool) or not isinstance(value, str | int)), None)
        if wrong is not None:
            raise InvalidGraphError(
                f"{what} holds {str(wrong)[:40]!r}; node ids are integers or text: give the id alone"
            )
    return np.array([str(value).strip() for value in column], dtype=object)
