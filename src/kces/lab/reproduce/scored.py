"""KCES with scores that another cell has computed, and KCES before a defense that is itself a purifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from kces.graph import Graph
from kces.lab.attacked import AttackedGraph
from kces.lab.defenses import MODELS, PURIFIERS, Defense, Purified, Purifier, make_defense
from kces.lab.defenses.adjacency import Adjacency, sparse_on_edges, weighted
from kces.lab.defenses.base import Classes, Correct, Grid, best_on_validation
from kces.lab.defenses.edge_sanitization import KCESPaper
from kces.lab.training import TrainingPreset
from kces.ranking import kept_edges

__all__ = ["PAPER_SCORE", "SanitizedFirst", "ScoredEdges", "defense_for"]

Scores = npt.NDArray[np.float64]

PAPER_SCORE = "kces-paper"
"""The method whose score is dear enough to be a cell of its own; the robust score is linear in the edges."""


@dataclass
class ScoredEdges(Purifier):
    """Drop the ``ceil(α E)`` edges with the highest of the given scores: KCESPaper without the scoring."""

    scores: Scores | None = None
    seconds: float = 0.0
    alpha: float = 0.3

    grid: ClassVar[Grid] = KCESPaper.grid

    def choose(self, settings: Sequence[Mapping[str, Any]], right: Correct) -> int:
        return best_on_validation(right)  # the paper's rule, as in KCESPaper

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        if self.scores is None or len(self.scores) != graph.n_edges:
            raise ValueError(f"no scores for the {graph.n_edges} edges of {graph.name}")
        self.reused_seconds = self.seconds
        return weighted(graph, kept_edges(self.scores, self.alpha).astype(np.float64))


@dataclass
class SanitizedFirst(Defense):
    """A purifier before a whole defense, which gets the cleaned graph: ``kces+jaccard`` of the paper's "(K)"."""

    purifier: Purifier
    behind: Defense

    def search_space(self) -> Grid:
        return self.purifier.grid

    def model_behind(self) -> Defense:
        return self.behind.model_behind()

    def fit(self, graph: Graph, seed: int = 0) -> Self:
        adjacency = sparse_on_edges(graph, self.purifier.purify(graph, seed))
        kept = np.asarray(adjacency[graph.edges[:, 0], graph.edges[:, 1]]).ravel() > 0
        self.behind.fit(graph.keep_edges(kept), seed)
        self.reused_seconds = self.purifier.reused_seconds + self.behind.reused_seconds
        return self

    def predict(self) -> Classes:
        return self.behind.predict()

    def choose(self, settings: Sequence[Mapping[str, Any]], right: Correct) -> int | None:
        return self.purifier.choose(settings, right)

    def with_parameters(self, parameters: Mapping[str, Any]) -> SanitizedFirst:
        ours = {name: value for name, value in parameters.items() if name in self.purifier.grid}
        theirs = {name: value for name, value in parameters.items() if name not in ours}
        return SanitizedFirst(replace(self.purifier, **ours), self.behind.with_parameters(theirs))

    def trained_for(self, epochs: int) -> SanitizedFirst:
        return SanitizedFirst(replace(self.purifier), self.behind.trained_for(epochs))

    def informed_by(self, attacked: AttackedGraph) -> SanitizedFirst:
        return SanitizedFirst(self.purifier.informed_by(attacked), self.behind)


def defense_for(method: str, preset: TrainingPreset, *, scores: Scores | None = None, seconds: float = 0.0) -> Defense:
    """The defense of that name; ``scores`` (which took ``seconds``) replace the scoring of ``kces-paper``.

    >>> from kces.lab.training import DEEPROBUST
    >>> type(defense_for("kces+jaccard", DEEPROBUST)).__name__
    'SanitizedFirst'
    """
    first, _, second = method.partition("+")
    own_scores = first == PAPER_SCORE and scores is not None
    if second in PURIFIERS and first in PURIFIERS:
        purifier = ScoredEdges(scores, seconds) if own_scores else PURIFIERS[first]()
        return SanitizedFirst(purifier, make_defense(second, preset=preset))
    if own_scores:
        return Purified(ScoredEdges(scores, seconds), MODELS[second or "gcn"](preset=preset))
    return make_defense(method, preset=preset)
