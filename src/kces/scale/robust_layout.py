"""How a graph on disk is parted for the robust score: columns, rows and edges at a time, from the memory there is.

The bound on memory, for N nodes, columns of width w and chunks of C edges, is

    24 N w  (three hops of a block of columns)  +  150 N  (products and degrees of nodes)  +  250 C  (a chunk of edges)

bytes beside the program itself, and does not grow with the number of edges. Where the hops of all columns fit, w is
their number: a process that works through several chunks then reads them once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from kces.errors import MemoryLimitError
from kces.memory import available_memory, format_bytes
from kces.scorers.feature_spaces import RANK

__all__ = ["RobustLayout", "memory_bound", "plan_layout"]

_LARGEST_SHARE = 0.6
_DEFAULT_MEMORY = 4 * 2**30
_PER_NODE = 150
_PER_EDGE = 250
_WIDEST = 64
_SMALLEST_CHUNK = 50_000
_ROW_ENTRIES = 2**22
_ROW_ITEMS = 32
_FEWEST_ROWS = 1_024
_CHUNKS_PER_WORKER = 4
_NARROWEST = 8
"""Columns of a block where several workers make the hops: a line of the cache."""


@dataclass(frozen=True)
class RobustLayout:
    """Sizes of the parts.

    Attributes
    ----------
    width : columns whose hops are in memory at once.
    chunk : edges in a chunk.
    rows : rows of all columns that are read at once.
    row_items : parts into which the nodes are divided.
    held : columns whose hops stay in memory from chunk to chunk: all of them, or none.
    """

    width: int
    chunk: int
    rows: int
    row_items: int
    held: int = 0

    def pattern_width(self, rank: int, n_features: int) -> int:
        """Columns of the leading directions at once: in as many blocks as the features, where these are for sharing.

        >>> [RobustLayout(32, 1000, 1000, 2, held).pattern_width(16, 64) for held in (80, 0)]
        [8, 16]
        """
        if not self.held:
            return min(self.width, rank)
        return min(rank, max(_NARROWEST, -(-rank // -(-n_features // self.width))))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def memory_bound(n_nodes: int, layout: RobustLayout) -> int:
    """Bytes that one process holds at most, beside the program itself.

    >>> memory_bound(4_000_000, RobustLayout(16, 4_000_000, 65_536, 32)) / 2**30 < 3.0
    True
    """
    return (24 * max(layout.width, layout.held) + _PER_NODE) * n_nodes + _PER_EDGE * layout.chunk


def plan_layout(
    n_nodes: int,
    n_edges: int,
    n_features: int,
    *,
    workers: int = 1,
    memory: int | None = None,
    chunk: int | None = None,
) -> RobustLayout:
    """Parts that fit into the memory of each worker.

    Parameters
    ----------
    n_nodes, n_edges, n_features : of the graph.
    workers : processes that share the edges; each gets several chunks, so that a lost one costs little.
    memory : bytes each may use; default 4 GiB, or 60 % of what is free shared by the workers.
    chunk : edges in a chunk, where the caller says so.

    Examples
    --------
    >>> plan_layout(4_000_000, 33_000_000, 64, memory=4 * 2**30).width
    22
    """
    given = memory or min(_DEFAULT_MEMORY, int(_LARGEST_SHARE * available_memory() / workers))
    least = (24 + _PER_NODE) * n_nodes + _PER_EDGE * min(n_edges, _SMALLEST_CHUNK)
    if least > given:
        raise MemoryLimitError(
            f"{n_nodes} nodes need {format_bytes(least)} of memory in each process, {format_bytes(given)} are allowed;"
            " allow more, or use fewer workers on a machine"
        )
    for_columns = 1 + int(0.6 * (given - least)) // (24 * n_nodes)
    held = n_features + RANK if n_features + RANK <= for_columns else 0
    shares = max(_NARROWEST, -(-n_features // workers))  # every worker makes some of the hops
    widest = max(1, min(_WIDEST, n_features, for_columns, shares))
    width = -(-n_features // -(-n_features // widest))  # blocks of one size: a narrow last one would cost a full pass
    left = given - (24 * max(width, held) + _PER_NODE) * n_nodes
    by_memory = max(_SMALLEST_CHUNK, left // _PER_EDGE)
    shared = -(-n_edges // (_CHUNKS_PER_WORKER * workers)) if workers > 1 else n_edges
    edges = chunk or max(1, min(by_memory, max(shared, _SMALLEST_CHUNK)))
    rows = max(256, _ROW_ENTRIES // max(n_features, 1))
    items = max(1, min(_ROW_ITEMS, n_nodes // rows), min(workers, n_nodes // _FEWEST_ROWS))
    return RobustLayout(width, int(edges), rows, items, held)
