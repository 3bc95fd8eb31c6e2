"""KCES as a purifier: the method of this package in front of any model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from kces.automatic_cut import twice_the_noise
from kces.cut import LABELS
from kces.estimator import ALPHAS
from kces.graph import Graph
from kces.lab.defenses.defense import Correct, Grid, Purifier, best_on_validation
from kces.lab.defenses.weighted_adjacency import Adjacency, weighted
from kces.scorers import AUTO, Scored, ScoreOptions, make_scorer
from kces.validated_choice import informed_choice

__all__ = ["EdgeSanitization", "KCESPaper", "KCESRobust", "KCESValidated", "TimedScores"]


@dataclass(frozen=True, eq=False)
class TimedScores:
    """A scored graph, the seconds that scoring took, and the ratio of the plainer rule, which older tables have."""

    scored: Scored
    seconds: float
    twice_the_noise: float | None = None

    @classmethod
    def of(cls, graph: Graph, options: ScoreOptions) -> TimedScores:
        """Score the graph, and look for the automatic cut."""
        start = time.perf_counter()
        scored = make_scorer(options).score(graph)
        yardstick = None if scored.evidence is None else scored.evidence.yardstick
        scored.automatic  # noqa: B018 - part of what is timed, and kept with the scores
        seconds = time.perf_counter() - start
        return cls(scored, seconds, None if yardstick is None else twice_the_noise(yardstick).alpha)


# Scores do not depend on alpha nor on the model behind: tuning and further seeds reuse them. The graph is
# the key by identity, and an entry goes when its graph goes.
_scorings: WeakKeyDictionary[Graph, dict[str, TimedScores]] = WeakKeyDictionary()


@dataclass
class EdgeSanitization(Purifier):
    """Drop the edges that a cut at α condemns. Scored once per graph, with seed 0.

    ``known`` spares the scoring: what another process has computed for this graph.
    """

    alpha: float | str = 0.3
    known: TimedScores | None = field(default=None, repr=False)

    scoring_preset: ClassVar[str]
    ties: ClassVar[str] = "whole"

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        found = self._scores(graph)
        kept = found.scored.cut(self._ratio(found), ties=self.ties).kept
        return weighted(graph, kept.astype(np.float64))

    def _ratio(self, found: TimedScores) -> float | str:
        return self.alpha

    def _scores(self, graph: Graph) -> TimedScores:
        known = self.known or _scorings.setdefault(graph, {}).get(self.scoring_preset)
        self.reused_seconds = 0.0 if known is None else known.seconds
        if known is None:
            known = _scorings[graph][self.scoring_preset] = TimedScores.of(
                graph, ScoreOptions(preset=self.scoring_preset)
            )
        return known


@dataclass
class KCESPaper(EdgeSanitization):
    """The paper's score to the letter: ``|ΔGKC|``, K-means pseudo labels."""

    #: α = 0 belongs to the grid: on a clean graph the best cut may be none.
    grid: ClassVar[Grid] = {"alpha": ALPHAS}
    scoring_preset: ClassVar[str] = "paper"
    #: Algorithm 1, line 9: always ``ceil(α E)`` edges.
    ties: ClassVar[str] = "index"

    def choose(self, settings: Sequence[Mapping[str, Any]], right: Correct) -> int:
        """The paper's rule: a grid search on validation, the best is taken."""
        return best_on_validation(right)


@dataclass
class KCESRobust(EdgeSanitization):
    """The preset ``robust``, cut where scores and labels say. Nothing is tuned: the model behind gets all trials."""

    alpha: float | str = LABELS

    scoring_preset: ClassVar[str] = "robust"


@dataclass
class KCESValidated(EdgeSanitization):
    """The preset ``robust``, cut where the validation of ten trained models says, or twice as deep as the noise."""

    alpha: float | str = AUTO

    #: No pruning and the automatic α, which the choice below compares with, whatever the budget.
    always_tried: ClassVar[tuple[Mapping[str, Any], ...]] = ({"alpha": AUTO}, {"alpha": 0.0})
    grid: ClassVar[Grid] = {"alpha": (AUTO, *ALPHAS[:-1])}
    scoring_preset: ClassVar[str] = "robust"

    def choose(self, settings: Sequence[Mapping[str, Any]], right: Correct) -> int:
        """By :func:`kces.validated_choice.informed_choice`."""
        alphas = [setting["alpha"] for setting in settings]
        return informed_choice(right, none=alphas.index(0.0), automatic=alphas.index(AUTO))

    def _ratio(self, found: TimedScores) -> float | str:
        if self.alpha == AUTO and found.twice_the_noise is not None:
            return found.twice_the_noise
        return self.alpha
