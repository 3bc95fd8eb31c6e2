"""RGCN (Zhu et al., 2019): nodes as Gaussians, uncertain neighbors count less."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from kces.kernel import normalized_adjacency
from kces.lab.defenses.defense import Classes, Grid, Model, Task
from kces.lab.training import FeatureLinear, SparseOperator, train

__all__ = ["RGCN"]


class RGCNNetwork(nn.Module):
    """Two Gaussian layers; the logits are drawn from the last Gaussian."""

    def __init__(self, task: Task, hidden: int, settings: RGCN) -> None:
        super().__init__()
        self.first_mean = FeatureLinear(task.features, hidden)
        self.first_variance = FeatureLinear(task.features, hidden)
        self.second_mean = nn.Linear(hidden, task.n_classes, bias=False)
        self.second_variance = nn.Linear(hidden, task.n_classes, bias=False)
        for weight in (
            self.first_mean.weight,
            self.first_variance.weight,
            self.second_mean.weight,
            self.second_variance.weight,
        ):
            nn.init.xavier_uniform_(weight)
        adjacency = task.sparse_adjacency
        self.mean_operator = SparseOperator(normalized_adjacency(adjacency, -0.5), symmetric=True)
        self.variance_operator = SparseOperator(normalized_adjacency(adjacency, -1.0), symmetric=True)
        self.settings = settings

    def forward(self) -> Tensor:
        dropout = self.settings.dropout
        mean, variance = self._attend(
            functional.elu(self.first_mean(dropout)), functional.relu(self.first_variance(dropout))
        )
        self.first_layer = mean, variance
        mean = functional.dropout(mean, dropout, self.training)
        variance = functional.dropout(variance, dropout, self.training)
        mean, variance = self._attend(
            functional.elu(self.second_mean(mean)), functional.relu(self.second_variance(variance))
        )
        if self.training or self.settings.sample_at_test:
            mean = mean + torch.randn_like(mean) * torch.sqrt(variance + 1e-8)
        return mean

    def _attend(self, mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor]:
        attention = torch.exp(-self.settings.gamma * variance)
        return self.mean_operator(mean * attention), self.variance_operator(variance * attention**2)

    def penalty(self) -> Tensor:
        """KL divergence of the first layer to N(0, I), and the norm of its weights."""
        mean, variance = self.first_layer
        divergence = 0.5 * (mean**2 + variance - torch.log(variance + 1e-8)).mean(dim=1).sum()
        norm = (self.first_mean.weight**2).sum() + (self.first_variance.weight**2).sum()
        return self.settings.kl_weight * divergence + self.settings.norm_weight * norm


@dataclass
class RGCN(Model):
    """Gaussian layers ``M = ELU(X W_μ)``, ``Σ = ReLU(X W_σ)``, attention ``exp(−γ Σ)``.

    The released code draws the logits from the last Gaussian in testing too (``sample_at_test=True``); we
    take its mean, which is what the draw estimates. Weight decay is replaced by the norm in the loss.
    """

    hidden: int | None = 32
    dropout: float = 0.6
    gamma: float = 1.0
    kl_weight: float = 5e-4
    norm_weight: float = 5e-4
    sample_at_test: bool = False

    grid: ClassVar[Grid] = {"gamma": (0.5, 1.0, 2.0), "hidden": (16, 32, 64)}

    def _network(self, task: Task) -> RGCNNetwork:
        return RGCNNetwork(task, self.width(task), self)

    def _train(self, task: Task) -> Classes:
        network = self._network(task)
        preset = replace(self.preset, weight_decay=0.0)
        return train(network, task.supervision, preset, penalty=network.penalty)
