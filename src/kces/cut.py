"""What a cut is: which edges stay and go, how many, and who decided that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kces.ranking import all_tied, check_alpha, edge_order, kept_edges, prune_count
from kces.types import Array, Bools, Ints

__all__ = ["AUTO", "CANNOT_JUDGE", "LABELS", "AlphaChoice", "Cut", "checked_ratio", "cut_at", "said_of_abstaining"]

AUTO = "auto"
"""The value of ``alpha`` that lets the scores decide how many edges go."""

LABELS = "labels"
"""The value of ``alpha`` that lets the labels of train and validation nodes correct what the scores say."""

CANNOT_JUDGE = "cannot judge"
"""The verdict where nothing tells which edges are noise."""

NOISY = "noisy"
"""The verdict where some edges look like noise."""


def checked_ratio(alpha: float | str) -> float | str:
    """``auto``, ``labels`` or a number in [0, 1]; else a clear error.

    >>> checked_ratio("labels"), checked_ratio(0.5)
    ('labels', 0.5)
    """
    return alpha if isinstance(alpha, str) and alpha in (AUTO, LABELS) else check_alpha(alpha)


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

    def with_ties(self, removed: int, total: int) -> AlphaChoice:
        """The same, with all edges of the score at which it cuts, if the noise may be that much.

        Parameters
        ----------
        removed : edges that go if all of that score do.
        total : all edges.

        Examples
        --------
        >>> AlphaChoice(0.1, "noise", "noisy", 0.1, (0.0, 0.2)).with_ties(3, 20).alpha
        0.15
        """
        if self.verdict != NOISY or self.interval is None or removed > self.interval[1] * total + 1e-9:
            return self
        return replace(self, alpha=max(self.alpha, removed / total))

    def facts(self) -> dict[str, object]:
        """For machines, by the names that all commands use.

        >>> facts = AlphaChoice(0.1, "some noise", "noisy", 0.05, (0.01, 0.05)).facts()
        >>> facts["verdict"], facts["noise"]
        ('noisy', 0.05)
        """
        return {
            "alpha": self.alpha,
            "alpha_reason": self.reason,
            "verdict": self.verdict,
            "noise": self.noise,
            "noise_interval": None if self.interval is None else list(self.interval),
        }

    def __str__(self) -> str:
        """For people.

        >>> print(AlphaChoice.asked_for(0.25)); print(AlphaChoice(0.0, "no edge looks random", "clean"))
        alpha 0.25: asked for
        verdict clean, alpha 0: no edge looks random
        """
        verdict = "" if self.verdict is None else f"verdict {self.verdict}, "
        return f"{verdict}alpha {self.alpha:.3g}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Cut:
    """The edges of a scored graph, parted.

    Attributes
    ----------
    choice : the ratio that was aimed at, and why.
    scores : (E,) what was cut, higher = more suspicious.
    kept : (E,) mask of the edges that stay.
    warning : what the caller should hear about this cut, or nothing.
    suspicion : (E,) what decided where it is more than the scores: see :mod:`kces.company`.
    """

    choice: AlphaChoice
    scores: Array
    kept: Bools
    warning: str = ""
    suspicion: Array | None = None

    @property
    def decisive(self) -> Array:
        """(E,) what the edges were cut by."""
        return self.scores if self.suspicion is None else self.suspicion

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


def cut_at(scores: Array, choice: AlphaChoice, spared: Bools | None = None, *, ties: str = "whole") -> Cut:
    """Cut at the chosen ratio. No edge goes for its number: a cut among equal scores takes none of them, and says so.

    Parameters
    ----------
    scores : (E,) higher = more suspicious.
    choice : the ratio, and why.
    spared : (E,) edges that stay, whatever their score.
    ties : ``whole``, or ``index`` for the letter of Algorithm 1: always ``ceil(αE)`` edges, the lower numbers first.

    Examples
    --------
    >>> cut = cut_at(np.array([0.1, 0.9, 0.5, 0.2]), AlphaChoice.asked_for(0.5))
    >>> cut.kept.tolist(), cut.rank.tolist(), cut.threshold
    ([True, False, False, True], [4, 1, 2, 3], 0.5)
    >>> [cut_at(np.ones(4), AlphaChoice.asked_for(0.5), ties=ties).n_removed for ties in ("whole", "index")]
    [0, 2]
    """
    kept = kept_edges(scores, choice.alpha, ties=ties)
    wanted, removed = prune_count(len(scores), choice.alpha), int(np.count_nonzero(~kept))
    said = "" if removed == wanted else said_of_ties(choice, removed, wanted, len(scores) if all_tied(scores) else None)
    return Cut(choice, scores, kept if spared is None else kept | spared, said or said_of_abstaining(choice))


def said_of_abstaining(choice: AlphaChoice) -> str:
    """What the caller hears where no edge goes because nothing tells which should.

    >>> said_of_abstaining(AlphaChoice(0.0, "features are noise", "cannot judge"))[:41]
    'cannot judge which edges are noise, so no'
    >>> said_of_abstaining(AlphaChoice(0.0, "no edge looks random", "clean"))
    ''
    """
    if choice.verdict != CANNOT_JUDGE:
        return ""
    return "cannot judge which edges are noise, so none is cut; look at the ranking, or cut by it at a number (alpha)"


def said_of_ties(choice: AlphaChoice, removed: int, wanted: int, all_tied: int | None) -> str:
    """What the caller hears of a cut that would part equal scores; ``all_tied`` counts them where all are equal.

    An automatic cut that stops short is no news, one that takes nothing is.

    >>> said_of_ties(AlphaChoice.asked_for(0.4), 1, 2, None)
    'the cut falls among edges of the same score, which all stay: 1 of 2 asked for are removed'
    """
    if all_tied:
        return f"all {all_tied} edges have the same score, so none is more suspicious than another: none is removed"
    if choice.verdict is not None and removed == 0:
        return f"the {wanted} most suspicious edges share their score with others: none is removed; a larger alpha does"
    if choice.verdict is not None:
        return ""
    return f"the cut falls among edges of the same score, which all stay: {removed} of {wanted} asked for are removed"
