"""A graph told with its nodes and columns in canonical order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.canonical_order import canonical_orders
from kces.graph import Graph, edge_keys
from kces.types import Ints, is_sparse

__all__ = ["Renumbered"]


@dataclass(frozen=True, eq=False)
class Renumbered:
    """The same graph under numbers that follow from the graph: what is then done by number depends on no numbering.

    Attributes
    ----------
    graph : adjacency and features in canonical order; labels and names are left out.
    nodes : (N,) the old number of each node.
    edges : (E,) for every edge of the old graph, its place among the edges of this one.
    """

    graph: Graph
    nodes: Ints
    edges: Ints

    @classmethod
    def of(cls, graph: Graph) -> Renumbered:
        """Renumber a graph.

        >>> from kces.datasets.toys import thorny
        >>> graph = thorny()
        >>> found = Renumbered.of(graph)
        >>> old = np.sort(found.nodes[found.graph.edges[found.edges]], axis=1)
        >>> bool((old == graph.edges).all())
        True
        """
        nodes, columns = canonical_orders(graph)
        adjacency = graph.adjacency[nodes][:, nodes]
        adjacency.sort_indices()
        features = graph.features[nodes][:, columns]
        told = Graph(adjacency, features if is_sparse(features) else np.ascontiguousarray(features), name=graph.name)
        new_pairs = np.sort(np.argsort(nodes)[graph.edges], axis=1)
        places = np.searchsorted(edge_keys(told.edges, graph.n_nodes), edge_keys(new_pairs, graph.n_nodes))
        return cls(told, nodes, places)
