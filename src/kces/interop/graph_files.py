"""Graph files in and out, whatever their format: what a format does not understand, it carries along."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from kces.atomic import atomic_write
from kces.errors import InvalidParameterError, UnreadableFileError
from kces.graph import Graph
from kces.interop.formats import FORMATS, Request, format_named, format_of
from kces.interop.node_table import read_labels
from kces.interop.records import checked_mask

__all__ = ["LoadedGraph", "read_graph", "write_graph"]


@dataclass(frozen=True, eq=False)
class LoadedGraph:
    """A graph and the file it came from.

    Attributes
    ----------
    graph : what the methods of this library work on.
    path : the file.
    format : its format, one of npz, csv, tsv, edges, parquet, graphml, pt.
    payload : the file's own content, from which :meth:`write` makes the output.
    """

    graph: Graph
    path: Path
    format: str
    payload: Any = field(repr=False)

    def write(self, path: str | Path, kept: npt.ArrayLike, *, format: str | None = None, force: bool = False) -> None:
        """Write the file again without the edges that the full-length mask ``kept`` drops.

        In the input's format everything else stays as it was: ids, labels, extra columns and arrays, edge
        attributes, weights and directions of kept edges, self-loops. In another format, chosen by ``format``
        or by the extension of ``path``, the sanitized graph is written with :func:`write_graph`.
        """
        target = Path(path)
        mask = checked_mask(self.graph, kept)
        chosen = format_named(format) if format else format_of(target) or FORMATS[self.format]
        if chosen.name != self.format:
            write_graph(self.graph.keep_edges(mask), target, format=chosen.name, force=force)
            return
        with atomic_write(target, force=force) as temporary:
            chosen.write_filtered(self.graph, self.payload, mask, temporary)


def read_graph(
    path: str | Path,
    *,
    features: str | Path | None = None,
    labels: str | Path | None = None,
    format: str | None = None,
) -> LoadedGraph:
    """Read a graph file; its format follows from the extension unless ``format`` names it.

    Parameters
    ----------
    path : the file.
    features : a file with the nodes' features: CSV or TSV with the node id in the first column (a column
        called label or class is the labels), ``.npy``, or ``.npz`` (row r is node r). For GraphML also
        ``attr:NAME``, the node attribute to use.
    labels : a file with one class per node, ``.npy`` or text.
    format : its format, where the extension does not tell.

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
    """
    source = Path(path)
    chosen = format_named(format) if format else format_of(source)
    if not source.exists():
        raise UnreadableFileError(f"{source} does not exist")
    if chosen is None:
        known = ", ".join(extension for each in FORMATS.values() for extension in each.extensions)
        raise UnreadableFileError(f"{source} has an unknown format; known extensions are {known}")
    classes = None if labels is None else read_labels(labels)
    graph, payload = chosen.read(Request(source, features, classes))
    return LoadedGraph(graph=graph, path=source, format=chosen.name, payload=payload)


def write_graph(graph: Graph, path: str | Path, *, format: str | None = None, force: bool = False) -> None:
    """Write a graph in the format of the extension of ``path``, or in the one that ``format`` names.

    An npz, GraphML or pt file holds the features and labels too; an edge list holds the edges alone.
    """
    target = Path(path)
    chosen = format_named(format) if format else format_of(target)
    if chosen is None:
        raise InvalidParameterError(f"cannot tell the format of {target}; choose one of {', '.join(FORMATS)}")
    with atomic_write(target, force=force) as temporary:
        chosen.write_graph(graph, temporary)
