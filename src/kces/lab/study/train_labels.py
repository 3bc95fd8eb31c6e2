"""A view that the study compares: the classes of all nodes, spread from the train nodes. It helps next to nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.kernel import normalize_rows, propagation
from kces.scorers.centered_features import CenteredFeatures
from kces.scorers.feature_spaces import centered_space, smoothed_projection
from kces.scorers.views import HopView
from kces.types import Array

__all__ = ["TRAIN_LABELS", "TrainLabelSpace"]

_RANK = 64
_RIDGE = 1.0


@dataclass(frozen=True)
class TrainLabelSpace:
    """Soft labels of all nodes: kernel ridge on the train nodes, in a low-rank kernel of own and smoothed features.

    >>> from kces.datasets.builtin import synthetic
    >>> TrainLabelSpace()(synthetic(n=100, classes=3, seed=0)).n_columns
    3
    """

    seed: int = 0

    def __call__(self, graph: Graph) -> CenteredFeatures:
        if graph.labels is None or graph.train is None:
            raise InvalidGraphError(f"{graph.name} has no labels with train nodes")
        known = graph.train[graph.labels[graph.train] >= 0]
        classes, codes = np.unique(graph.labels[known], return_inverse=True)
        if len(classes) < 2:
            raise InvalidGraphError(f"the train nodes of {graph.name} have fewer than two classes")
        rows = _rows(graph, self.seed)
        target = np.eye(len(classes))[codes]
        train = rows[known]
        system = train.T @ train + _RIDGE * np.eye(rows.shape[1])
        solution = scipy.linalg.solve(system, train.T @ (target - target.mean(axis=0)), assume_a="pos")
        return CenteredFeatures(np.asarray(rows @ solution))


def _rows(graph: Graph, seed: int) -> Array:
    """Leading feature directions of each node and of its two-hop neighborhood, side by side."""
    own = smoothed_projection(graph, centered_space(graph), _RANK, seed)
    T = propagation(graph)
    return np.hstack([normalize_rows(own)[0], normalize_rows(np.asarray(T @ (T @ own)))[0]])


TRAIN_LABELS = HopView("train-labels", "classes spread from the train nodes", TrainLabelSpace())
