"""GAT (Veličković et al., 2018): attention over the neighbours, PyG's layer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

with warnings.catch_warnings():  # importing PyG uses a torch function that is about to go
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric.nn import GATConv
    from torch_geometric.utils import softmax

from kces.lab.defenses.adjacency import edge_list
from kces.lab.defenses.base import Grid, Model, Task
from kces.lab.training import FeatureLinear

__all__ = ["GAT"]


class WeightedGATConv(GATConv):
    """GATConv in which an edge of weight w counts like w parallel edges: ``softmax(score + log w)``.

    Weights come from purifiers such as SVD; PyG's own ``edge_attr`` would learn what to do with them.
    """

    def edge_update(
        self,
        alpha_j: Tensor,
        alpha_i: Tensor | None,
        edge_attr: Tensor | None,
        index: Tensor,
        ptr: Tensor | None,
        dim_size: int | None,
    ) -> Tensor:
        alpha = alpha_j if alpha_i is None else alpha_j + alpha_i
        alpha = functional.leaky_relu(alpha, self.negative_slope)
        if edge_attr is not None:
            alpha = alpha + torch.log(edge_attr)
        alpha = softmax(alpha, index, ptr, dim_size)
        return functional.dropout(alpha, p=self.dropout, training=self.training)


class GATNetwork(nn.Module):
    """Two attention layers; the first projection is taken out of the layer to read sparse features."""

    def __init__(self, task: Task, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        width = hidden * heads
        self.project = FeatureLinear(task.features, width)
        nn.init.xavier_uniform_(self.project.weight)
        self.first = WeightedGATConv(width, hidden, heads=heads, dropout=dropout, fill_value=1.0)
        self.first.lin = nn.Identity()
        self.second = WeightedGATConv(width, task.n_classes, heads=1, dropout=dropout, fill_value=1.0)
        self.edges, weights = edge_list(task.sparse_adjacency)
        self.weights = weights.unsqueeze(1)
        self.dropout = dropout

    def forward(self) -> Tensor:
        hidden = self.first(self.project(self.dropout), self.edges, self.weights)
        hidden = functional.dropout(functional.elu(hidden), self.dropout, self.training)
        logits: Tensor = self.second(hidden, self.edges, self.weights)
        return logits


@dataclass
class GAT(Model):
    """Eight heads of eight units, then one head.

    DeepRobust trains GAT up to 1000 epochs with patience 100; here it has the 200 epochs of the others, best
    validation kept.
    """

    hidden: int | None = 8
    heads: int = 8
    dropout: float | None = None

    grid: ClassVar[Grid] = {"dropout": (0.3, 0.5, 0.6, 0.7)}

    def _network(self, task: Task) -> nn.Module:
        dropout = self.preset.dropout if self.dropout is None else self.dropout
        return GATNetwork(task, self.width(task), self.heads, dropout)
