"""NetworkX graphs in and out: every node and attribute is kept, of directed and multigraphs too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.interop.node_table import class_numbers
from kces.interop.optional import require
from kces.interop.records import count_weights, surviving_records

__all__ = ["attribute_matrix", "from_networkx", "sanitized_networkx", "to_networkx"]


def from_networkx(G: Any, features: str | Sequence[str] | None = None, label: str | None = None) -> Graph:
    """A graph from a NetworkX graph of any kind; nodes keep their order and names.

    Parameters
    ----------
    G : any NetworkX graph.
    features : node attribute(s) with a number or a list of numbers each; without, identity is used.
    label : node attribute with the class, a whole number or a word.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.Graph([("ann", "bob"), ("bob", "cy")])
    >>> nx.set_node_attributes(G, {"ann": [1.0, 0.0], "bob": [0.5, 0.5], "cy": [0.0, 1.0]}, "x")
    >>> graph = from_networkx(G, features="x")
    >>> graph.node_ids.tolist(), graph.features.tolist()
    (['ann', 'bob', 'cy'], [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    """
    nodes = list(G.nodes)
    names = [features] if isinstance(features, str) else features
    weights = [1 if weight is None else weight for _, _, weight in G.edges(data="weight")]
    return Graph.from_edges(
        _pairs(G),
        None if names is None else attribute_matrix(G, names),
        n_nodes=len(nodes),
        labels=None if label is None else class_numbers(_values(G, label), f"node attribute {label!r}"),
        node_ids=None if nodes == list(range(len(nodes))) else _id_array(nodes),
        name=str(G.name) or "graph",
        weighted=count_weights(weights),
    )


def to_networkx(graph: Graph) -> Any:
    """An undirected NetworkX graph with node attributes ``x`` (features) and, where known, ``label``.

    >>> G = to_networkx(Graph.from_edges([[0, 1], [1, 2]], [[1.0], [2.0], [3.0]], labels=[0, 0, 1]))
    >>> list(G.edges), G.nodes[2]
    ([(0, 1), (1, 2)], {'x': [3.0], 'label': 1})
    """
    G = require("networkx", extra="files", purpose="a NetworkX graph").Graph(name=graph.name)
    ids = graph.ids_of(np.arange(graph.n_nodes)).tolist()
    for node, name in enumerate(ids):
        row = graph.features[[node]]
        G.add_node(name, x=np.asarray(row if isinstance(row, np.ndarray) else row.todense())[0].tolist())
        if graph.labels is not None:
            G.nodes[name]["label"] = int(graph.labels[node])
    G.add_edges_from((ids[source], ids[target]) for source, target in graph.edges)
    return G


def sanitized_networkx(G: Any, graph: Graph, kept: npt.ArrayLike) -> Any:
    """A copy of ``G`` without the edges of ``graph = from_networkx(G)`` that the mask ``kept`` drops.

    All nodes, attributes, self-loops, and the directions and parallel edges of kept pairs stay.

    >>> import networkx as nx
    >>> G = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    >>> list(sanitized_networkx(G, Graph.from_edges([[0, 1], [1, 2]]), [False, True]).edges)
    [(1, 2)]
    """
    pairs = _pairs(G)
    if len(G) != graph.n_nodes:
        raise InvalidGraphError(f"the NetworkX graph has {len(G)} nodes, the scored graph {graph.n_nodes}")
    survives = surviving_records(graph, kept, pairs[:, 0], pairs[:, 1])
    records = list(G.edges(keys=True)) if G.is_multigraph() else list(G.edges)
    copy = G.copy()
    copy.remove_edges_from([records[record] for record in np.flatnonzero(~survives)])
    return copy


def attribute_matrix(G: Any, names: Sequence[str]) -> npt.NDArray[np.float64]:
    """The node attributes ``names`` side by side; each holds a number or an equally long list per node."""
    blocks = []
    for name in names:
        values = _values(G, name)
        try:
            block = np.array([np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in values])
        except (TypeError, ValueError) as error:
            raise InvalidGraphError(
                f"node attribute {name!r} must be a number, or a list of one length, on every node"
            ) from error
        blocks.append(block.reshape(len(values), -1))
    return np.hstack(blocks)


def _values(G: Any, name: str) -> npt.NDArray[Any]:
    values = np.empty(len(G), dtype=object)
    for position, (node, attributes) in enumerate(G.nodes(data=True)):
        if name not in attributes:
            raise InvalidGraphError(f"node {node!r} has no attribute {name!r}")
        values[position] = attributes[name]
    return values


def _pairs(G: Any) -> npt.NDArray[np.int64]:
    number_of = {node: number for number, node in enumerate(G.nodes)}
    pairs = [(number_of[source], number_of[target]) for source, target in G.edges()]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _id_array(nodes: list[Any]) -> npt.NDArray[Any]:
    """Names as an array that keeps their types: numpy would turn ``[1, "a"]`` into text."""
    kinds = {type(node) for node in nodes}
    if kinds in ({int}, {str}):
        try:
            return np.array(nodes)
        except OverflowError:
            pass
    ids = np.empty(len(nodes), dtype=object)
    ids[:] = nodes
    return ids
