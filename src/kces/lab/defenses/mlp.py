"""MLP: what the features say without any graph, the floor of every table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn
from torch.nn import functional

from kces.lab.defenses.defense import Grid, Model, Task
from kces.lab.training import FeatureInput, FeatureLinear

__all__ = ["MLP", "MLPNetwork"]


class MLPNetwork(nn.Module):
    """Two linear layers with a ReLU between; dropout before each."""

    def __init__(self, features: FeatureInput, sizes: tuple[int, int], dropout: float) -> None:
        super().__init__()
        hidden, n_classes = sizes
        self.first = FeatureLinear(features, hidden, bias=True)
        self.second = nn.Linear(hidden, n_classes)
        self.dropout = dropout

    def forward(self) -> Tensor:
        hidden = functional.relu(self.first(self.dropout))
        logits: Tensor = self.second(functional.dropout(hidden, self.dropout, self.training))
        return logits


@dataclass
class MLP(Model):
    """Two layers on the features; an attack on the edges cannot touch it."""

    grid: ClassVar[Grid] = {"hidden": (16, 64)}

    def _network(self, task: Task) -> nn.Module:
        return MLPNetwork(task.features, (self.width(task), task.n_classes), self.preset.dropout)
