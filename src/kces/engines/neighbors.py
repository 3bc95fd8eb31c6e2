"""Which neighbors of a node an edge's block takes: those whose rows matter most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kces.engines.adjacency import adjacency_of, owners
from kces.engines.problem import Problem
from kces.engines.regime import BlockSize
from kces.types import Array, Ints

__all__ = ["Listed", "most_important_neighbors"]


class Listed(NamedTuple):
    """The neighbors of each node that its blocks may take, most important first.

    Attributes
    ----------
    start : (N + 1,), where each node's list begins.
    position : (listed,), CSR positions.
    most : nodes of a block at most.
    fill : nodes up to which a block is filled with second neighbors.
    """

    start: Ints
    position: Ints
    most: int
    fill: int


def most_important_neighbors(problem: Problem, a: Array, size: BlockSize) -> Listed:
    """Of each node's neighbors, the ``cap`` whose rows move most where ``a`` (N, columns) is large.

    Row k moves by ``d_k^-1/2 δ_i ‖X_i‖ / ‖Z_k‖`` when an edge at i goes: the order of the k does not depend on i.
    """
    adjacency = adjacency_of(problem.graph)
    indptr, indices = adjacency.indptr, adjacency.indices
    weight = np.abs(a).sum(axis=1) * adjacency.degrees**-0.5 * problem.inverse_lengths
    owner = owners(adjacency)
    order = np.lexsort((indices, -weight[indices], owner))
    rank = np.arange(len(indices)) - indptr[owner]
    taken = order[rank < size.cap]
    start = np.concatenate([[0], np.cumsum(np.minimum(np.diff(indptr), size.cap))])
    most = max(2 * size.cap + 2, size.fill)
    return Listed(start.astype(np.int64), taken.astype(np.int64), most, size.fill)
