"""A purifier in front of a model: ``kces+gat`` and its like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import Self

from kces.graph import Graph
from kces.lab.attacked import AttackedGraph
from kces.lab.defenses.base import Classes, Correct, Defense, Grid, Model, Purifier, require_features

__all__ = ["Purified"]


@dataclass
class Purified(Defense):
    """Clean the graph, then train the model on what is left. The purifier is tuned, the model keeps its settings."""

    purifier: Purifier
    model: Model

    def search_space(self) -> Grid:
        return self.purifier.grid

    def model_behind(self) -> Model:
        return self.model.with_parameters({})

    def fit(self, graph: Graph, seed: int = 0) -> Self:
        if self.purifier.needs_features:
            require_features(graph, type(self.purifier).__name__)
        adjacency = self.purifier.purify(graph, seed)
        self.reused_seconds = self.purifier.reused_seconds
        self.model.fit(graph, seed, adjacency=adjacency)
        return self

    def predict(self) -> Classes:
        return self.model.predict()

    def with_parameters(self, parameters: Mapping[str, Any]) -> Purified:
        ours = {name: value for name, value in parameters.items() if name in self.purifier.grid}
        theirs = {name: value for name, value in parameters.items() if name not in ours}
        return Purified(replace(self.purifier, **ours), self.model.with_parameters(theirs))

    def trained_for(self, epochs: int) -> Purified:
        return Purified(replace(self.purifier), self.model.trained_for(epochs))

    def always_tried(self) -> Sequence[Mapping[str, Any]]:
        return self.purifier.always_tried

    def choose(self, settings: Sequence[Mapping[str, Any]], right: Correct) -> int | None:
        return self.purifier.choose(settings, right)

    def informed_by(self, attacked: AttackedGraph) -> Purified:
        return Purified(self.purifier.informed_by(attacked), self.model)
