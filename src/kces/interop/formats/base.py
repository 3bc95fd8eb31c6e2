"""What every file format offers to the dispatcher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.graph import Graph
from kces.interop.node_table import NodeTable, read_node_table

__all__ = ["Format", "Request"]


@dataclass(frozen=True)
class Request:
    """What to read: the file, and the files beside it."""

    path: Path
    features: str | Path | None = None
    labels: npt.NDArray[np.int64] | None = None

    def node_table(self) -> NodeTable | None:
        """The features file, read, or None when there is none."""
        return None if self.features is None else read_node_table(self.features)

    def describe(self, graph: Graph) -> Graph:
        """``graph``, whose file lists its own nodes, with the features and labels of the files beside it."""
        table = self.node_table()
        if table is None and self.labels is None:
            return graph
        features, labels = graph.features, None
        if table is not None:
            own_features, labels = table.aligned(graph.ids_of(np.arange(graph.n_nodes)))
            features = graph.features if own_features is None else own_features
        chosen = [given for given in (self.labels, labels, graph.labels) if given is not None]
        fresh = Graph.from_edges(graph.edges, features, n_nodes=graph.n_nodes, labels=chosen[0] if chosen else None)
        return replace(graph, features=fresh.features, labels=fresh.labels)


@dataclass(frozen=True)
class Format:
    """One file format.

    ``read`` returns the graph and a payload: whatever ``write_filtered`` needs to write the same file again
    without the dropped edges. ``write_graph`` writes a graph that came from elsewhere. Writers get the path of
    a temporary file.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Request], tuple[Graph, Any]]
    write_filtered: Callable[[Graph, Any, npt.NDArray[np.bool_], Path], None]
    write_graph: Callable[[Graph, Path], None]
