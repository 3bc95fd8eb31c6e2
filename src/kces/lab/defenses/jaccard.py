"""GCN-Jaccard (Wu et al., 2019): drop the edges between nodes that share too few features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kces.graph import Graph
from kces.lab.defenses.defense import Grid, Purifier
from kces.lab.defenses.similarity import jaccard
from kces.lab.defenses.weighted_adjacency import Adjacency, weighted

__all__ = ["Jaccard"]


@dataclass
class Jaccard(Purifier):
    """Drop edges with a Jaccard similarity of at most ``threshold``.

    The paper drops the edges that share nothing (threshold 0). The released code drops those strictly below
    0.01 (``strict=True``), and takes cosine instead of Jaccard when features are not binary; here real
    features count as present where they are not zero, and ``cosine`` is a purifier of its own.
    """

    threshold: float = 0.01
    strict: bool = False

    grid: ClassVar[Grid] = {"threshold": (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15)}
    needs_features: ClassVar[bool] = True

    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        similarity = jaccard(graph.features, graph.edges)
        kept = similarity >= self.threshold if self.strict else similarity > self.threshold
        return weighted(graph, kept.astype(np.float64))
