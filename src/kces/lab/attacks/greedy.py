"""Flipping the pairs with the steepest gradient, a few at a time, under the rules all greedy attacks share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks.flips import apply_flips
from kces.lab.attacks.surrogate import FloatArray

__all__ = ["GreedyFlips"]

# The best pairs crowd around few nodes, and pairs taken together share no node.
CANDIDATES_PER_FLIP = 40


class GreedyFlips:
    """The graph under attack and the pairs flipped so far.

    A pair is flipped once at most, so that every flip counts against the budget and stays in the result;
    an edge is not removed when that would leave one of its ends without any neighbor.
    """

    def __init__(self, clean: Graph, done: npt.NDArray[np.int64]) -> None:
        self.clean = clean
        self.flips: list[tuple[int, int]] = [(int(i), int(j)) for i, j in done]
        self.adjacency = apply_flips(clean, self.pairs()).adjacency

    def pairs(self) -> npt.NDArray[np.int64]:
        """All flips so far, in order, as ``i < j`` pairs."""
        return np.array(self.flips, dtype=np.int64).reshape(-1, 2)

    def take(self, blocks: Iterable[tuple[int, FloatArray]], count: int) -> None:
        """Flip the best pairs, given the loss gradient as ``(start, block)`` of the upper triangle.

        At most ``count`` are taken, at least one, and no two that share a node: one flip changes what another
        at the same node is worth. (On Cora, 40 flips per gradient without this rule are hardly an attack.)
        """
        gains, pairs = self._best(blocks, count * CANDIDATES_PER_FLIP)
        order = np.lexsort((pairs[:, 1], pairs[:, 0], -gains))
        neighbors = np.diff(self.adjacency.indptr)
        touched: set[int] = set()
        for i, j in pairs[order].tolist():
            is_edge = self._is_edge(i, j)
            if i in touched or j in touched or (is_edge and min(neighbors[i], neighbors[j]) <= 1):
                continue
            touched |= {i, j}
            self.flips.append((i, j))
            if len(touched) == 2 * count:
                break
        if not touched:
            raise InvalidParameterError(
                f"no pair of {self.clean.name} is left to flip after {len(self.flips)} changes; lower the budget"
            )
        self.adjacency = apply_flips(self.clean, self.pairs()).adjacency

    def _is_edge(self, i: int, j: int) -> bool:
        start, stop = self.adjacency.indptr[i], self.adjacency.indptr[i + 1]
        return bool((self.adjacency.indices[start:stop] == j).any())

    def _best(self, blocks: Iterable[tuple[int, FloatArray]], count: int) -> tuple[FloatArray, npt.NDArray[np.int64]]:
        """The highest gains among the allowed pairs, with ties broken later by the pair itself."""
        forbidden = _both_ways(self.pairs(), self.clean.n_nodes)
        gains, pairs = np.empty(0), np.empty((0, 2), dtype=np.int64)
        for start, block in blocks:
            self._mask(block, start, forbidden)
            bound = gains[-1] if len(gains) == count else -np.inf
            rows, columns = _at_least_top(block, count, bound)
            gains = np.concatenate([gains, block[rows, columns]])
            pairs = np.concatenate([pairs, np.stack([rows, columns], axis=1) + start])
            keep = np.argsort(-gains, kind="stable")[:count]
            gains, pairs = gains[keep], pairs[keep]
        return gains, pairs

    def _mask(self, block: FloatArray, start: int, forbidden: sp.csr_array) -> None:
        """Turn a block of the gradient into gains, in place: minus at edges, −∞ where a flip is not allowed."""
        stop = start + len(block)
        neighbors = np.diff(self.adjacency.indptr)
        rows, columns = _entries(self.adjacency, start, stop)
        block[rows - start, columns - start] *= -1
        lonely = np.minimum(neighbors[rows], neighbors[columns]) <= 1
        block[rows[lonely] - start, columns[lonely] - start] = -np.inf
        rows, columns = _entries(forbidden, start, stop)
        block[rows - start, columns - start] = -np.inf
        for row in range(len(block)):
            block[row, : row + 1] = -np.inf


def _at_least_top(block: FloatArray, count: int, bound: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Positions of the ``count`` highest finite entries, where above ``bound``, and perhaps a few more.

    No more than ``count`` rows can hold them: those with the highest maxima. The lowest of these maxima is
    a bound from below, so one comparison finds the entries (partitioning the whole block is ten times
    slower, most of its entries being equal to −∞).
    """
    maxima = block.max(axis=1)
    rows = np.argsort(-maxima, kind="stable")[:count]
    if len(rows) == count:
        bound = max(bound, maxima[rows[-1]])
    rows = rows[maxima[rows] >= bound]
    part = block[rows]
    at, columns = np.nonzero((part >= bound) & np.isfinite(part))
    return rows[at], columns


def _both_ways(pairs: npt.NDArray[np.int64], n_nodes: int) -> sp.csr_array:
    rows, columns = np.concatenate([pairs, pairs[:, ::-1]]).T
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n_nodes, n_nodes))


def _entries(matrix: sp.csr_array, start: int, stop: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Positions of the stored entries in rows ``start … stop`` and columns from ``start`` on."""
    part = matrix[start:stop].tocoo()
    kept = part.col >= start
    return part.row[kept] + start, part.col[kept]
