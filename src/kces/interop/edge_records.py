"""The rows of an edge file: which edge each of them is, and all their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy.typing as npt
import pandas as pd

from kces.graph import Graph
from kces.interop.end_choice import EndChoice
from kces.interop.records import edge_of_record, surviving_records
from kces.types import Bools, Ints

__all__ = ["EdgeRecords", "column_names", "typed_columns"]


@dataclass(frozen=True, eq=False)
class EdgeRecords:
    """The rows of an edge file, in its order.

    Attributes
    ----------
    frame : all columns; cells of a text file are text.
    pairs : ``(rows, 2)`` node numbers of the two ends, as they stand in the row.
    choice : which columns are the ends.
    notes : what was done to the features beside, one line each.
    """

    frame: pd.DataFrame = field(repr=False)
    pairs: Ints = field(repr=False)
    choice: EndChoice
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        rows = len(self.pairs)
        return f"{self.choice}, {rows} row{'s' if rows != 1 else ''}"

    def survives(self, graph: Graph, kept: npt.ArrayLike) -> Bools:
        """Which rows stay when the edges that ``kept`` drops are taken out."""
        return surviving_records(graph, kept, self.pairs[:, 0], self.pairs[:, 1])

    def edge_numbers(self, graph: Graph) -> Ints:
        """Position of each row's edge in ``graph.edges``; -1 for a self-loop."""
        return edge_of_record(graph.edges, self.pairs)

    def values(self) -> pd.DataFrame:
        """All columns, with types, for a file that knows them."""
        return self.frame


def column_names(header: Sequence[str] | None, width: int, ends: tuple[int, int]) -> tuple[str, ...]:
    """A name for every column, no two alike: the header's, or source, target and numbers.

    >>> column_names(["from", "to", "", "to"], 4, (0, 1)), column_names(None, 3, (0, 1))
    (('from', 'to', 'column 3', 'to.1'), ('source', 'target', 'column 3'))
    """
    made_up = {ends[0]: "source", ends[1]: "target"} if header is None else {}
    given = [made_up.get(position) or (header[position] if header else "") for position in range(width)]
    names = [name or f"column {position + 1}" for position, name in enumerate(given)]
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        candidate = name if not seen[name] else f"{name}.{seen[name]}"
        seen[name] += 1
        while candidate in unique:
            candidate += "."
        unique.append(candidate)
    return tuple(unique)


def typed_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame of text with its numbers as numbers, where they come back as they were written.

    >>> typed = typed_columns(pd.DataFrame({"n": ["1", ""], "x": ["0.5", "2.0"], "zip": ["007", "1"]}))
    >>> typed["n"].tolist()[0], typed["x"].tolist(), typed["zip"].tolist()
    (1, [0.5, 2.0], ['007', '1'])
    """
    return pd.DataFrame({name: _typed(frame[name]) for name in frame.columns})


def _typed(cells: pd.Series) -> pd.Series:
    text = cells.str.strip()
    known = text != ""
    if not known.any():
        return cells
    if text[known].str.fullmatch(r"-?(0|[1-9]\d{0,17})").all():
        return pd.to_numeric(text.where(known)).astype("Int64" if not known.all() else "int64")
    if text[known].str.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,2})?").all():
        return pd.to_numeric(text.where(known)).astype("float64")
    return cells
