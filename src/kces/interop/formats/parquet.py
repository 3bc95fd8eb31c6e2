"""Parquet edge lists: two node columns by name or position; all other columns are kept."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.graph import Graph
from kces.interop.edge_columns import WEIGHT_NAMES, EndColumns, find_end_columns
from kces.interop.formats.base import Format, Request
from kces.interop.limits import check_fits, damage_named, read_bytes
from kces.interop.optional import require
from kces.interop.records import surviving_records

__all__ = ["PARQUET"]


@dataclass(frozen=True)
class _Rows:
    """The pyarrow table, and which of its rows is which edge."""

    table: Any
    pairs: npt.NDArray[np.int64]


def _pyarrow(module: str) -> Any:
    return require(module, extra="files", purpose="a Parquet file")


def _read(request: Request) -> tuple[Graph, _Rows]:
    path = request.path
    parquet = _pyarrow("pyarrow.parquet")
    content = read_bytes(path)
    with damage_named(path, "Parquet"):
        file = parquet.ParquetFile(io.BytesIO(content))
        # Run lengths let a small file unfold into very many rows.
        check_fits(16 * file.metadata.num_rows * file.metadata.num_columns, f"reading {path}")
        table = file.read()
        table.validate(full=True)
    if table.num_columns < 2:
        raise UnreadableFileError(f"{path} is no edge list: it has {table.num_columns} column(s)")
    source, target = find_end_columns(table.column_names)
    ends = EndColumns(
        sources=_names(table.column(source), path, table.column_names[source]),
        targets=_names(table.column(target), path, table.column_names[target]),
        where=lambda row: f"row {row + 1}",
    )
    weight = next((c for c, name in enumerate(table.column_names) if name.lower() in WEIGHT_NAMES), None)
    weights = None if weight is None else table.column(weight).to_pandas().to_numpy()
    graph, pairs = ends.to_graph(path, request.node_table(), request.labels, weights)
    return graph, _Rows(table, pairs)


def _names(column: Any, path: Path, name: str) -> npt.NDArray[Any]:
    """The column's node ids as text."""
    types = _pyarrow("pyarrow").types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if not (types.is_integer(kind) or types.is_string(kind) or types.is_large_string(kind)):
        raise InvalidGraphError(f"{path} column {name!r} holds {kind}; node ids are integers or text")
    if column.null_count:
        raise InvalidGraphError(f"{path} column {name!r} has {column.null_count} missing node id(s)")
    with damage_named(path, "Parquet"):
        values = column.to_pylist()
    return np.array([str(value).strip() for value in values], dtype=object)


def _write_filtered(graph: Graph, payload: _Rows, kept: npt.NDArray[np.bool_], path: Path) -> None:
    survives = surviving_records(graph, kept, payload.pairs[:, 0], payload.pairs[:, 1])
    _pyarrow("pyarrow.parquet").write_table(payload.table.filter(_pyarrow("pyarrow").array(survives)), path)


def _write_graph(graph: Graph, path: Path) -> None:
    arrow = _pyarrow("pyarrow")
    ends = [graph.ids_of(graph.edges[:, end]) for end in (0, 1)]
    columns = [end if end.dtype.kind in "iu" else end.astype(str).astype(object) for end in ends]
    table = arrow.table({"source": columns[0], "target": columns[1]})
    _pyarrow("pyarrow.parquet").write_table(table, path)


PARQUET = Format("parquet", (".parquet", ".pq"), _read, _write_filtered, _write_graph)
