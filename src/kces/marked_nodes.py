"""How edges that look unrelated lie on the nodes: at random, or gathered at few or many of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.types import Bools, Ints

__all__ = ["MarkedNodes"]

FARTHEST = 5.0
"""Standard deviations beyond which a node does not deepen the cut further: hardly felt on the tuning graphs, where
many nodes are attacked."""


@dataclass(frozen=True, eq=False)
class MarkedNodes:
    """How edges that look unrelated lie on the nodes.

    Attributes
    ----------
    degrees : (N,) edges at each node.
    marks : (N,) those of them that look unrelated.
    share : of all edges that look unrelated.
    """

    degrees: Ints
    marks: Ints
    share: float

    @classmethod
    def of(cls, edges: Ints, marked: Bools) -> MarkedNodes:
        """Count them.

        >>> MarkedNodes.of(np.array([[0, 1], [1, 2]]), np.array([True, False])).marks.tolist()
        [1, 1, 0]
        """
        degrees = np.bincount(edges.ravel())
        marks = np.bincount(edges[marked].ravel(), minlength=len(degrees))
        return cls(degrees, marks, float(marked.mean()))

    def rate_at(self, nodes: Bools) -> tuple[float, float]:
        """Share of the edges at some nodes that are marked, and its standard error; marks at one node go together.

        >>> MarkedNodes(np.array([2, 2, 9]), np.array([2, 0, 5]), 0.5).rate_at(np.array([True, True, False]))
        (0.5, 0.3535533905932738)
        """
        chosen = nodes[: len(self.degrees)]
        degrees, marks = self.degrees[chosen], self.marks[chosen]
        rate = marks.sum() / max(degrees.sum(), 1)
        return float(rate), float(np.sqrt(((marks - rate * degrees) ** 2).sum()) / max(degrees.sum(), 1))

    @property
    def gathering(self) -> float:
        """Variance of the number of marked edges at a node over that of marks thrown at random; nodes of one edge are
        out.

        >>> star = np.array([[0, 1], [0, 2], [0, 3], [4, 1], [4, 2], [4, 3]])
        >>> round(MarkedNodes.of(star, np.array([True] * 3 + [False] * 3)).gathering, 2)
        1.5
        """
        return self._dispersion(np.inf)

    @property
    def depth(self) -> float:
        """The same, with no node counted for more than ``FARTHEST`` standard deviations.

        >>> nodes = MarkedNodes(np.array([100, *[2] * 50]), np.array([100, *[0] * 50]), 0.1)
        >>> nodes.gathering > 10 * nodes.depth
        True
        """
        return self._dispersion(FARTHEST)

    def _dispersion(self, farthest: float) -> float:
        several = self.degrees >= 2
        if self.share in (0.0, 1.0) or not several.any():
            return 1.0
        expected = self.share * self.degrees[several]
        variance = expected * (1.0 - self.share)
        squares = np.minimum((self.marks[several] - expected) ** 2, farthest**2 * variance)
        return float(squares.sum() / variance.sum())

    def within_reach(self, edges: Ints, marked: Bools) -> Bools:
        """(E,) which of some edges are marked, or have an end with more than its share of marks.

        >>> path = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
        >>> marked = np.array([True, False, False, False])
        >>> MarkedNodes.of(path, marked).within_reach(path, marked).tolist()
        [True, True, False, False]
        """
        crowded = self.marks > self.share * self.degrees
        reached: Bools = marked | crowded[edges].any(axis=1)
        return reached
