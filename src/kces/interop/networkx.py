"""NetworkX graphs in and out: every node and attribute is kept, of directed and multigraphs too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.interop.adapters import Hints, Source, register_source
from kces.interop.node_attributes import NodeAttributes, id_array
from kces.interop.optional import require
from kces.interop.records import count_weights
from kces.types import Bools, Ints, is_sparse

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["MATRIX_MARK", "NetworkXSource", "from_networkx", "to_networkx"]

MATRIX_MARK = {"kces_features": "matrix"}
"""Attribute of a graph whose node attributes are the columns of one matrix: they have one scale, as they stand."""


@register_source("networkx")
class NetworkXSource(Source["nx.Graph"]):
    """A NetworkX graph of any class; its records are ``G.edges`` in their order.

    >>> import networkx as nx
    >>> G = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    >>> list(NetworkXSource(G).without([False, True]).edges)
    [(1, 2)]
    """

    takes = frozenset({"features", "label", "scale"})

    def __init__(self, original: nx.Graph, hints: Hints | None = None) -> None:
        if not hasattr(original, "is_multigraph"):
            raise InvalidGraphError(f"cannot read a graph from {type(original).__name__}; give a NetworkX graph")
        super().__init__(original, hints)

    @cached_property
    def pairs(self) -> Ints:
        number_of = {node: number for number, node in enumerate(self.original.nodes)}
        pairs = [(number_of[source], number_of[target]) for source, target in self.original.edges()]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def graph(self) -> Graph:
        G = self.original
        nodes = list(G.nodes)
        weights = [1 if weight is None else weight for _, _, weight in G.edges(data="weight")]
        attributes = _attributes(G)
        labels = attributes.labels(self.hints.label)
        features = attributes.features(self.hints.feature_names(), self._scale, self.hints.label)
        return Graph.from_edges(
            self.pairs,
            features.matrix,
            n_nodes=len(nodes),
            labels=labels,
            node_ids=None if nodes == list(range(len(nodes))) else id_array(nodes),
            feature_names=features.names,
            own_values=features.own,
            name=str(G.name) or "graph",
            weighted=count_weights(weights),
        )

    @property
    def _scale(self) -> str:
        is_matrix = MATRIX_MARK.items() <= self.original.graph.items()
        return "none" if is_matrix and self.hints.scale == Hints.scale else self.hints.scale

    def keep_records(self, mask: Bools) -> nx.Graph:
        G = self.original
        records = list(G.edges(keys=True)) if G.is_multigraph() else list(G.edges)
        copy = G.copy()
        copy.remove_edges_from([records[record] for record in np.flatnonzero(~mask)])
        return copy


def from_networkx(
    G: nx.Graph, features: str | Sequence[str] | None = None, label: str | None = None, *, scale: str = "auto"
) -> Graph:
    """A graph from a NetworkX graph of any kind; nodes keep their order and names.

    Parameters
    ----------
    G : any NetworkX graph.
    features : node attribute(s), prepared like the columns of a table (:func:`kces.features.prepare_features`);
        without, every attribute that can be, but for those called label, class, id or the like. Where there is none,
        the graph alone is used.
    label : node attribute with the class, a whole number or a word.
    scale : how attributes with one number come to one scale; lists of numbers stand as they are.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.Graph([("ann", "bob"), ("bob", "cy")])
    >>> nx.set_node_attributes(G, {"ann": [1.0, 0.0], "bob": [0.5, 0.5], "cy": [0.0, 1.0]}, "x")
    >>> graph = from_networkx(G)
    >>> graph.node_ids.tolist(), graph.features.tolist()
    (['ann', 'bob', 'cy'], [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    """
    return NetworkXSource(G, Hints(features=features, label=label, scale=scale)).graph


def to_networkx(graph: Graph) -> nx.Graph:
    """An undirected NetworkX graph with node attributes ``x`` (features) and, where known, ``label``.

    >>> G = to_networkx(Graph.from_edges([[0, 1], [1, 2]], [[1.0], [2.0], [3.0]], labels=[0, 0, 1]))
    >>> list(G.edges), G.nodes[2]
    ([(0, 1), (1, 2)], {'x': [3.0], 'label': 1})
    """
    G = require("networkx", extra="files", purpose="a NetworkX graph").Graph(name=graph.name)
    ids = graph.ids_of(np.arange(graph.n_nodes)).tolist()
    for node, name in enumerate(ids):
        row = graph.features[[node]]
        G.add_node(name, x=(row.toarray() if is_sparse(row) else row)[0].tolist())
        if graph.labels is not None:
            G.nodes[name]["label"] = int(graph.labels[node])
    G.add_edges_from((ids[source], ids[target]) for source, target in graph.edges)
    return G


def _attributes(G: nx.Graph) -> NodeAttributes:
    rows = [attributes for _, attributes in G.nodes(data=True)]
    names = {name: None for attributes in rows for name in attributes}  # in the order in which they turn up
    columns = {str(name): [attributes.get(name) for attributes in rows] for name in names}
    linked = np.array([degree > 0 for _, degree in G.degree], dtype=bool)
    return NodeAttributes(list(G.nodes), columns, linked)
