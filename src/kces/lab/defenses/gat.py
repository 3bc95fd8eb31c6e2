"""GAT (Veličković et al., 2018): attention over the neighbors, PyG's layer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn
from torch.nn import functional

with warnings.catch_warnings():  # importing PyG uses a torch function that is about to go
    warnings.simplefilter("ignore", DeprecationWarning)
    from torch_geometric.nn import GATConv

from kces.lab.defenses.defense import Grid, Model, Task
from kces.lab.defenses.edge_attention import EdgeAttention
from kces.lab.defenses.weighted_adjacency import edge_list
from kces.lab.training import FeatureLinear

__all__ = ["GAT"]


class WeightedGATConv(GATConv):
    """PyG's layer, with its parameters and their start, over edges that may have weights.

    PyG's own ``edge_attr`` would learn what to do with weights; and it makes a message for every edge and unit,
    which :class:`EdgeAttention` does not.
    """

    def forward(self, x: Tensor, attention: EdgeAttention) -> Tensor:
        values = self.lin(x).view(-1, self.heads, self.out_channels)
        at_source, at_target = (values * self.att_src).sum(dim=-1), (values * self.att_dst).sum(dim=-1)
        shares = attention.shares(at_source, at_target, self.negative_slope)
        shares = functional.dropout(shares, self.dropout, self.training)
        return attention.gather(shares, values).flatten(1) + self.bias


class GATNetwork(nn.Module):
    """Two attention layers; the first projection is taken out of the layer to read sparse features."""

    def __init__(self, task: Task, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        width = hidden * heads
        self.project = FeatureLinear(task.features, width)
        nn.init.xavier_uniform_(self.project.weight)
        self.first = WeightedGATConv(width, hidden, heads=heads, dropout=dropout)
        self.first.lin = nn.Identity()
        self.second = WeightedGATConv(width, task.n_classes, heads=1, dropout=dropout)
        self.attention = EdgeAttention(*edge_list(task.sparse_adjacency), task.graph.n_nodes)
        self.dropout = dropout

    def forward(self) -> Tensor:
        hidden = self.first(self.project(self.dropout), self.attention)
        hidden = functional.dropout(functional.elu(hidden), self.dropout, self.training)
        logits: Tensor = self.second(hidden, self.attention)
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
