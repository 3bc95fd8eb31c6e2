"""Accept what users have: our Graph, or another library's, told apart without importing that library."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from kces.errors import InvalidGraphError
from kces.graph import Graph

__all__ = ["as_graph"]


def as_graph(source: Any) -> Graph:
    """``source`` as a validated :class:`kces.Graph`.

    >>> import scipy.sparse as sp
    >>> as_graph(sp.csr_array([[0, 1], [1, 0]]))
    Graph(nodes=2, edges=1, features=2)
    """
    if isinstance(source, Graph):
        return source
    if sp.issparse(source):
        return Graph.from_scipy(source)
    library = type(source).__module__.split(".")[0]
    if library == "networkx":
        from kces.interop.networkx import from_networkx

        return from_networkx(source)
    if library == "torch_geometric":
        from kces.interop.pyg import from_pyg

        return from_pyg(source)
    raise InvalidGraphError(
        f"cannot read a graph from {type(source).__name__}; give a kces.Graph, a scipy sparse adjacency, "
        "a NetworkX graph or a PyG Data"
    )
