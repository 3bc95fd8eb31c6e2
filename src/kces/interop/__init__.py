"""Doors of the library: other libraries' graphs and files, in and out.

Nothing here needs NetworkX, igraph, polars, pyarrow or torch until a graph of that kind goes through.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kces.interop.adapters import Source, register_source
from kces.interop.coerce import as_graph, open_source
from kces.interop.graph_files import LoadedGraph, read_graph, write_graph
from kces.interop.networkx import from_networkx, to_networkx
from kces.interop.pyg import from_pyg, to_pyg
from kces.interop.scored_rows import scored_rows

if TYPE_CHECKING:
    from kces.interop.sanitize_edges import SanitizeEdges


def __getattr__(name: str) -> object:
    if name == "SanitizeEdges":  # a subclass of PyG's own base class: torch is imported when it is asked for
        return import_module("kces.interop.sanitize_edges").SanitizeEdges
    raise AttributeError(f"module 'kces.interop' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "LoadedGraph",
    "SanitizeEdges",
    "Source",
    "as_graph",
    "from_networkx",
    "from_pyg",
    "open_source",
    "read_graph",
    "register_source",
    "scored_rows",
    "to_networkx",
    "to_pyg",
    "write_graph",
]
