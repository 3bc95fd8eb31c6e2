"""Graphs that are measured, by name: data sets, built-in graphs, and two kinds that stand for common input."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order

from kces.datasets import load
from kces.errors import InvalidParameterError
from kces.graph import Graph

__all__ = ["ROBUST_CASES", "open_graph"]

MILLION = "synthetic:n=250000,degree=8,features=64,seed=0"
ROBUST_CASES = ("flickr", "pubmed", "ogbn-arxiv", MILLION, "plain:edges=1000000", "hashed:edges=8000")
"""Wide sparse features, narrow ones, a large real structure, a million edges with 64 features, without any, hashed."""

_DEGREE = 8
_HASHED_COLUMNS = 2**20
_HASHED_PER_NODE = 10


def open_graph(name: str, data_root: str | None = None) -> Graph:
    """A built-in graph, a data set, ``plain:edges=E``, ``hashed:edges=E`` or ``arxiv-part:nodes=N``.

    ``plain`` is an edge list without features; ``hashed`` has ten of 2²⁰ columns at each node. Both have eight links
    at a node on average.

    >>> graph = open_graph("hashed:edges=400")
    >>> graph.n_nodes, graph.n_features
    (100, 1048576)
    """
    if name.startswith("arxiv-part:nodes="):
        return _part(load("ogbn-arxiv", None if data_root is None else Path(data_root)), name)
    kind, _, size = name.partition(":edges=")
    if kind not in ("plain", "hashed"):
        return load(name, None if data_root is None else Path(data_root))
    if not size.isdigit() or int(size) < 40:
        raise InvalidParameterError(f"{kind} graphs are named {kind}:edges=E with E of at least 40, got '{name}'")
    made = load(f"synthetic:n={2 * int(size) // _DEGREE},degree={_DEGREE},features=1,seed=0")
    if kind == "plain":
        return Graph.from_edges(made.edges, n_nodes=made.n_nodes, name=name)
    return replace(made, features=_hashed(made.n_nodes), name=name)


def _part(graph: Graph, name: str) -> Graph:
    """The first nodes met from the one with the most links, with the links between them."""
    size = name.partition("=")[2]
    if not size.isdigit() or not 40 <= int(size) <= graph.n_nodes:
        raise InvalidParameterError(f"parts have 40 to {graph.n_nodes} nodes, got '{name}'")
    hub = int(np.diff(graph.adjacency.indptr).argmax())
    met = breadth_first_order(graph.adjacency, hub, directed=False, return_predecessors=False)
    nodes = np.sort(met[: int(size)])
    labels = None if graph.labels is None else graph.labels[nodes]
    return Graph.from_scipy(graph.adjacency[nodes][:, nodes], graph.features[nodes], labels=labels, name=name)


def _hashed(n_nodes: int) -> sp.csr_array:
    columns = np.random.default_rng(0).integers(_HASHED_COLUMNS, size=n_nodes * _HASHED_PER_NODE)
    rows = np.repeat(np.arange(n_nodes), _HASHED_PER_NODE)
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n_nodes, _HASHED_COLUMNS))
