"""From any source to a graph folder: tables in a stream, arrays piece by piece, everything else through memory."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.interop.formats.base import EdgeOptions
from kces.interop.node_columns import FeatureOptions
from kces.interop.outputs import plain_name
from kces.progress import Progress, silent
from kces.scale.folder_manifest import FolderManifest
from kces.scale.folder_writer import FolderWriter, check_new_folder, new_folder
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder
from kces.scale.origin import made_here
from kces.scale.streamed_edges import AdjacencyCounts, write_adjacency
from kces.scale.streamed_nodes import StoredNodes, number_nodes, write_nodes
from kces.scale.table_sources import end_columns, is_table, open_table, whole_numbers
from kces.scale.workbench import run_query, workbench

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["convert", "convert_tables"]


def convert(
    source: str | Path | Graph,
    output: str | Path,
    *,
    nodes: str | Path | None = None,
    edge_options: EdgeOptions | None = None,
    feature_options: FeatureOptions | None = None,
    memory: int | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> GraphFolder:
    """Write a graph folder and open it.

    Parameters
    ----------
    source : a table of edges (CSV or Parquet, many files with ``*``), an ``.npz`` file, a folder in the layout of
        OGB, or a graph in memory.
    output : the folder to make, usually ``NAME.kces``.
    nodes : a table with a row per node, beside a table of edges.
    edge_options, feature_options : which columns are what, as in :func:`kces.interop.read_graph`.
    memory : bytes that sorting may use; default 2 GiB, or half of what is free.
    force : replace a graph folder that is there.
    progress : told about the parts.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     links = Path(place) / "links.csv"
    ...     _ = links.write_text("payer,payee\\nann,bob\\nbob,cy\\nbob,ann\\n")
    ...     folder = convert(links, Path(place) / "links.kces")
    ...     folder.n_nodes, folder.edges.tolist(), folder.to_graph().node_ids.tolist()
    (3, [[0, 1], [1, 2]], ['ann', 'bob', 'cy'])
    """
    target = Path(output)
    check_new_folder(target, force=force)
    if isinstance(source, Graph):
        return write_graph_folder(source, target, force=force)
    if is_table(str(source)):
        edges, features = edge_options or EdgeOptions(), feature_options or FeatureOptions()
        return convert_tables(
            str(source), target, nodes, edges, features, memory=memory, force=force, progress=progress
        )
    from kces.scale.stored_arrays import array_source  # needs zip files and their headers, which tables do not

    if nodes is not None:
        raise InvalidParameterError(f"{source} is no table of edges; a table of nodes goes with one")
    found = array_source(Path(source))
    with workbench(target.parent, memory) as connection, new_folder(target, force=force) as writer:
        found.load_links(connection, progress)
        stored = found.write_nodes(writer, progress)
        counts = write_adjacency(connection, stored.n_nodes, writer, progress)
        _finish(writer, stored, counts, str(source))
    return GraphFolder.open(target)


def convert_tables(
    source: str,
    target: Path,
    nodes: str | Path | None,
    edge_options: EdgeOptions,
    feature_options: FeatureOptions,
    *,
    memory: int | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> GraphFolder:
    """The same for tables: DuckDB numbers the nodes and sorts the links on disk."""
    if nodes is None and feature_options != FeatureOptions():
        raise InvalidParameterError("id_column, columns, drop_columns and scale are about a table of nodes; give one")
    with workbench(target.parent, memory) as connection, new_folder(target, force=force) as writer:
        links = open_table(connection, source, edge_options)
        ends = end_columns(connection, links, edge_options)
        kind = "BIGINT" if whole_numbers(connection, links, ends) else "VARCHAR"
        selected = ", ".join(f'CAST("{end}" AS {kind}) AS {name}' for end, name in zip(ends, "st", strict=True))
        run_query(connection, f"CREATE TABLE named AS SELECT {selected} FROM {links.select}", source)
        _refuse_missing_ends(connection, source)
        table = None if nodes is None else open_table(connection, str(nodes))
        n_nodes = number_nodes(connection, table, feature_options, links)
        _number_links(connection, source)
        stored = write_nodes(connection, table, feature_options, n_nodes, writer, progress)
        counts = write_adjacency(connection, n_nodes, writer, progress)
        _finish(writer, stored, counts, source)
    return GraphFolder.open(target)


def _refuse_missing_ends(connection: DuckDBPyConnection, source: str) -> None:
    missing = run_query(
        connection,
        "SELECT count(*) FROM named WHERE s IS NULL OR t IS NULL OR s::VARCHAR = '' OR t::VARCHAR = ''",
        source,
    )[0][0]
    if missing:
        raise InvalidParameterError(f"{source} has {missing} row(s) without a node id; drop or correct them")


def _number_links(connection: DuckDBPyConnection, source: str) -> None:
    run_query(
        connection,
        "CREATE TABLE links AS SELECT a.n AS s, b.n AS t FROM named"
        " JOIN nodes a ON named.s = a.id JOIN nodes b ON named.t = b.id",
        source,
    )
    run_query(connection, "DROP TABLE named", source)


def _finish(writer: FolderWriter, stored: StoredNodes, counts: AdjacencyCounts, source: str) -> None:
    counts.repairs.warn()
    name = plain_name(Path(source)).stem
    manifest = FolderManifest(
        name=name if "*" not in name else Path(source).parent.name or "graph",
        n_nodes=stored.n_nodes,
        n_edges=counts.edges,
        n_features=stored.n_features,
        features=stored.features,
        column_blocks=stored.column_blocks,
        ids=stored.ids,
        files=writer.stored(),
        feature_names=stored.feature_names,
        repairs=asdict(counts.repairs),
        made_by=made_here(source),
        notes=stored.notes,
    )
    writer.finish(manifest)
