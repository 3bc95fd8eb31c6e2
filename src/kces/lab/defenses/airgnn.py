"""AirGNN (Liu et al., 2021): message passing whose residual adapts to each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from kces.lab.defenses.defense import Grid, Model, Task
from kces.lab.defenses.mlp import MLPNetwork
from kces.lab.defenses.weighted_adjacency import Operator, gcn_operator

__all__ = ["AirGNN"]


class AirGNNNetwork(nn.Module):
    """An MLP, then ``steps`` adaptive message-passing steps on its output."""

    def __init__(self, mlp: MLPNetwork, operator: Operator, residual: float, steps: int) -> None:
        super().__init__()
        self.mlp = mlp
        self.operator = operator
        # γ = 1 / (2 (1 − λ)): with this step size the gradient step is exactly one propagation.
        self.threshold = residual / (2.0 * (1.0 - residual))
        self.steps = steps

    def forward(self) -> Tensor:
        anchor: Tensor = self.mlp()
        state = anchor
        for _ in range(self.steps):
            offset = self.operator(state) - anchor
            length = torch.linalg.vector_norm(offset, dim=1, keepdim=True)
            state = anchor + torch.clamp(1.0 - self.threshold / (length + 1e-12), min=0.0) * offset
        return state


@dataclass
class AirGNN(Model):
    """``X ← H + max(1 − γλ/‖y_i − h_i‖, 0)(y_i − h_i)`` with ``y = T X``; ``residual`` is λ.

    A node whose neighbors agree with it keeps its own prediction. On identity features the MLP has learned
    nothing about a node outside the training set, so such graphs are refused.
    """

    hidden: int | None = 64
    dropout: float = 0.8
    residual: float = 0.5
    steps: int = 10

    grid: ClassVar[Grid] = {"residual": (0.1, 0.3, 0.5, 0.7, 0.9), "dropout": (0.5, 0.8)}
    needs_features: ClassVar[bool] = True

    def _network(self, task: Task) -> nn.Module:
        mlp = MLPNetwork(task.features, (self.width(task), task.n_classes), self.dropout)
        return AirGNNNetwork(mlp, gcn_operator(task.adjacency), self.residual, self.steps)
