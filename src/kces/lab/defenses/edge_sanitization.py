"""KCES as a purifier: the method of this package in front of any model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from kces.automatic_cut import automatic_alpha, informed_choice
from kces.graph import Graph
from kces.lab.defenses.adjacency import Adjacency, weighted
from kces.lab.defenses.base import Correct, Grid, Purifier, best_on_validation
from kces.ranking import check_alpha, kept_edges
from kces.sanitize import ALPHAS
from kces.scoring import score

__all__ = ["KCESPaper", "KCESRobust"]


@dataclass(frozen=True, eq=False)
class _Scoring:
    scores: npt.NDArray[np.float64]
    automatic: float | None
    seconds: float


# Scores do not depend on alpha nor on the model behind: tuning and further seeds reuse them. The graph is
# the key by identity, and an entry goes when its graph goes.
_scorings: WeakKeyDictionary[Graph, dict[str, _Scoring]] = WeakKeyDictionary()


@dataclass
class _EdgeSanitization(Purifier):
    """Drop the ``ceil(α E)`` edges with the highest score. Scored once per graph, with seed 0."""

    alpha: float | str = 0.3

    scoring_preset: ClassVar[str]

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        scoring = self._scoring(graph)
        alpha = self.alpha
        if alpha == "auto" and scoring.automatic is not None:
            alpha = scoring.automatic
        kept = kept_edges(scoring.scores, check_alpha(alpha))
        return weighted(graph, kept.astype(np.float64))

    def _scoring(self, graph: Graph) -> _Scoring:
        known = _scorings.setdefault(graph, {})
        if self.scoring_preset in known:
            self.reused_seconds = known[self.scoring_preset].seconds
        else:
            start = time.perf_counter()
            scored = score(graph, preset=self.scoring_preset)
            automatic = None if scored.evidence is None else automatic_alpha(scored.evidence)
            known[self.scoring_preset] = _Scoring(scored.scores, automatic, time.perf_counter() - start)
            self.reused_seconds = 0.0
        return known[self.scoring_preset]


@dataclass
class KCESPaper(_EdgeSanitization):
    """The paper's score to the letter: ``|ΔGKC|``, K-means pseudo labels."""

    #: α = 0 belongs to the grid: on a clean graph the best cut may be none.
    grid: ClassVar[Grid] = {"alpha": ALPHAS}
    scoring_preset: ClassVar[str] = "paper"

    def choose(self, settings: Sequence[Mapping[str, Any]], right: Correct) -> int:
        """The paper's rule: a grid search on validation, the best is taken."""
        return best_on_validation(right)


@dataclass
class KCESRobust(_EdgeSanitization):
    """The preset ``robust``: the best label-free score of this package, cut where the scores say or validation does."""

    alpha: float | str = "auto"

    grid: ClassVar[Grid] = {"alpha": ("auto", *ALPHAS[:-1])}
    scoring_preset: ClassVar[str] = "robust"

    def choose(self, settings: Sequence[Mapping[str, Any]], right: Correct) -> int:
        """By :func:`kces.automatic_cut.informed_choice`, with what is best behind no and behind automatic pruning."""
        alphas = [setting["alpha"] for setting in settings]
        if "auto" not in alphas:
            return best_on_validation(right)
        automatic = _best_with("auto", alphas, right)
        none = _best_with(0.0, alphas, right) if 0.0 in alphas else automatic  # few trials may leave 0 out
        return informed_choice(right, none, automatic)


def _best_with(alpha: float | str, alphas: Sequence[float | str], right: Correct) -> int:
    rows = [row for row, other in enumerate(alphas) if other == alpha]
    return rows[best_on_validation(right[rows])]
