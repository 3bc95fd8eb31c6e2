"""Edges whose fate a person decided: they stay or go, whatever their score."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kces.cut import Cut
from kces.errors import InvalidParameterError
from kces.scorers.scored import AUTO, Scored
from kces.types import Bools

__all__ = ["Held", "first_removed", "in_order_of_removal"]


@dataclass(frozen=True, eq=False)
class Held:
    """What was decided.

    Attributes
    ----------
    fine : (E,) mask of the edges that never go.
    harmful : (E,) mask of the edges that always go.
    """

    fine: Bools
    harmful: Bools

    def __post_init__(self) -> None:
        if (self.fine & self.harmful).any():
            raise InvalidParameterError("an edge is marked both fine and harmful; choose one")

    def cut(self, scored: Scored, alpha: float | str = AUTO) -> Cut:
        """Cut at ``alpha`` with harmful edges ahead of all others and fine ones behind them.

        Parameters
        ----------
        scored : the scores.
        alpha : share of edges to remove, in [0, 1], or ``auto``.

        Examples
        --------
        >>> from kces.datasets.toys import barbell
        >>> scored = Scored(barbell(), np.arange(21.0))
        >>> edges = np.arange(21)
        >>> cut = Held(fine=edges == 20, harmful=edges == 0).cut(scored, 0.1)
        >>> np.flatnonzero(~cut.kept).tolist()
        [0, 18, 19]
        """
        asked = in_order_of_removal(scored.cut(alpha))
        ranks = len(asked.rank) - asked.rank.astype(np.float64)
        ordering = np.where(self.harmful, ranks + len(ranks), np.where(self.fine, ranks - len(ranks), ranks))
        return first_removed(replace(asked, scores=ordering), self.bounded(asked.n_removed))

    def bounded(self, removed: int) -> int:
        """How many edges go where the scores alone would have ``removed`` go."""
        return int(min(max(removed, self.harmful.sum()), len(self.fine) - self.fine.sum()))


def in_order_of_removal(cut: Cut) -> Cut:
    """The cut with the edges that go ranked before those that stay, also where it spared some of high score.

    >>> from kces.cut import AlphaChoice, cut_at
    >>> spared = np.array([False, True, False])
    >>> in_order_of_removal(cut_at(np.array([1.0, 3.0, 2.0]), AlphaChoice.asked_for(0.6), spared)).rank.tolist()
    [3, 2, 1]
    """
    return replace(cut, scores=(len(cut.rank) - cut.rank + len(cut.rank) * ~cut.kept).astype(np.float64))


def first_removed(cut: Cut, removed: int) -> Cut:
    """The same order with the first ``removed`` edges gone."""
    return replace(cut, kept=cut.rank > removed)
