"""Edges whose fate a person decided: they stay or go, whatever their score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.cut import Cut
from kces.errors import InvalidParameterError
from kces.ranking import prune_count
from kces.scorers.scored import AUTO, Scored
from kces.types import Bools

__all__ = ["Held"]


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
        asked = scored.cut(alpha)
        ranks = len(asked.rank) - asked.rank.astype(np.float64)
        ordering = np.where(self.harmful, ranks + len(ranks), np.where(self.fine, ranks - len(ranks), ranks))
        cut = Cut(asked.choice, ordering, asked.kept, asked.warning)
        wanted = self.bounded(asked.n_removed)
        return Cut(asked.choice, ordering, cut.rank > wanted, asked.warning)

    def bounded(self, removed: int) -> int:
        """How many edges go where the scores alone would have ``removed`` go."""
        return int(min(max(removed, self.harmful.sum()), len(self.fine) - self.fine.sum()))

    def removed_at(self, alpha: float) -> int:
        """How many edges go at ``alpha``."""
        return self.bounded(prune_count(len(self.fine), alpha))
