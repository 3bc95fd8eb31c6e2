"""Nettack's test of unnoticeability: the degrees must still look like a draw from the same power law."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.graph import Graph

__all__ = ["unnoticeable"]

LOWEST_DEGREE = 2
CRITICAL_RATIO = 0.004


def unnoticeable(clean: Graph, adjacency: sp.csr_array, target: int) -> npt.NDArray[np.bool_]:
    """For every node j: whether flipping (target, j) keeps the likelihood ratio below the published bound."""
    before = _Sums.of(np.diff(clean.adjacency.indptr))
    degrees = np.diff(adjacency.indptr).astype(float)
    is_edge = np.zeros(len(degrees), dtype=bool)
    is_edge[adjacency.indices[adjacency.indptr[target] : adjacency.indptr[target + 1]]] = True
    change = np.where(is_edge, -1.0, 1.0)
    now = _Sums.of(degrees)
    for old in (degrees, np.full_like(degrees, degrees[target])):
        now = now.plus(old, -1).plus(old + change, 1)
    both = _Sums(before.logs + now.logs, before.count + now.count)
    ratio = -2 * both.log_likelihood() + 2 * (before.log_likelihood() + now.log_likelihood())
    return ratio < CRITICAL_RATIO


class _Sums:
    """Number of degrees in the tail and the sum of their logarithms; one entry per candidate."""

    def __init__(self, logs: npt.ArrayLike, count: npt.ArrayLike) -> None:
        self.logs = np.asarray(logs, dtype=float)
        self.count = np.asarray(count, dtype=float)

    @classmethod
    def of(cls, degrees: npt.NDArray[np.floating] | npt.NDArray[np.integer]) -> _Sums:
        tail = degrees[degrees >= LOWEST_DEGREE]
        return cls(np.log(tail).sum(), len(tail))

    def plus(self, degrees: npt.NDArray[np.floating], sign: int) -> _Sums:
        """With one more (or one less) degree for every candidate."""
        in_tail = degrees >= LOWEST_DEGREE
        logs = np.where(in_tail, np.log(np.maximum(degrees, LOWEST_DEGREE)), 0.0)
        return _Sums(self.logs + sign * logs, self.count + sign * in_tail)

    def log_likelihood(self) -> npt.NDArray[np.floating]:
        count = np.maximum(self.count, 1)
        excess = np.maximum(self.logs - count * np.log(LOWEST_DEGREE - 0.5), 1e-12)
        exponent = count / excess + 1
        return count * np.log(exponent) + count * exponent * np.log(LOWEST_DEGREE) - (exponent + 1) * self.logs
