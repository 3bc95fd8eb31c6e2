"""Spaces in which the ends of an edge are compared: the features and their leading directions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kces.graph import Graph
from kces.scorers.centered_features import CenteredFeatures
from kces.scorers.leading_directions import covariance_is_cheaper, leading_by_covariance, leading_by_iteration
from kces.types import Array, is_sparse

__all__ = [
    "RANK",
    "FeatureSpace",
    "LowRankSpace",
    "centered_space",
    "smoothed_projection",
    "uncentered_space",
]

FeatureSpace: TypeAlias = Callable[[Graph], CenteredFeatures]
"""A row per node, made from the graph alone."""

RANK = 16
"""Leading directions of the smoothed features that form the second, denoised feature space."""


def centered_space(graph: Graph) -> CenteredFeatures:
    """The graph's features, weighted by rarity, at unit length and centered; nodes without a link have no say."""
    return CenteredFeatures.of(graph.features, np.diff(graph.adjacency.indptr) > 0).narrowed()


def uncentered_space(graph: Graph) -> CenteredFeatures:
    """The graph's features as they are, for comparison."""
    return CenteredFeatures(graph.features)


@dataclass(frozen=True)
class LowRankSpace:
    """Features along the ``rank`` leading directions that they have after smoothing over the graph.

    >>> from kces.datasets.builtin import synthetic
    >>> LowRankSpace(rank=3)(synthetic(n=50, seed=0)).n_columns
    3
    """

    of: FeatureSpace = centered_space
    rank: int = RANK
    seed: int = 0

    def __call__(self, graph: Graph) -> CenteredFeatures:
        return CenteredFeatures(smoothed_projection(graph, self.of(graph), self.rank, self.seed))


def smoothed_projection(graph: Graph, features: CenteredFeatures, rank: int, seed: int) -> Array:
    """Centered features of each node along the leading directions of the smoothed ones, unit rows of ``T² X``."""
    rank = min(rank, min(graph.n_nodes, features.n_columns) - 1)
    compact = features.without_empty_columns() if is_sparse(features.matrix) else features
    if compact.n_columns > rank:
        features = compact
    if rank < 1:  # a single column: nothing to choose from
        return features.times(np.eye(features.n_columns))
    find = leading_by_covariance if covariance_is_cheaper(graph.n_nodes, features.n_columns) else leading_by_iteration
    directions = find(graph, features, rank, seed)
    return features.times(directions)
