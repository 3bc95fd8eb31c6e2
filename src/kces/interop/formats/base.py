"""What every file format offers to the dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.interop.limits import read_bytes
from kces.interop.node_table import NodeTable
from kces.types import Bools, Ints

__all__ = ["EdgeOptions", "Format", "Request", "edge_list_format", "plain_edges"]


@dataclass(frozen=True)
class EdgeOptions:
    """What the caller said about an edge list: which columns are its ends, and how its text is laid out.

    A column is given by its name, or by its number counted from 1.
    """

    source: str | int | None = None
    target: str | int | None = None
    delimiter: str | None = None
    header: bool | None = None

    def refuse_text_options(self, path: Path) -> None:
        """Only text has delimiters and headers to ask about."""
        if self.delimiter is not None or self.header is not None:
            raise InvalidParameterError(f"{path} is no delimited text: delimiter and header do not go with it")

    def refuse(self, path: Path) -> None:
        """A file that is no table has no columns."""
        if self != EdgeOptions():
            raise InvalidParameterError(f"{path} is no table: source, target, delimiter and header do not go with it")


@dataclass(frozen=True)
class Request:
    """What to read.

    Attributes
    ----------
    path : the file.
    content : its bytes where they are at hand already (standard input), else None.
    attributes, scale : the node attributes of a GraphML file to use, all that can be without, and their scale.
    edges : what the caller said about the columns of an edge list.
    table, labels : the files that describe the nodes of an edge list, which has no list of nodes of its own.
    """

    path: Path
    content: bytes | None = None
    attributes: Sequence[str] | None = None
    scale: str = "auto"
    edges: EdgeOptions = field(default_factory=EdgeOptions)
    table: NodeTable | None = None
    labels: Ints | None = None

    def read(self) -> bytes:
        """The content of the file."""
        return read_bytes(self.path) if self.content is None else self.content


@dataclass(frozen=True)
class Format:
    """One file format.

    ``read`` returns the graph and a payload: whatever ``write_filtered`` needs to write the same file again
    without the dropped edges. ``write_graph`` writes a graph that came from elsewhere. Writers get the path of
    a temporary file. An edge list has a ``write_table`` too, which writes any table; its payload is an
    :class:`~kces.interop.edge_records.EdgeRecords`. ``packs`` says whether a name may end in .gz, ``typed`` whether
    the file tells numbers from text, ``has_attributes`` whether its nodes have attributes by name, ``is_folder`` that
    it is a folder, whose writers see to it that it comes whole.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Request], tuple[Graph, Any]]
    write_filtered: Callable[[Graph, Any, Bools, Path], None]
    write_graph: Callable[[Graph, Path], None]
    write_table: Callable[[pd.DataFrame, Path], None] | None = None
    packs: bool = False
    typed: bool = True
    has_attributes: bool = False
    is_folder: bool = False


def edge_list_format(
    name: str,
    extensions: tuple[str, ...],
    read: Callable[[Request], tuple[Graph, Any]],
    write_filtered: Callable[[Graph, Any, Bools, Path], None],
    write_table: Callable[[pd.DataFrame, Path], None],
    *,
    packs: bool = False,
    typed: bool = True,
) -> Format:
    """A format of rows and columns: a graph from elsewhere is written as the table of its edges."""

    def write_graph(graph: Graph, path: Path) -> None:
        write_table(plain_edges(graph), path)

    return Format(name, extensions, read, write_filtered, write_graph, write_table, packs, typed)


def plain_edges(graph: Graph) -> pd.DataFrame:
    """The edges of a graph as a table of two columns.

    >>> plain_edges(Graph.from_edges([[0, 1]])).to_dict("list")
    {'source': [0], 'target': [1]}
    """
    ends = [graph.ids_of(graph.edges[:, end]) for end in (0, 1)]
    columns = [end if end.dtype.kind in "iu" else np.array([str(name) for name in end], dtype=object) for end in ends]
    return pd.DataFrame({"source": columns[0], "target": columns[1]})
