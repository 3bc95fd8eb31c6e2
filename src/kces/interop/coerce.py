"""Accept what users have: our Graph, or another library's, told apart without importing that library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from kces.errors import InvalidGraphError
from kces.graph import Graph

# Each of these modules registers its sources; none imports the library it is for.
from kces.interop import dataframes, igraph, networkx, pyg, scipy_matrices  # noqa: F401
from kces.interop.adapters import SOURCES, Hints, Source
from kces.interop.with_nodes import SourceWithNodes

__all__ = ["as_graph", "open_source"]

Kind = TypeVar("Kind")

_KNOWN = (
    "a kces.Graph, a PyG Data, a NetworkX or igraph graph, a table of edges (pandas, polars, Arrow), alone or as"
    " (edges, nodes), a square matrix (scipy, NumPy)"
)

_HINTS = {
    "str": "kces.interop.read_graph(path).graph reads a file, kces.load_builtin(name) a built-in graph",
    "PosixPath": "kces.interop.read_graph(path).graph reads a file",
    "WindowsPath": "kces.interop.read_graph(path).graph reads a file",
    "list": "for pairs of node numbers give kces.Graph.from_edges(pairs), for names a table or networkx.Graph(pairs)",
    "set": "for pairs of node numbers give kces.Graph.from_edges(pairs), for names a table or networkx.Graph(pairs)",
    "dict": "give networkx.Graph(neighbors)",
    "Tensor": "give torch_geometric.data.Data(x=x, edge_index=edge_index)",
    "HeteroGraph": "give dgl.to_networkx(graph), or a torch_geometric.data.Data",
    "DGLGraph": "give dgl.to_networkx(graph), or a torch_geometric.data.Data",
}
"""What to do with types that people try."""


def open_source(
    graph: Kind,
    *,
    nodes: object = None,
    source: str | None = None,
    target: str | None = None,
    features: str | Sequence[str] | None = None,
    label: str | None = None,
    id_column: str | None = None,
    scale: str = "auto",
) -> Source[Kind]:
    """The adapter for a graph of any kind; see :class:`kces.interop.adapters.Source` for what it does.

    Parameters
    ----------
    graph : a :class:`kces.Graph`, a PyG ``Data`` or ``Batch``, a NetworkX or igraph graph, a table with one row per
        edge (pandas, polars, Arrow), a square matrix (scipy, NumPy), or a pair ``(edges, nodes)`` of a table or
        matrix and what describes its nodes.
    nodes : of a table of edges: a table with one row per node; of a matrix: the features of its nodes.
    source, target : of a table of edges: the columns that name the two ends, where they cannot be told.
    features : the columns of ``nodes``, or the node attributes, to use; all that can be used without.
    label : the column of ``nodes``, or the node attribute, with the class.
    id_column : the column of ``nodes`` that names the node, where it cannot be told.
    scale : how columns of numbers come to one scale, see :func:`kces.features.prepare_features`.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> source = open_source(pd.DataFrame({"source": ["a", "b", "b"], "target": ["b", "a", "c"], "sum": [9, 8, 7]}))
    >>> source.graph
    Graph(nodes=3, edges=2, features=3)
    >>> source.spread(np.array([0.25, 0.75]), np.nan).tolist()
    [0.25, 0.25, 0.75]
    >>> source.without([False, True])
      source target  sum
    2      b      c    7
    """
    hints = Hints(nodes, source, target, features, label, id_column, scale)
    if isinstance(graph, tuple) and len(graph) == 2 and nodes is None:
        return SourceWithNodes(graph, hints, _source_class(graph[0]))  # type: ignore[return-value]
    return _source_class(graph)(graph, hints)


def as_graph(graph: object) -> Graph:
    """``graph`` as a validated :class:`kces.Graph`.

    Parameters
    ----------
    graph : of any kind that :func:`open_source` takes.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> as_graph(sp.csr_array([[0, 1], [1, 0]]))
    Graph(nodes=2, edges=1, features=2)
    """
    return open_source(graph).graph


def _source_class(graph: object) -> type[Source]:
    for parent in type(graph).__mro__:
        library = parent.__module__.partition(".")[0]
        if library in SOURCES:
            return SOURCES[library]
    hint = next((hint for kind, hint in _HINTS.items() if type(graph).__name__ == kind), f"give {_KNOWN}")
    raise InvalidGraphError(f"cannot read a graph from {type(graph).__name__}; {hint}")
