"""Nodes from a table in a stream: their numbers, names, classes and features."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kces.errors import InvalidGraphError, KCESError, UnreadableFileError
from kces.features import prepare_features
from kces.features.prepare import select_columns
from kces.interop.end_names import name_words
from kces.interop.node_columns import ID_NAMES, FeatureOptions
from kces.interop.node_labels import LABEL_NAMES, class_numbers
from kces.progress import Progress, silent
from kces.scale.folder_writer import FolderWriter
from kces.scale.from_graph import DENSE_COLUMNS, column_blocks, write_dense_features
from kces.scale.graph_folder import block_name
from kces.scale.stored_ids import packed_text
from kces.scale.streamed_columns import NumberColumn, number_columns, on_one_scale, with_negatives
from kces.scale.table_sources import TableSource, named_column, whole_numbers
from kces.scale.workbench import query_frame, run_query, stream_query
from kces.types import Array

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["StoredNodes", "number_nodes", "write_nodes"]

_BATCH = 100_000


@dataclass(frozen=True)
class StoredNodes:
    """What the manifest says of the nodes."""

    n_nodes: int
    ids: str
    features: str = "none"
    n_features: int = 0
    column_blocks: tuple[tuple[int, int], ...] = ()
    feature_names: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()


def id_column(table: TableSource, options: FeatureOptions) -> str:
    """The column that names the nodes: as asked, called so, or the first."""
    if options.id_column is not None:
        return named_column(table, options.id_column)
    called = [name for name in table.columns if name.lower() in ID_NAMES]
    called += [name for name in table.columns if "id" in name_words(name)]
    return (called or [table.columns[0]])[0]


def number_nodes(
    connection: DuckDBPyConnection, nodes: TableSource | None, options: FeatureOptions, ends: TableSource
) -> int:
    """Make the table ``nodes(id, n)``: integers by value, words by the alphabet; how many there are.

    Parameters
    ----------
    connection : of a workbench with the table ``named(s, t)`` of links by name.
    nodes : the table of nodes, or None where the links are all there is.
    options : what the caller said about it.
    ends : the table of links, for messages.
    """
    query = "SELECT s AS id FROM named UNION SELECT t FROM named"
    if nodes is not None:
        column = id_column(nodes, options)
        kind = run_query(connection, "SELECT typeof(s) FROM named LIMIT 1", ends.path)[0][0]
        if kind == "BIGINT" and not whole_numbers(connection, nodes, [column]):
            kind = "VARCHAR"
            run_query(connection, "ALTER TABLE named ALTER s TYPE VARCHAR", ends.path)
            run_query(connection, "ALTER TABLE named ALTER t TYPE VARCHAR", ends.path)
        query = f'SELECT CAST("{column}" AS {kind}) AS id FROM {nodes.select}'
    about = ends.path if nodes is None else nodes.path
    run_query(
        connection,
        f"CREATE TABLE nodes AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM ({query})",
        about,
    )
    total, distinct, unnamed = run_query(
        connection, "SELECT count(*), count(DISTINCT id), count(*) FILTER (id IS NULL) FROM nodes", about
    )[0]
    if unnamed:
        raise InvalidGraphError(f"{about} has {unnamed} missing node id(s)")
    if distinct < total:
        raise InvalidGraphError(f"{about} names {total - distinct} node(s) a second time")
    if nodes is not None:
        _refuse_strangers(connection, nodes, ends)
    return int(total)


def _refuse_strangers(connection: DuckDBPyConnection, nodes: TableSource, ends: TableSource) -> None:
    stranger = run_query(
        connection,
        "SELECT id FROM (SELECT s AS id FROM named UNION SELECT t FROM named) ANTI JOIN nodes USING (id) LIMIT 1",
        ends.path,
    )
    if stranger:
        raise InvalidGraphError(
            f"{ends.path} names node {stranger[0][0]}, which is not among the nodes of {nodes.path}"
        )


def write_nodes(
    connection: DuckDBPyConnection,
    nodes: TableSource | None,
    options: FeatureOptions,
    n_nodes: int,
    writer: FolderWriter,
    progress: Progress = silent,
) -> StoredNodes:
    """Write names, classes and features of the nodes in the order of their numbers."""
    ids = _write_ids(connection, n_nodes, writer)
    if nodes is None:
        return StoredNodes(n_nodes, ids, n_features=n_nodes)
    column = id_column(nodes, options)
    label = next((name for name in nodes.columns if name.lower() in LABEL_NAMES and name != column), None)
    label = None if label in (*(options.columns or ()), *(options.drop_columns or ())) else label
    if label is not None:
        _write_labels(connection, nodes, column, label, writer)
    others = [name for name in nodes.columns if name not in (column, label)]
    if not others:
        if label is None:
            raise UnreadableFileError(f"{nodes.path} has one column; it needs node ids and features")
        return StoredNodes(n_nodes, ids, n_features=n_nodes)
    try:
        chosen = [others[place] for place in select_columns(others, options.columns, options.drop_columns)]
        columns, matrix, note = _read_features(connection, nodes, column, chosen, options.scale)
    except KCESError as error:
        raise type(error)(f"{nodes.path}: {error}") from error
    if matrix is not None:
        blocks = write_dense_features(matrix, writer)
    else:
        blocks = _stream_features(connection, nodes, column, columns, n_nodes, writer, progress)
    names = tuple(each.name for each in columns)
    return StoredNodes(n_nodes, ids, "dense", len(names), blocks, names, note)


def _read_features(
    connection: DuckDBPyConnection, nodes: TableSource, id_name: str, chosen: Sequence[str], scale: str
) -> tuple[list[NumberColumn], Array | None, tuple[str, ...]]:
    """Columns to stream; or, where some are no plain numbers, the matrix that the features are in memory."""
    linked = _linked_rows(connection, nodes, id_name)
    found = number_columns(connection, nodes, chosen, linked)
    if found is not None and (len(found) > 1 or scale == "none"):
        columns, note = on_one_scale(found, scale)
        columns, answers = (columns, "") if scale == "none" else with_negatives(connection, nodes, columns, linked)
        if len(columns) > 1:
            return columns, None, tuple(said for said in (answers, note) if said)
    listed = ", ".join(f'"{name}"' for name in chosen)
    frame = query_frame(
        connection, _in_order(nodes, id_name, f"{listed}, kces_n IN (SELECT n FROM linked) AS kces_linked"), nodes.path
    )
    counted = frame.pop("kces_linked").to_numpy(dtype=bool)
    prepared = prepare_features(frame, scale=scale, counted=counted)
    return [NumberColumn(name, "") for name in prepared.names], prepared.matrix, tuple(prepared.notes)


def _linked_rows(connection: DuckDBPyConnection, nodes: TableSource, id_name: str) -> str:
    """Make the table ``linked(n)``; the rows of nodes with a link, as SQL."""
    run_query(connection, "CREATE TABLE linked AS SELECT s AS n FROM links UNION SELECT t FROM links", nodes.path)
    counts = "SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM linked)"
    total, linked = run_query(connection, counts, nodes.path)[0]
    if linked in (0, total):
        return nodes.select
    return (
        f"(SELECT * FROM {nodes.select} SEMI JOIN (SELECT CAST(id AS VARCHAR) AS kces_id FROM nodes"
        f' SEMI JOIN linked USING (n)) ON CAST("{id_name}" AS VARCHAR) = kces_id)'
    )


def _in_order(nodes: TableSource, id_name: str, listed: str) -> str:
    """Select from the table of nodes in the order of their numbers, which is that of their ids."""
    return (
        f'SELECT {listed} FROM (SELECT *, CAST("{id_name}" AS VARCHAR) AS kces_id FROM {nodes.select}) '
        "JOIN (SELECT CAST(id AS VARCHAR) AS kces_id, n AS kces_n FROM nodes) USING (kces_id) ORDER BY kces_n"
    )


def _stream_features(
    connection: DuckDBPyConnection,
    nodes: TableSource,
    id_name: str,
    columns: list[NumberColumn],
    n_nodes: int,
    writer: FolderWriter,
    progress: Progress,
) -> tuple[tuple[int, int], ...]:
    blocks = column_blocks(len(columns), DENSE_COLUMNS)
    center, width = (np.array([getattr(each, part) for each in columns]) for part in ("center", "width"))
    listed = ", ".join(f"{each.expression} AS x{place}" for place, each in enumerate(columns))
    reader = stream_query(connection, _in_order(nodes, id_name, listed), nodes.path, _BATCH)
    done = 0
    with ExitStack() as stack:
        files = []
        for block, (first, last) in enumerate(blocks):
            short = all(each.fits_single for each in columns[first:last])
            kind = np.float32 if short else np.float64
            files.append(stack.enter_context(writer.growing(block_name(block), kind, (last - first,))))
        for batch in reader:
            rows = np.stack([np.asarray(batch.column(place), dtype=np.float64) for place in range(len(columns))], 1)
            rows = (rows - center) / width
            for file, (first, last) in zip(files, blocks, strict=True):
                file.append(rows[:, first:last])
            done += len(rows)
            progress("write features", done, n_nodes)
    return blocks


def _write_labels(
    connection: DuckDBPyConnection, nodes: TableSource, id_name: str, label: str, writer: FolderWriter
) -> None:
    query = _in_order(nodes, id_name, f"coalesce(CAST(\"{label}\" AS VARCHAR), '') AS label")
    values = query_frame(connection, query, nodes.path)["label"].to_numpy(dtype=object)
    writer.array("labels", class_numbers(values, f"labels in {nodes.path}"))


def _write_ids(connection: DuckDBPyConnection, n_nodes: int, writer: FolderWriter) -> str:
    first, last, kind = run_query(connection, "SELECT min(id), max(id), any_value(typeof(id)) FROM nodes", "nodes")[0]
    if kind != "VARCHAR" and (first, last) == (0, n_nodes - 1):
        return "numbers"
    reader = stream_query(connection, "SELECT id FROM nodes ORDER BY n", "nodes", _BATCH)
    if kind != "VARCHAR":
        with writer.growing("ids", np.int64) as file:
            for batch in reader:
                file.append(np.asarray(batch.column(0)))
        return "integers"
    before = 0
    with writer.growing("ids", np.uint8) as file, writer.growing("ids_ends", np.int64) as ends:
        for batch in reader:
            values, stops = packed_text(batch.column(0).to_pylist())
            file.append(values)
            ends.append(stops + before)
            before += len(values)
    return "text"
