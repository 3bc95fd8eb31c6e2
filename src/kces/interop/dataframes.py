"""Tables of edges: pandas, and polars and Arrow through Arrow's stream protocol; rows come back in the same kind."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pandas as pd

from kces.errors import GraphWarning, InvalidGraphError
from kces.graph import Graph
from kces.interop.adapters import Hints, Source, register_source
from kces.interop.networkx import id_array
from kces.interop.optional import require
from kces.interop.pandas_tables import NamedEdges, NodeRows, named_edges, node_rows
from kces.types import Bools, Ints

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["ArrowSource", "PandasSource", "PolarsSource", "TableSource"]

Table = TypeVar("Table")


class TableSource(Source[Table]):
    """A table with one row per edge; its records are its rows."""

    takes = frozenset(Hints.__dataclass_fields__)

    def __init__(self, original: Table, hints: Hints | None = None) -> None:
        super().__init__(original, hints)
        self._edges = _as_pandas(original)

    @cached_property
    def _named(self) -> NamedEdges:
        return named_edges(self._edges, self.hints)

    @cached_property
    def _nodes(self) -> NodeRows:
        nodes = self.hints.nodes
        return node_rows(_as_pandas(nodes) if _is_table(nodes) else nodes, self._named.names, self.hints)

    @cached_property
    def pairs(self) -> Ints:
        number_of = pd.Index(self._nodes.ids).get_indexer(pd.Index(self._named.names))
        return number_of[self._named.codes].astype(np.int64).reshape(-1, 2)

    @cached_property
    def graph(self) -> Graph:
        rows = self._nodes
        if rows.notes:
            warnings.warn(f"node features: {'; '.join(rows.notes)}", GraphWarning, stacklevel=3)
        numbered = rows.ids.dtype.kind == "i" and np.array_equal(rows.ids, np.arange(len(rows.ids)))
        return Graph.from_edges(
            self.pairs,
            rows.features,
            n_nodes=len(rows.ids),
            labels=rows.labels,
            node_ids=None if numbered else id_array(rows.ids.tolist()),
            feature_names=rows.feature_names,
            weighted=self._named.weighted,
        )

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


def _is_table(nodes: object) -> bool:
    return isinstance(nodes, pd.DataFrame) or hasattr(nodes, "__arrow_c_stream__")


def _as_pandas(table: object) -> pd.DataFrame:
    """The table as pandas has it; what cannot be taken apart into columns is refused."""
    if isinstance(table, pd.DataFrame):
        return table
    kind = type(table).__name__
    if kind == "LazyFrame":
        raise InvalidGraphError("a LazyFrame has no rows yet; give table.collect()")
    if kind in ("Series", "Index", "ChunkedArray", "Array") or not hasattr(table, "__arrow_c_stream__"):
        raise InvalidGraphError(f"a {kind} is no table of edges; give a data frame with one row per edge")
    return require("pyarrow", extra="files", purpose=f"a table of type {kind}").table(table).to_pandas()
