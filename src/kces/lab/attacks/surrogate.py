"""The attacker's own model: a two-layer graph convolution without nonlinearity, ``T² X W₁ W₂``.

Its logits need the graph only through ``T²X``, so training touches nothing but a small dense matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from kces.graph import Graph
from kces.kernel import normalized_adjacency
from kces.lab.attacks.interface import train_nodes
from kces.types import Features

__all__ = [
    "FloatArray",
    "LinearSurrogate",
    "class_count",
    "initial_weights",
    "self_training_labels",
    "single_precision",
    "surrogate_step",
    "train_linear_surrogate",
]

FloatArray: TypeAlias = npt.NDArray[np.floating]
DTYPE = np.float32


def surrogate_step(adjacency: sp.csr_array, dtype: npt.DTypeLike = DTYPE) -> sp.csr_array:
    """``T = D^-1/2 (A + I) D^-1/2``; the adjacency may carry weights in [0, 1].

    >>> surrogate_step(sp.csr_array([[0.0, 1.0], [1.0, 0.0]])).toarray().round(6).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    return normalized_adjacency(adjacency).astype(dtype)


def single_precision(features: Features) -> Features:
    """Features as the surrogate reads them; sparse ones stay sparse."""
    return features.astype(DTYPE)


def class_count(graph: Graph) -> int:
    """Number of output columns: one more than the largest label among the training nodes."""
    train = train_nodes(graph, "the surrogate")
    assert graph.labels is not None  # train_nodes has checked
    return int(graph.labels[train].max()) + 1


def initial_weights(n_features: int, hidden: int, n_classes: int, rng: np.random.Generator) -> list[FloatArray]:
    """Uniform weights of Glorot's width for both layers."""
    shapes = [(n_features, hidden), (hidden, n_classes)]
    widths = [np.sqrt(6.0 / (rows + columns)) for rows, columns in shapes]
    return [rng.uniform(-w, w, size=s).astype(DTYPE) for w, s in zip(widths, shapes, strict=True)]


@dataclass(frozen=True, eq=False)
class LinearSurrogate:
    """A trained ``W = W₁ W₂`` (features x classes)."""

    weights: FloatArray

    def logits(self, graph: Graph) -> FloatArray:
        """Class scores of every node of ``graph``."""
        step = surrogate_step(graph.adjacency)
        return step @ (step @ (single_precision(graph.features) @ self.weights))


def train_linear_surrogate(
    graph: Graph,
    rng: np.random.Generator,
    *,
    hidden: int = 16,
    epochs: int = 200,
    lr: float = 0.01,
    weight_decay: float = 5e-4,
) -> LinearSurrogate:
    """Train on the labeled nodes with Adam, with the settings of the usual GCN."""
    train = train_nodes(graph, "the surrogate")
    assert graph.labels is not None
    step, features = surrogate_step(graph.adjacency), single_precision(graph.features)
    aggregated = (step[train] @ step) @ features
    inputs = torch.from_numpy(aggregated.toarray() if sp.issparse(aggregated) else aggregated)
    classes = torch.from_numpy(graph.labels[train])
    weights = [torch.from_numpy(w) for w in initial_weights(graph.n_features, hidden, class_count(graph), rng)]
    for weight in weights:
        weight.requires_grad_()
    optimizer = torch.optim.Adam(weights, lr=lr, weight_decay=weight_decay)
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(inputs @ weights[0] @ weights[1], classes)
        loss.backward()
        optimizer.step()
    return LinearSurrogate((weights[0] @ weights[1]).detach().numpy())


def self_training_labels(graph: Graph, surrogate: LinearSurrogate) -> npt.NDArray[np.int64]:
    """The surrogate's predictions, with the true labels put in for the training nodes only."""
    train = train_nodes(graph, "the surrogate")
    assert graph.labels is not None
    labels = surrogate.logits(graph).argmax(axis=1)
    labels[train] = graph.labels[train]
    return labels
