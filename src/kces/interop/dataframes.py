"""Tables of edges: pandas, and polars and Arrow through Arrow's stream protocol; rows come back in the same kind."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.interop.adapters import Hints, Source, register_source
from kces.interop.adjacency_tables import refuse_adjacency
from kces.interop.edge_columns import plain_ids
from kces.interop.feature_notes import say_about_features
from kces.interop.formats.base import EdgeOptions
from kces.interop.node_frames import table_of_nodes
from kces.interop.node_rows import NodeRows
from kces.interop.optional import require
from kces.interop.records import count_weights
from kces.interop.typed_edges import TypedEnds, find_typed_ends
from kces.text_ids import text_ids
from kces.types import Bools, Ints

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["ArrowSource", "PandasSource", "PolarsSource", "TableSource", "as_pandas", "is_table"]

Table = TypeVar("Table")

_EDGES = Path("edges")  # the name of the table in messages


class TableSource(Source[Table]):
    """A table with one row per edge; its records are its rows."""

    takes = frozenset(Hints.__dataclass_fields__)

    def __init__(self, original: Table, hints: Hints | None = None) -> None:
        super().__init__(original, hints)
        self._edges = as_pandas(original)
        if self._edges.shape[0] == self._edges.shape[1]:
            refuse_adjacency(self._edges, _EDGES, "give the matrix, edges.to_numpy()")
        if self._edges.shape[1] < 2 and self._edges.index.nlevels > 1:
            raise InvalidGraphError("edges has the ends of its edges in the index; give edges.reset_index()")

    @cached_property
    def _ends(self) -> TypedEnds:
        index, options = self._edges.index, EdgeOptions(self.hints.source, self.hints.target)
        return find_typed_ends(self._edges, _EDGES, options, has_names=True, where=lambda row: f"row {index[row]}")

    @cached_property
    def _numbered(self) -> tuple[NodeRows, Ints]:
        columns, nodes = self._ends.columns, self.hints.nodes
        named = pd.Index(pd.unique(np.concatenate([columns.sources, columns.targets])))
        table = table_of_nodes(as_pandas(nodes) if is_table(nodes) else nodes, named, self.hints)
        return columns.numbered(_EDGES, table)

    @property
    def pairs(self) -> Ints:
        return self._numbered[1]

    @cached_property
    def graph(self) -> Graph:
        rows, pairs = self._numbered
        say_about_features(rows.notes)
        weights = self._ends.weights
        return Graph.from_edges(
            pairs,
            rows.features,
            n_nodes=len(rows.ids),
            labels=rows.labels,
            node_ids=plain_ids(rows.ids) if self._names_are_numbers() else text_ids(rows.ids),
            feature_names=rows.feature_names,
            own_values=rows.own_values,
            weighted=0 if weights is None else count_weights(weights),
        )

    def _names_are_numbers(self) -> bool:
        """Whether nodes are numbers in the table itself: text such as "7" stays text."""
        ends = (self._ends.choice.source, self._ends.choice.target)
        return all(pd.api.types.infer_dtype(self._edges.iloc[:, end].astype(object)) != "string" for end in ends)

    @abstractmethod
    def keep_records(self, mask: Bools) -> Table:
        """The table with only the rows in ``mask``."""


@register_source("pandas")
class PandasSource(TableSource[pd.DataFrame]):
    """A pandas frame; index, columns and types of the rows that stay are kept."""

    def keep_records(self, mask: Bools) -> pd.DataFrame:
        return self.original.loc[mask].copy()


@register_source("polars")
class PolarsSource(TableSource["pl.DataFrame"]):
    """A polars frame."""

    def keep_records(self, mask: Bools) -> pl.DataFrame:
        return self.original.filter(mask)


@register_source("pyarrow")
class ArrowSource(TableSource["pa.Table"]):
    """An Arrow table or record batch."""

    def keep_records(self, mask: Bools) -> pa.Table:
        return self.original.filter(require("pyarrow", extra="files", purpose="an Arrow table").array(mask))


def is_table(value: object) -> bool:
    """Whether it is a table of columns; pandas before 2.2 does not speak Arrow's protocol.

    >>> is_table(pd.DataFrame()), is_table([[1.0, 2.0]])
    (True, False)
    """
    return isinstance(value, pd.DataFrame) or hasattr(value, "__arrow_c_stream__")


def as_pandas(table: object) -> pd.DataFrame:
    """The table as pandas has it; what cannot be taken apart into columns is refused."""
    if isinstance(table, pd.DataFrame):
        return table
    kind = type(table).__name__
    if kind == "LazyFrame":
        raise InvalidGraphError("a LazyFrame has no rows yet; give table.collect()")
    if kind in ("Series", "Index", "ChunkedArray", "Array") or not hasattr(table, "__arrow_c_stream__"):
        raise InvalidGraphError(f"a {kind} is no table of edges; give a data frame with one row per edge")
    arrow = require("pyarrow", extra="files", purpose=f"a table of type {kind}").table(table)
    return arrow.to_pandas(integer_object_nulls=True, ignore_metadata=True)
