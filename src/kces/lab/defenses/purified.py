"""A purifier in front of a model or of another purifier: ``kces+gat``, ``kces+jaccard`` and their like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from typing_extensions import Self

from kces.datasets.attacked import AttackedGraph
from kces.graph import Graph
from kces.lab.defenses.defense import Classes, Correct, Defense, Grid, Model, Parameters, Purifier, require_features
from kces.lab.defenses.weighted_adjacency import Adjacency, sparse_on_edges

__all__ = ["Purified"]


@dataclass
class Purified(Defense):
    """Clean the graph, then train on what is left.

    The purifier is tuned, and what stands behind it keeps its settings; behind a purifier that has none, it is tuned.

    A model gets the cleaned adjacency with its weights. A defense that purifies itself gets the graph without the
    edges that have lost all their weight: the paper's "(K)" before GCN-Jaccard or GCN-SVD.
    """

    purifier: Purifier
    behind: Defense

    def search_space(self) -> Grid:
        return self.purifier.grid or self.behind.search_space()

    def model_behind(self) -> Defense:
        return self.behind.model_behind()

    def fit(self, graph: Graph, seed: int = 0) -> Self:
        if self.purifier.needs_features:
            require_features(graph, type(self.purifier).__name__)
        adjacency = self.purifier.purify(graph, seed)
        if isinstance(self.behind, Model):
            self.behind.fit(graph, seed, adjacency=adjacency)
        else:
            self.behind.fit(_without_lost_edges(graph, adjacency), seed)
        self.reused_seconds = self.purifier.reused_seconds + self.behind.reused_seconds
        return self

    def predict(self) -> Classes:
        return self.behind.predict()

    def with_parameters(self, parameters: Parameters) -> Purified:
        own = {each.name for each in fields(self.purifier)}
        ours = {name: value for name, value in parameters.items() if name in own}
        theirs = {name: value for name, value in parameters.items() if name not in ours}
        return Purified(replace(self.purifier, **ours), self.behind.with_parameters(theirs))

    def trained_for(self, epochs: int) -> Purified:
        return Purified(replace(self.purifier), self.behind.trained_for(epochs))

    def always_tried(self) -> Sequence[Parameters]:
        return self.purifier.always_tried if self.purifier.grid else self.behind.always_tried()

    def choose(self, settings: Sequence[Parameters], right: Correct) -> int | None:
        return self.purifier.choose(settings, right) if self.purifier.grid else self.behind.choose(settings, right)

    def informed_by(self, attacked: AttackedGraph) -> Purified:
        return Purified(self.purifier.informed_by(attacked), self.behind)


def _without_lost_edges(graph: Graph, adjacency: Adjacency) -> Graph:
    weights = sparse_on_edges(graph, adjacency)
    return graph.keep_edges(np.asarray(weights[graph.edges[:, 0], graph.edges[:, 1]]).ravel() > 0)
