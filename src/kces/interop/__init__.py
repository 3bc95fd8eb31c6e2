"""Doors of the library: other libraries' graphs and files, in and out.

Nothing here needs NetworkX, pyarrow or torch until a graph of that kind goes through.
"""

from kces.interop.graph_files import LoadedGraph, read_graph, write_graph
from kces.interop.networkx import from_networkx, sanitized_networkx, to_networkx
from kces.interop.pyg import filter_pyg, from_pyg, to_pyg
from kces.interop.scored_rows import scored_rows

__all__ = [
    "LoadedGraph",
    "filter_pyg",
    "from_networkx",
    "from_pyg",
    "read_graph",
    "sanitized_networkx",
    "scored_rows",
    "to_networkx",
    "to_pyg",
    "write_graph",
]
