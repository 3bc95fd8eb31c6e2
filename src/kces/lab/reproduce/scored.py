"""KCES with a scoring that another cell has made, and KCES before a defense that is itself a purifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from typing_extensions import Self

from kces.graph import Graph
from kces.lab.attacked import AttackedGraph
from kces.lab.defenses import PURIFIERS, Defense, Purified, Purifier, make_defense
from kces.lab.defenses.adjacency import sparse_on_edges
from kces.lab.defenses.base import Classes, Correct, Grid
from kces.lab.defenses.edge_sanitization import EdgeSanitization, Scoring
from kces.lab.training import TrainingPreset

__all__ = ["SanitizedFirst", "defense_for"]


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

    def always_tried(self) -> Sequence[Mapping[str, Any]]:
        return self.purifier.always_tried

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


def defense_for(method: str, preset: TrainingPreset, *, scoring: Scoring | None = None) -> Defense:
    """The defense of that name; ``scoring`` spares that of the KCES in it.

    >>> from kces.lab.training import DEEPROBUST
    >>> type(defense_for("kces+jaccard", DEEPROBUST)).__name__
    'SanitizedFirst'
    """
    first, _, second = method.partition("+")
    found = (
        SanitizedFirst(PURIFIERS[first](), make_defense(second, preset=preset))
        if first in PURIFIERS and second in PURIFIERS
        else make_defense(method, preset=preset)
    )
    if isinstance(found, (Purified, SanitizedFirst)) and isinstance(found.purifier, EdgeSanitization):
        found.purifier.known = scoring
    return found
