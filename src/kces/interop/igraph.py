"""igraph graphs in and out: every vertex, edge and attribute is kept."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kces.errors import GraphWarning, InvalidGraphError
from kces.graph import Graph
from kces.interop.adapters import Hints, Source, register_source
from kces.interop.node_attributes import NodeAttributes, id_array
from kces.interop.records import count_weights
from kces.types import Bools, Ints

if TYPE_CHECKING:
    import igraph

__all__ = ["IGraphSource"]

_NETWORKX_NAME = "_nx_name"
"""Where ``igraph.Graph.from_networkx`` keeps the names of the nodes."""


@register_source("igraph")
class IGraphSource(Source["igraph.Graph"]):
    """An igraph graph, directed or not; its records are its ``es``, and the vertex attribute ``name`` names nodes.

    Without ``name``, a graph made of a NetworkX one has the names that the nodes had there.
    """

    takes = frozenset({"features", "label", "scale"})

    def __init__(self, original: igraph.Graph, hints: Hints | None = None) -> None:
        if not hasattr(original, "get_edgelist"):
            raise InvalidGraphError(f"cannot read a graph from {type(original).__name__}; give an igraph.Graph")
        super().__init__(original, hints)

    @cached_property
    def pairs(self) -> Ints:
        return np.array(self.original.get_edgelist(), dtype=np.int64).reshape(-1, 2)

    @cached_property
    def graph(self) -> Graph:
        vertices, edges = self.original.vs, self.original.es
        known = {str(name): vertices[name] for name in vertices.attributes()}
        from_networkx = known.pop(_NETWORKX_NAME, None)
        names = known.get("name", from_networkx)
        if names is not None and len(set(names)) < len(names):
            warnings.warn("names of vertices are not unique: vertices are called by number", GraphWarning, stacklevel=2)
            names = None
        # igraph writes None where a vertex lacks an attribute that others have.
        attributes = NodeAttributes(
            range(len(vertices)) if names is None else names, known, np.array(self.original.degree()) > 0
        )
        labels = attributes.labels(self.hints.label)
        features = attributes.features(self.hints.feature_names(), self.hints.scale, self.hints.label)
        weights = edges["weight"] if "weight" in edges.attributes() else []
        return Graph.from_edges(
            self.pairs,
            features.matrix,
            n_nodes=len(vertices),
            labels=labels,
            node_ids=None if names is None else id_array(names),
            feature_names=features.names,
            own_values=features.own,
            weighted=count_weights([1 if weight is None else weight for weight in weights]),
        )

    def keep_records(self, mask: Bools) -> igraph.Graph:
        copy = self.original.copy()
        copy.delete_edges(np.flatnonzero(~mask).tolist())
        return copy
