"""GNNGuard (Zhang & Zitnik, 2020): neighbors weigh as much as they resemble the node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from kces.lab.defenses.defense import Grid, Model, Task
from kces.lab.defenses.edge_sums import edge_products, edge_sums
from kces.lab.defenses.similarity import cosine
from kces.lab.defenses.weighted_adjacency import edge_list
from kces.lab.training import FeatureLinear, uniform_parameter

__all__ = ["GNNGuard"]


class GNNGuardNetwork(nn.Module):
    """Two GCN layers, each on edge weights estimated from its own input."""

    def __init__(self, task: Task, hidden: int, settings: GNNGuard) -> None:
        super().__init__()
        self.first = FeatureLinear(task.features, hidden)
        self.first_bias = uniform_parameter(1, hidden)
        self.second = uniform_parameter(hidden, task.n_classes)
        self.second_bias = uniform_parameter(1, task.n_classes)
        self.settings = settings
        self.dropout = settings.preset.dropout
        (self.source, self.target), self.given = edge_list(task.sparse_adjacency)
        self.n_nodes = task.graph.n_nodes
        pairs = torch.stack([self.source, self.target], dim=1).numpy()
        similarity = torch.from_numpy(cosine(task.graph.features, pairs)).float()
        # The features never change, nor do the weights of the first layer.
        self.first_weights = self._edge_weights(similarity)

    def forward(self) -> Tensor:
        memory = self.first_weights
        hidden = self._propagate(self.first(), memory) + self.first_bias
        hidden = functional.dropout(functional.relu(hidden), self.dropout, self.training)
        # The released code estimates weights outside the autograd graph: they are not trained through.
        unit = functional.normalize(hidden.detach(), dim=1)
        fresh = self._edge_weights(edge_products(self.source, self.target, unit))
        share = self.settings.memory
        weights = tuple(share * old + (1.0 - share) * new for old, new in zip(memory, fresh, strict=True))
        return self._propagate(hidden @ self.second, weights) + self.second_bias

    def _edge_weights(self, similarity: Tensor) -> tuple[Tensor, Tensor]:
        """Weight of each edge and of each self-loop; a node's incoming weights sum to one (paper's form)."""
        similarity = torch.where(similarity < self.settings.prune_below, 0.0, similarity) * self.given
        alive = (similarity > 0).float()
        total = self._sum_at_target(similarity)[self.target]
        neighbors = self._sum_at_target(alive)
        edges = similarity / torch.where(total > 0, total, 1.0)
        if self.settings.exponential:
            return alive * torch.exp(edges), torch.exp(1.0 / (neighbors + 1.0))
        share = neighbors / (neighbors + 1.0)
        return edges * share[self.target], 1.0 / (neighbors + 1.0)

    def _sum_at_target(self, values: Tensor) -> Tensor:
        return torch.zeros(self.n_nodes).index_add_(0, self.target, values)

    def _propagate(self, dense: Tensor, weights: tuple[Tensor, ...]) -> Tensor:
        edges, loops = weights
        if self.settings.exponential:  # the released code hands its weights to a GCN layer, which normalizes
            degree = self._sum_at_target(edges) + loops
            root = degree.rsqrt()
            edges, loops = edges * root[self.source] * root[self.target], loops / degree
        return dense * loops.unsqueeze(1) + edge_sums(self.source, self.target, edges, dense)


@dataclass
class GNNGuard(Model):
    """Cosine attention over neighbors, edges pruned below a similarity, and a memory between layers.

    Paper and released code differ. The paper uses the normalized similarities as weights; the code takes
    their exponential and normalizes them again as a GCN does (``exponential=True``). The code computes all
    N x N similarities; ours are computed on the edges only.
    """

    prune_below: float = 0.1
    memory: float = 0.5
    exponential: bool = False

    grid: ClassVar[Grid] = {"prune_below": (0.05, 0.1, 0.15, 0.2, 0.25), "exponential": (False, True)}
    needs_features: ClassVar[bool] = True

    def _network(self, task: Task) -> nn.Module:
        return GNNGuardNetwork(task, self.width(task), self)
