"""Parquet edge lists: two node columns by name or by what they hold; all other columns are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from kces.errors import OutputError, one_line
from kces.graph import Graph
from kces.interop.arrow_table import arrow_frame, arrow_table, pyarrow, read_arrow
from kces.interop.edge_records import EdgeRecords
from kces.interop.formats.base import Request, edge_list_format
from kces.interop.typed_edges import graph_from_frame
from kces.types import Bools

__all__ = ["PARQUET"]


@dataclass(frozen=True, eq=False)
class _ArrowRecords(EdgeRecords):
    """The rows and the pyarrow table that they came from, which has types that a frame has not."""

    table: Any = field(kw_only=True, repr=False)


def _read(request: Request) -> tuple[Graph, _ArrowRecords]:
    path = request.path
    table = read_arrow(request.read(), path)
    frame = arrow_frame(table, path)
    graph, rows = graph_from_frame(frame, request, has_names=True, where=lambda row: f"row {row + 1}")
    return graph, _ArrowRecords(rows.frame, rows.pairs, rows.choice, rows.notes, table=table)


def _write_filtered(graph: Graph, payload: _ArrowRecords, kept: Bools, path: Path) -> None:
    mask = pyarrow("pyarrow").array(payload.survives(graph, kept))
    pyarrow("pyarrow.parquet").write_table(payload.table.filter(mask), path)


def _write_table(frame: pd.DataFrame, path: Path) -> None:
    try:
        pyarrow("pyarrow.parquet").write_table(arrow_table(frame), path)
    except pyarrow("pyarrow").ArrowException as error:
        raise OutputError(f"Parquet cannot hold this table: {one_line(error)}; write .csv or .jsonl") from error


PARQUET = edge_list_format("parquet", (".parquet", ".pq"), _read, _write_filtered, _write_table)
