"""Feature cosine: the simple purifier any other has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kces.graph import Graph
from kces.lab.defenses.defense import Grid, Purifier
from kces.lab.defenses.similarity import cosine
from kces.lab.defenses.weighted_adjacency import Adjacency, weighted

__all__ = ["Cosine"]


@dataclass
class Cosine(Purifier):
    """Drop edges whose ends have a feature cosine of at most ``threshold``."""

    threshold: float = 0.05

    grid: ClassVar[Grid] = {"threshold": (0.0, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3)}
    needs_features: ClassVar[bool] = True

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        return weighted(graph, (cosine(graph.features, graph.edges) > self.threshold).astype(np.float64))
