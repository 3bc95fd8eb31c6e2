"""GCN (Kipf & Welling, 2017): the undefended baseline, and the model behind every purifier by default."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from kces.lab.defenses.defense import Model, Task
from kces.lab.defenses.weighted_adjacency import Operator, gcn_operator
from kces.lab.training import FeatureInput, FeatureLinear, uniform_parameter

__all__ = ["GCN", "GCNNetwork"]


class GCNNetwork(nn.Module):
    """Two layers ``T (X W) + b``.

    PyG's GCNConv computes the same, but it takes only dense features and gathers every edge; a sparse
    product for both is about ten times faster on a CPU. ``noise`` is NoiseGNN's.
    """

    def __init__(
        self,
        features: FeatureInput,
        operator: Operator,
        sizes: tuple[int, int],
        dropout: float,
        noise: float = 0.0,
    ) -> None:
        super().__init__()
        hidden, n_classes = sizes
        self.first = FeatureLinear(features, hidden)
        self.first_bias = uniform_parameter(1, hidden)
        self.second = uniform_parameter(hidden, n_classes)
        self.second_bias = uniform_parameter(1, n_classes)
        self.operator = operator
        self.dropout = dropout
        self.noise = noise

    def forward(self) -> Tensor:
        hidden = self.operator(self.first()) + self.first_bias
        if self.training and self.noise > 0:
            hidden = hidden + self.noise * torch.randn_like(hidden)
        hidden = functional.dropout(functional.relu(hidden), self.dropout, self.training)
        logits: Tensor = self.operator(hidden @ self.second) + self.second_bias
        return logits


@dataclass
class GCN(Model):
    """The protocol's GCN. Its settings are those of the training preset, so there is nothing to tune.

    Features enter as they are: with rows normalized to sum 1, Cora under Metattack 25 % falls from 49 to 42
    and the reference row is not reproduced.
    """

    def _network(self, task: Task) -> nn.Module:
        sizes = (self.width(task), task.n_classes)
        return GCNNetwork(task.features, gcn_operator(task.adjacency), sizes, self.preset.dropout)
