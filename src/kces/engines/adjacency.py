"""The graph as compiled loops read it: neighbor lists, looking up a link, counting shared neighbors."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from kces.graph import Graph
from kces.types import Array, Ints

__all__ = ["Adjacency", "adjacency_of", "owners", "position_in_row", "shared_neighbors"]


class Adjacency(NamedTuple):
    """Sorted neighbor lists in CSR form. A position in ``indices`` stands for a directed edge.

    Attributes
    ----------
    indptr : (N + 1,).
    indices : (2E,).
    degrees : (N,), with the self-loop.
    """

    indptr: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    degrees: Array


def adjacency_of(graph: Graph) -> Adjacency:
    """The lists of a graph."""
    return Adjacency(graph.adjacency.indptr, graph.adjacency.indices, graph.degrees)


def owners(adjacency: Adjacency) -> Ints:
    """The node in whose list each directed edge stands, (2E,).

    >>> from kces.datasets.toys import path
    >>> owners(adjacency_of(path(3))).tolist()
    [0, 1, 1, 2]
    """
    return np.repeat(np.arange(len(adjacency.degrees)), np.diff(adjacency.indptr))


@numba.njit(cache=True, inline="always")
def position_in_row(adjacency, row, column):
    """Position of ``column`` in the list of ``row``, or -1."""
    indices = adjacency.indices
    low, high = adjacency.indptr[row], adjacency.indptr[row + 1] - 1
    while low <= high:
        middle = (low + high) // 2
        if indices[middle] == column:
            return middle
        if indices[middle] < column:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def shared_neighbors(graph: Graph, edges: Ints) -> Ints:
    """Common neighbors of the ends of each of ``edges`` (E, 2), shape (E,): in all, three times the triangles.

    The shorter list of each edge is looked up in the longer one, so that a hub costs no more than its neighbors.

    >>> from kces.datasets.toys import barbell
    >>> int(shared_neighbors(barbell(4), barbell(4).edges).sum()) // 3  # two cliques of four
    8
    """
    counts: Ints = _count_shared(adjacency_of(graph), np.ascontiguousarray(edges))
    return counts


@numba.njit(parallel=True, cache=True)
def _count_shared(adjacency, edges):
    indptr = adjacency.indptr
    shared = np.zeros(len(edges), dtype=np.int64)
    for e in numba.prange(len(edges)):
        short, long = edges[e, 0], edges[e, 1]
        if indptr[short + 1] - indptr[short] > indptr[long + 1] - indptr[long]:
            short, long = long, short
        for at in range(indptr[short], indptr[short + 1]):
            if position_in_row(adjacency, long, adjacency.indices[at]) >= 0:
                shared[e] += 1
    return shared
