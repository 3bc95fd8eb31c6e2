"""From a table of numbered links to the sorted adjacency on disk: the edge list is never in memory.

DuckDB sorts both directions of every link on disk; what comes back is sorted, so that duplicates stand together and
the rows of the adjacency follow one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kces.errors import InvalidGraphError
from kces.graph import Repairs
from kces.progress import Progress, silent
from kces.scale.folder_writer import FolderWriter
from kces.scale.from_graph import index_type
from kces.scale.workbench import run_query, stream_query
from kces.types import Bools, Ints

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["AdjacencyCounts", "write_adjacency"]

_BATCH = 1_000_000
_BOTH_WAYS = """
SELECT s AS a, t AS b, true AS forward FROM links WHERE s <> t
UNION ALL
SELECT t AS a, s AS b, false AS forward FROM links WHERE s <> t
ORDER BY a, b
"""


@dataclass
class AdjacencyCounts:
    """What was met while writing: edges, and what had to be dropped or merged."""

    edges: int = 0
    duplicates: int = 0
    one_way: int = 0
    mutual: int = 0
    self_loops: int = 0
    degrees: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def repairs(self) -> Repairs:
        """As :class:`kces.graph.Graph` counts them: one-way edges count where others are given both ways."""
        directed = self.one_way if self.mutual else 0
        return Repairs(directed=directed, duplicates=self.duplicates, self_loops=self.self_loops)


def write_adjacency(
    connection: DuckDBPyConnection, n_nodes: int, writer: FolderWriter, progress: Progress = silent
) -> AdjacencyCounts:
    """Sort the table ``links(s, t)`` of node numbers and write ``indptr``, ``indices`` and ``edges``.

    Parameters
    ----------
    connection : of a workbench with the table.
    n_nodes : N; all numbers are below.
    writer : of the folder.
    progress : told about the links written.
    """
    counts = AdjacencyCounts(degrees=np.zeros(n_nodes, dtype=np.int64))
    total, loops = run_query(connection, "SELECT count(*), count(*) FILTER (s = t) FROM links", "links")[0]
    counts.self_loops = int(loops)
    narrow, done = index_type(n_nodes), 0
    with writer.growing("indices", narrow) as indices, writer.growing("edges", narrow, (2,)) as edges:
        for pairs, forward, backward in _groups(connection):
            indices.append(pairs[:, 1])
            counts.degrees += np.bincount(pairs[:, 0], minlength=n_nodes)
            upper = pairs[:, 0] < pairs[:, 1]
            edges.append(pairs[upper])
            _count(counts, forward[upper], backward[upper])
            done += len(pairs)
            progress("sort links", min(done // 2, total), total)
    if counts.edges == 0:
        raise InvalidGraphError("the graph has no edges")
    with writer.growing("indptr", np.int64) as indptr:
        indptr.append(np.zeros(1, dtype=np.int64))
        indptr.append(np.cumsum(counts.degrees))
    return counts


def _count(counts: AdjacencyCounts, forward: Ints, backward: Ints) -> None:
    """Count one batch of edges, each with how often it was given in either direction."""
    both: Bools = (forward > 0) & (backward > 0)
    counts.edges += len(forward)
    counts.mutual += int(both.sum())
    counts.one_way += int((~both).sum())
    counts.duplicates += int(np.maximum(forward - 1, 0).sum() + np.maximum(backward - 1, 0).sum())


def _groups(connection: DuckDBPyConnection) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Distinct directed pairs in order, with how often each was given forth and back; a group is never parted."""
    held = np.empty((0, 3), dtype=np.int64)
    for batch in stream_query(connection, _BOTH_WAYS, "links", _BATCH):
        columns = [np.asarray(batch.column(place)).astype(np.int64) for place in range(3)]
        rows = np.concatenate([held, np.stack(columns, axis=1)])
        starts = _group_starts(rows)
        yield _merged(rows[: starts[-1]], starts[:-1])
        held = rows[starts[-1] :]
    if len(held):
        yield _merged(held, _group_starts(held))


def _group_starts(rows: Ints) -> Ints:
    changes = (rows[1:, :2] != rows[:-1, :2]).any(axis=1)
    return np.concatenate([[0], np.flatnonzero(changes) + 1])


def _merged(rows: Ints, starts: Ints) -> tuple[Ints, Ints, Ints]:
    if not len(starts):
        nothing = np.empty(0, dtype=np.int64)
        return np.empty((0, 2), dtype=np.int64), nothing, nothing
    forward = np.add.reduceat(rows[:, 2], starts)
    sizes = np.diff(np.append(starts, len(rows)))
    return rows[starts, :2], forward, sizes - forward
