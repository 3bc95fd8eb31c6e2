"""What a cut is: which edges stay and go, how many, and who decided that."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kces.ranking import all_tied, check_alpha, edge_order, kept_edges
from kces.types import Array, Bools, Ints

__all__ = ["AlphaChoice", "Cut", "cut_at"]


@dataclass(frozen=True)
class AlphaChoice:
    """A pruning ratio and why it is that.

    Attributes
    ----------
    alpha : share of the edges to remove, in [0, 1].
    reason : in words that end a sentence.
    verdict : ``clean``, ``noisy`` or ``cannot judge`` where the scores decided; None where the caller did.
    noise : estimated share of noise among the edges, where there is an estimate.
    interval : lower and upper end of that estimate.
    """

    alpha: float
    reason: str
    verdict: str | None = None
    noise: float | None = None
    interval: tuple[float, float] | None = None

    @classmethod
    def asked_for(cls, alpha: float | str) -> AlphaChoice:
        """The caller's own number.

        >>> AlphaChoice.asked_for(0.3)
        AlphaChoice(alpha=0.3, reason='asked for', verdict=None, noise=None, interval=None)
        """
        return cls(check_alpha(alpha), "asked for")


@dataclass(frozen=True, eq=False)
class Cut:
    """The edges of a scored graph, parted.

    Attributes
    ----------
    choice : the ratio that was aimed at, and why.
    scores : (E,) what was cut, higher = more suspicious.
    kept : (E,) mask of the edges that stay.
    warning : what the caller should hear about this cut, or nothing.
    """

    choice: AlphaChoice
    scores: Array
    kept: Bools
    warning: str = ""

    @property
    def alpha(self) -> float:
        return self.choice.alpha

    @property
    def n_removed(self) -> int:
        return int((~self.kept).sum())

    @property
    def threshold(self) -> float:
        """Lowest score among the removed edges; infinite when none is removed."""
        return float(self.scores[~self.kept].min(initial=np.inf))

    @cached_property
    def order(self) -> Ints:
        """(E,) edge numbers, most suspicious first."""
        return edge_order(self.scores)

    @cached_property
    def rank(self) -> Ints:
        """(E,) place of each edge in that order, from 1."""
        rank = np.empty(len(self.scores), dtype=np.int64)
        rank[self.order] = np.arange(1, len(rank) + 1)
        return rank


def cut_at(scores: Array, choice: AlphaChoice, spared: Bools | None = None) -> Cut:
    """Cut at the chosen ratio. Scores that are all the same rank nothing: then no edge goes unless all do.

    Where the scores chose the ratio, equal scores are not parted: no edge goes for its number.

    Parameters
    ----------
    scores : (E,) higher = more suspicious.
    choice : the ratio, and why.
    spared : (E,) edges that stay, whatever their score.

    Examples
    --------
    >>> cut = cut_at(np.array([0.1, 0.9, 0.5, 0.2]), AlphaChoice.asked_for(0.5))
    >>> cut.kept.tolist(), cut.rank.tolist(), cut.threshold
    ([True, False, False, True], [4, 1, 2, 3], 0.5)
    >>> cut_at(np.ones(4), AlphaChoice.asked_for(0.5)).n_removed
    0
    """
    if 0 < choice.alpha < 1 and all_tied(scores):
        said = f"all {len(scores)} edges have the same score, so none is more suspicious than another: none is removed"
        return Cut(choice, scores, np.ones(len(scores), dtype=bool), said)
    kept = kept_edges(scores, choice.alpha, whole_ties=choice.verdict is not None)
    return Cut(choice, scores, kept if spared is None else kept | spared)
