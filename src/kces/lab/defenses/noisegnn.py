"""NoiseGNN (Ennadir et al., 2024): a GCN whose hidden layer is disturbed by noise in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from kces.lab.defenses.defense import Grid, Model, Task
from kces.lab.defenses.gcn import GCNNetwork
from kces.lab.defenses.weighted_adjacency import gcn_operator

__all__ = ["NoiseGNN"]


@dataclass
class NoiseGNN(Model):
    """``beta * N(0, I)`` is added to the first layer before its activation, in training only."""

    beta: float = 0.1

    grid: ClassVar[Grid] = {"beta": (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14)}

    def _network(self, task: Task) -> nn.Module:
        sizes = (self.width(task), task.n_classes)
        operator = gcn_operator(task.adjacency)
        return GCNNetwork(task.features, operator, sizes, self.preset.dropout, noise=self.beta)
