"""What a graph is, in numbers."""

from __future__ import annotations

import numpy as np

from kces.graph import Graph
from kces.types import Ints

__all__ = ["edge_homophily", "graph_facts"]


def edge_homophily(graph: Graph) -> float | None:
    """Share of the edges between nodes of known class that join nodes of the same class.

    >>> graph = Graph.from_edges([[0, 1], [1, 2]], n_nodes=3, labels=[0, 0, 1])
    >>> edge_homophily(graph)
    0.5
    """
    if graph.labels is None:
        return None
    ends = graph.labels[graph.edges]
    known = (ends >= 0).all(axis=1)
    return float((ends[known, 0] == ends[known, 1]).mean()) if known.any() else None


def graph_facts(graph: Graph) -> dict[str, str | int | float | None]:
    """Counts of nodes, edges, features and classes, and the shape of the graph.

    >>> graph = Graph.from_edges([[0, 1], [1, 2]], n_nodes=4, labels=[0, 0, 1, 1], train=[0])
    >>> summary = graph_facts(graph)
    >>> summary["nodes"], summary["degree_max"], summary["components"], summary["train"], summary["test"]
    (4, 2, 2, 1, None)
    """
    from scipy.sparse.csgraph import connected_components  # here: slow to load, and most graphs are no data sets

    degrees = np.diff(graph.adjacency.indptr)
    components, _ = connected_components(graph.adjacency, directed=False)
    return {
        "name": graph.name,
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "features": graph.n_features,
        "classes": graph.n_classes,
        "homophily": edge_homophily(graph),
        "degree_mean": float(degrees.mean()),
        "degree_max": int(degrees.max()),
        "components": int(components),
        **{part: _size(nodes) for part, nodes in _split(graph)},
    }


def _split(graph: Graph) -> list[tuple[str, Ints | None]]:
    return [("train", graph.train), ("val", graph.val), ("test", graph.test)]


def _size(nodes: Ints | None) -> int | None:
    return None if nodes is None else len(nodes)
