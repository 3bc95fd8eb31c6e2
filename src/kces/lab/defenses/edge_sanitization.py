"""KCES as a purifier: the method of this package in front of any model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from kces import score_edges
from kces.graph import Graph
from kces.lab.defenses.adjacency import Adjacency, weighted
from kces.lab.defenses.base import Grid, Purifier
from kces.ranking import kept_edges

__all__ = ["KCESPaper", "KCESRobust"]


@dataclass(frozen=True, eq=False)
class _Scoring:
    scores: npt.NDArray[np.float64]
    seconds: float


# Scores do not depend on alpha nor on the model behind: tuning and further seeds reuse them. The graph is
# the key by identity, and an entry goes when its graph goes.
_scorings: WeakKeyDictionary[Graph, dict[str, _Scoring]] = WeakKeyDictionary()


@dataclass
class _EdgeSanitization(Purifier):
    """Drop the ``ceil(α E)`` edges with the highest score. Scored once per graph, with seed 0."""

    alpha: float = 0.3

    #: α = 0 belongs to the grid: on a clean graph the best cut may be none.
    grid: ClassVar[Grid] = {"alpha": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
    scoring_preset: ClassVar[str]

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        return weighted(graph, kept_edges(self._scores(graph), self.alpha).astype(np.float64))

    def _scores(self, graph: Graph) -> npt.NDArray[np.float64]:
        known = _scorings.setdefault(graph, {})
        if self.scoring_preset in known:
            self.reused_seconds = known[self.scoring_preset].seconds
        else:
            start = time.perf_counter()
            scores = score_edges(graph, preset=self.scoring_preset)
            known[self.scoring_preset] = _Scoring(scores, time.perf_counter() - start)
            self.reused_seconds = 0.0
        return known[self.scoring_preset].scores


@dataclass
class KCESPaper(_EdgeSanitization):
    """The paper's score to the letter: ``|ΔGKC|``, K-means pseudo labels."""

    scoring_preset: ClassVar[str] = "paper"


@dataclass
class KCESRobust(_EdgeSanitization):
    """The preset ``robust``: the best label-free score of this package."""

    scoring_preset: ClassVar[str] = "robust"
