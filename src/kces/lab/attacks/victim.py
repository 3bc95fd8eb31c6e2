"""A trained GCN as a function of weighted edges: what gradient attacks on a fixed model need."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from kces.graph import Graph
from kces.lab.attacks.interface import train_nodes
from kces.lab.attacks.surrogate import class_count
from kces.lab.defenses.gcn import GCNNetwork
from kces.lab.defenses.weighted_adjacency import gcn_operator
from kces.lab.training import DEEPROBUST, Supervision, feature_input, seeded, train

__all__ = ["Victim", "train_victim"]


class Victim(nn.Module):
    """The two propagations of a trained GCN; ``inputs`` is ``X W₁``, which no edge changes."""

    def __init__(self, network: GCNNetwork) -> None:
        super().__init__()
        network.eval()
        with torch.no_grad():
            self.inputs: Tensor = network.first()
        self._first_bias = network.first_bias.detach()
        self._second = network.second.detach()
        self._second_bias = network.second_bias.detach()

    def forward(self, inputs: Tensor, edge_index: Tensor, edge_weight: Tensor) -> Tensor:
        """Logits on the graph with these (both-way) edges and weights."""
        index, weight = gcn_norm(edge_index, edge_weight, len(inputs), add_self_loops=True)
        hidden = torch.relu(_propagate(inputs, index, weight) + self._first_bias)
        return _propagate(hidden @ self._second, index, weight) + self._second_bias


def _propagate(values: Tensor, index: Tensor, weight: Tensor) -> Tensor:
    messages = values[index[0]] * weight[:, None]
    return torch.zeros_like(values).index_add(0, index[1], messages)


def train_victim(graph: Graph, seed: int, *, hidden: int, method: str) -> tuple[Victim, npt.NDArray[np.int64]]:
    """A GCN trained on the graph, and labels: the true ones of the train nodes, its predictions elsewhere."""
    nodes = train_nodes(graph, method)
    assert graph.labels is not None  # train_nodes has checked
    # Without validation nodes, the train nodes choose the best weights.
    val = nodes if graph.val is None or len(graph.val) == 0 else graph.val
    supervision = Supervision(
        torch.from_numpy(graph.labels), torch.from_numpy(nodes), torch.from_numpy(val), class_count(graph)
    )
    with seeded(seed):
        operator = gcn_operator(graph.adjacency)
        sizes = (hidden, supervision.n_classes)
        network = GCNNetwork(feature_input(graph.features), operator, sizes, DEEPROBUST.dropout)
        labels = train(network, supervision, DEEPROBUST)
    labels[nodes] = graph.labels[nodes]
    return Victim(network), labels
