"""Graph files in and out, whatever their format: what a format does not understand, it carries along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.atomic import is_stream
from kces.errors import InvalidParameterError, UnreadableFileError
from kces.graph import Graph
from kces.interop.delimiters import named_delimiter
from kces.interop.edge_records import EdgeRecords
from kces.interop.foreign_files import remedy_for
from kces.interop.formats import (
    FORMATS,
    EdgeOptions,
    Format,
    Request,
    format_named,
    format_of,
    format_of_content,
    known_extensions,
)
from kces.interop.formats.graphml import ATTRIBUTE_PREFIX
from kces.interop.limits import STANDARD_INPUT, STANDARD_STREAM, read_standard_input
from kces.interop.node_columns import FeatureOptions
from kces.interop.node_labels import read_labels
from kces.interop.node_table import NodeTable, read_node_table
from kces.interop.outputs import open_output
from kces.interop.records import checked_mask
from kces.scale.folder_writer import check_new_folder
from kces.scale.graph_folder import is_graph_folder
from kces.types import Ints

__all__ = ["LoadedGraph", "output_format", "place_for", "read_graph", "write_graph"]


@dataclass(frozen=True, eq=False)
class LoadedGraph:
    """A graph and the file it came from.

    Attributes
    ----------
    graph : what the methods of this library work on.
    path : the file.
    format : its format, one of npz, csv, tsv, edges, json, jsonl, parquet, graphml, pt, kces.
    payload : the file's own content, from which :meth:`write` makes the output.
    notes : what was done to the features, one line each, for people.
    """

    graph: Graph
    path: Path
    format: str
    payload: Any = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> EdgeRecords | None:
        """The rows of an edge list, each with its edge and all its columns; None for a file without rows."""
        return self.payload if isinstance(self.payload, EdgeRecords) else None

    def write(self, path: str | Path, kept: npt.ArrayLike, *, format: str | None = None, force: bool = False) -> None:
        """Write the file again without the edges that the full-length mask ``kept`` drops.

        In the input's format everything else stays as it was: ids, labels, extra columns and arrays, edge
        attributes, weights and directions of kept edges, self-loops. In another format, chosen by ``format``
        or by the extension of ``path`` (``-`` is standard output, in the input's format), an edge list keeps its
        rows and all their columns if the other is one too; else the graph is written with :func:`write_graph`.
        """
        target = Path(path)
        mask = checked_mask(self.graph, kept)
        chosen = output_format(target, format, default=self.format)
        if chosen.name != self.format and (self.records is None or chosen.write_table is None):
            write_graph(self.graph.keep_edges(mask), target, format=chosen.name, force=force)
            return
        with place_for(target, chosen, force=force) as temporary:
            if chosen.name == self.format:
                chosen.write_filtered(self.graph, self.payload, mask, temporary)
            elif self.records is not None and chosen.write_table is not None:
                frame = self.records.values() if chosen.typed else self.records.frame
                chosen.write_table(frame[self.records.survives(self.graph, mask)], temporary)


def read_graph(
    path: str | Path,
    *,
    features: str | Path | None = None,
    labels: str | Path | None = None,
    format: str | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    id_column: str | int | None = None,
    columns: Sequence[str] | None = None,
    drop_columns: Sequence[str] | None = None,
    scale: str = "auto",
) -> LoadedGraph:
    """Read a graph file; its format follows from the extension unless ``format`` names it.

    Parameters
    ----------
    path : the file; ``-`` is standard input. Text may be packed (``.gz``).
    features : a file with the nodes' features: a table (CSV, TSV, Parquet, JSON) with a column of node ids (a column
        called label or class is the labels), ``.npy``, or ``.npz`` (row r is node r). For GraphML also
        ``attr:NAME``, the node attribute(s) to use; without, all that can be.
    labels : a file with one class per node, ``.npy`` or text.
    format : its format, where neither the extension nor, for standard input, the content tells.
    source, target : the two columns of an edge list that hold the nodes, by name or by number counted from 1.
        Without, they are found by their names or by the values they share; what is ambiguous is an error that asks.
    delimiter, header : what stands between the cells of an edge list as text, and whether it begins with names.
    id_column : the column of the features that holds the node ids. Without, it is found.
    columns, drop_columns : the columns of the features to use, or to leave out.
    scale : ``"auto"`` compares numbers of a features table by nearness when scales differ, ``"standard"`` standardizes,
        ``"none"`` never (:func:`kces.features.prepare_features`).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "links.csv"
    ...     _ = file.write_text("source,target,since\\nann,bob,1999\\nbob,cy,2004\\n")
    ...     loaded = read_graph(file)
    ...     loaded.write(Path(folder) / "clean.csv", kept=[False, True])
    ...     (Path(folder) / "clean.csv").read_text()
    'source,target,since\\nbob,cy,2004\\n'
    >>> loaded.graph
    Graph(links, nodes=3, edges=2, features=3)
    >>> print(loaded.records)
    columns source -> target (header on line 1), 2 rows
    """
    edges = EdgeOptions(source, target, None if delimiter is None else named_delimiter(delimiter), header)
    request, chosen = _opened(Path(path), format, edges)
    options = FeatureOptions(id_column, columns, drop_columns, scale)
    attributes = _attributes(features, options, chosen)
    table = None if features is None or attributes is not None else read_node_table(features, options)
    classes = None if labels is None else read_labels(labels)
    if chosen.write_table is not None:
        graph, payload = chosen.read(replace(request, table=table, labels=classes))
        return LoadedGraph(graph, request.path, chosen.name, payload, payload.notes)
    edges.refuse(request.path)
    graph, payload = chosen.read(
        replace(request, attributes=attributes if table is None else (), scale="auto" if table else scale)
    )
    graph, notes = _described(graph, table, classes)
    return LoadedGraph(graph, request.path, chosen.name, payload, notes)


def _attributes(features: str | Path | None, options: FeatureOptions, chosen: Format) -> Sequence[str] | None:
    """The node attributes of the file that the caller names; refuses options that nothing is there for."""
    if str(features or "").startswith(ATTRIBUTE_PREFIX):
        if not chosen.has_attributes:
            raise InvalidParameterError(
                f"{features}: only nodes of a GraphML file have attributes; name a features file"
            )
        named = str(features).removeprefix(ATTRIBUTE_PREFIX)
        return [name.strip() for name in named.split(",")] if named else None
    if features is not None or options == FeatureOptions():
        return None
    if not chosen.has_attributes:
        raise InvalidParameterError("id_column, columns, drop_columns and scale are about a features file; give one")
    if options.id_column is not None or options.drop_columns is not None:
        raise InvalidParameterError("nodes of a GraphML file have their own ids; name the attributes to use by columns")
    return options.columns


def write_graph(graph: Graph, path: str | Path, *, format: str | None = None, force: bool = False) -> None:
    """Write a graph in the format of the extension of ``path``, or in the one that ``format`` names.

    An npz, GraphML or pt file holds the features and labels too; an edge list holds the edges alone.
    """
    target = Path(path)
    chosen = output_format(target, format)
    with place_for(target, chosen, force=force) as temporary:
        chosen.write_graph(graph, temporary)


@contextmanager
def place_for(target: Path, chosen: Format, *, force: bool) -> Iterator[Path]:
    """Where to write: a temporary file that takes its place when it is whole, or a folder, which does that itself."""
    if chosen.is_folder:
        check_new_folder(target, force=force)
        yield target
        return
    with open_output(target, force=force) as temporary:
        yield temporary


def output_format(path: str | Path, format: str | None = None, *, default: str = "csv") -> Format:
    """The format to write to ``path``: the one named, else by extension, else refused.

    ``default`` is for standard output (``-``), pipes and devices, whose names say nothing.

    >>> output_format("clean.parquet").name, output_format("-", default="npz").name
    ('parquet', 'npz')
    """
    target = Path(path)
    if format is not None:
        return format_named(format)
    if target == STANDARD_STREAM or (format_of(target) is None and is_stream(target)):
        return FORMATS[default]
    found = format_of(target)
    if found is None and target.is_dir():
        raise InvalidParameterError(f"{target} is a folder; name a file in it")
    if found is None:
        raise InvalidParameterError(f"cannot tell the format of {target}; known extensions are {known_extensions()}")
    return found


def _opened(path: Path, format: str | None, edges: EdgeOptions) -> tuple[Request, Format]:
    """The request for a file, and the format it is in."""
    named = None if format is None else format_named(format)
    if path == STANDARD_STREAM:
        content = read_standard_input()
        return Request(STANDARD_INPUT, content, edges=edges), named or format_of_content(content)
    chosen = named or (FORMATS["kces"] if is_graph_folder(path) else format_of(path))
    if not path.exists():
        raise UnreadableFileError(f"{path} does not exist")
    if chosen is None:
        what = "is a folder, and no folder of kces convert" if path.is_dir() else "has an unknown format"
        raise UnreadableFileError(f"{path} {what}; {remedy_for(path, f'known extensions are {known_extensions()}')}")
    return Request(path, edges=edges), chosen


def _described(graph: Graph, table: NodeTable | None, labels: Ints | None) -> tuple[Graph, tuple[str, ...]]:
    """``graph``, whose file lists its own nodes, with the features and labels of the files beside it."""
    if table is None and labels is None:
        return graph, ()
    rows = None if table is None else table.aligned(graph.ids_of(np.arange(graph.n_nodes)))
    has_features = rows is not None and rows.features is not None
    given = [labels, None if rows is None else rows.labels, graph.labels]
    fresh = Graph.from_edges(
        graph.edges,
        rows.features if rows is not None and has_features else graph.features,
        n_nodes=graph.n_nodes,
        labels=next((each for each in given if each is not None), None),
        feature_names=rows.feature_names if rows is not None and has_features else graph.feature_names,
        own_values=rows.own_values if rows is not None and has_features else graph.own_values,
    )
    described = replace(
        graph,
        features=fresh.features,
        labels=fresh.labels,
        feature_names=fresh.feature_names,
        own_values=fresh.own_values,
    )
    return described, () if rows is None else tuple(rows.notes)
