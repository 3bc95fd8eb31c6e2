"""An edge's block: the nodes around it, how their rows move, and their cosines before and after (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.adjacency import position_in_row
from kces.engines.removal import (
    compiled,
    endpoint_coefficients,
    is_left_empty,
    neighbor_coefficient,
    squared_length,
)
from kces.types import Array, Ints

__all__ = ["Block", "Cosines", "InverseLengths", "block_cosines", "collect_block", "moved_lengths"]

_endpoint = compiled(endpoint_coefficients)
_neighbor = compiled(neighbor_coefficient)
_squared_length = compiled(squared_length)
_is_left_empty = compiled(is_left_empty)


class Block(NamedTuple):
    """s nodes around the edge (i, j), the first two of them i and j.

    Attributes
    ----------
    nodes : (s,).
    alpha, beta, gamma : (s,), coefficients of the moved rows (see ``removal.py``).
    at_i, at_j : (s,), position of the node in the list of i, of j; -1 where it is not a neighbor.
    """

    nodes: Ints
    alpha: Array
    beta: Array
    gamma: Array
    at_i: Ints
    at_j: Ints


class InverseLengths(NamedTuple):
    """``1 / ‖Z_k‖`` and ``1 / ‖Z'_k‖`` of a block's nodes, (s,) each; 0 for a row without features."""

    before: Array
    after: Array


class Cosines(NamedTuple):
    """``z_k·z_l``, ``z'_k·z_l`` and ``z'_k·z'_l`` of a block's nodes, (s, s) each."""

    before: Array
    row_moved: Array
    after: Array


@numba.njit(cache=True)
def collect_block(i, j, adjacency, listed):
    """Endpoints, listed neighbors, then second neighbors until the block is full, with their coefficients."""
    nodes = np.empty(listed.most, dtype=np.int64)
    nodes[0], nodes[1] = i, j
    size = 2
    for end in range(2):
        size = _take_neighbors(nodes[end], nodes, size, listed.most, adjacency.indices, listed)
    first = size
    for t in range(2, first):  # breadth first; most second neighbors do not move themselves
        size = _take_neighbors(nodes[t], nodes, size, listed.fill, adjacency.indices, listed)
    return _with_coefficients(nodes[:size], adjacency)


@numba.njit(cache=True)
def _take_neighbors(node, nodes, size, limit, indices, listed):
    """Append the listed neighbors of ``node`` that are not in the block yet, while it has room."""
    for at in range(listed.start[node], listed.start[node + 1]):
        k = indices[listed.position[at]]
        if size >= limit:
            break
        if not _contains(nodes, size, k):
            nodes[size] = k
            size += 1
    return size


@numba.njit(cache=True, inline="always")
def _contains(nodes, size, k):
    for t in range(size):
        if nodes[t] == k:
            return True
    return False


@numba.njit(cache=True)
def _with_coefficients(nodes, adjacency):
    degrees, size = adjacency.degrees, len(nodes)
    i, j = nodes[0], nodes[1]
    alpha, beta, gamma = np.ones(size), np.zeros(size), np.zeros(size)
    at_i, at_j = np.full(size, -1), np.full(size, -1)
    alpha[0], beta[0], gamma[0] = _endpoint(degrees[i], degrees[j])
    alpha[1], gamma[1], beta[1] = _endpoint(degrees[j], degrees[i])
    for t in range(1, size):
        at_i[t] = position_in_row(adjacency, i, nodes[t])
    at_j[0] = position_in_row(adjacency, j, i)
    for t in range(2, size):
        at_j[t] = position_in_row(adjacency, j, nodes[t])
        if at_i[t] >= 0:
            beta[t] = _neighbor(degrees[nodes[t]], degrees[i])
        if at_j[t] >= 0:
            gamma[t] = _neighbor(degrees[nodes[t]], degrees[j])
    return Block(nodes, alpha, beta, gamma, at_i, at_j)


@numba.njit(cache=True, fastmath=True)
def moved_lengths(block, inner, inverse_length):
    """Of the block's rows, before and after the edge is removed."""
    before = inverse_length[block.nodes]
    after = before.copy()
    for t in range(len(before)):
        alpha, beta, gamma = block.alpha[t], block.beta[t], block.gamma[t]
        if beta == 0.0 and gamma == 0.0:
            continue
        length = 1.0 / before[t] if before[t] > 0 else 0.0
        xz, xx = (inner.xz_i[t], inner.xz_j[t]), (inner.xx_i, inner.xx_j, inner.xx_ij)
        squared, terms = _squared_length((alpha, beta, gamma), length * length, xz, xx)
        after[t] = 0.0 if _is_left_empty(squared, terms) else squared**-0.5
    return InverseLengths(before, after)


@numba.njit(cache=True, fastmath=True)
def block_cosines(block, inner, lengths):
    """Before, with only the row moved, and with both rows moved."""
    alpha, beta, gamma, size = block.alpha, block.beta, block.gamma, len(block.nodes)
    zz, xz_i, xz_j = inner.zz, inner.xz_i, inner.xz_j
    old, new = lengths.before, lengths.after
    before, row_moved, after = np.empty((size, size)), np.empty((size, size)), np.empty((size, size))
    for p in range(size):
        for q in range(p + 1):
            row_p = alpha[p] * zz[p, q] + beta[p] * xz_i[q] + gamma[p] * xz_j[q]
            row_q = alpha[q] * zz[p, q] + beta[q] * xz_i[p] + gamma[q] * xz_j[p]
            both = alpha[q] * row_p + alpha[p] * (beta[q] * xz_i[p] + gamma[q] * xz_j[p])
            both += beta[p] * beta[q] * inner.xx_i + gamma[p] * gamma[q] * inner.xx_j
            both += (beta[p] * gamma[q] + gamma[p] * beta[q]) * inner.xx_ij
            before[p, q] = before[q, p] = zz[p, q] * old[p] * old[q]
            row_moved[p, q] = row_p * new[p] * old[q]
            row_moved[q, p] = row_q * new[q] * old[p]
            after[p, q] = after[q, p] = both * new[p] * new[q]
    return Cosines(before, row_moved, after)
