"""Pro-GNN (Jin et al., 2020): learn a clean, low-rank, sparse adjacency together with the GCN."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kces.graph import Graph
from kces.lab.defenses.defense import Classes, Grid, Model, Task
from kces.lab.defenses.gcn import GCNNetwork
from kces.lab.defenses.learned_adjacency import LearnedAdjacency, LearnedOperator, RowsOfNodes
from kces.lab.training import BestWeights
from kces.memory import require_memory
from kces.threads import thread_count

__all__ = ["GCNOnLearned", "ProGNN"]

#: Up to this many nodes all singular values are found; above, that takes minutes a step (57 s at 7,500 nodes).
_EXACT_NODES = 5_000

#: Singular values kept on larger graphs.
_LARGE_RANK = 200

#: Dense N x N float32 matrices: S, the given adjacency, the momentum and the inner products of features; and in
#: the exact nuclear step SᵀS, its eigenvectors and their workspace.
_MATRICES, _MATRICES_OF_EXACT_STEP = 4, 4


@dataclass
class ProGNN(Model):
    """Alternate between the adjacency S and the GCN on it.

    ``sparsity`` is the paper's α (L1), ``nuclear`` its β, ``gamma`` its γ (classification) and
    ``smoothness`` its λ, which is left out where features only number the nodes. ``learning_rate`` is that of the
    GCN: the released scripts use a rate below the usual 0.01, so that the weights do not settle before the adjacency
    has moved. Most of them train for 1,000 epochs, and that is needed: the accuracy under Metattack rises late.

    The paper asks for S = Sᵀ (``symmetric=True``); the released code leaves S free, which is the default here.
    Then what the training labels teach stays in the rows of the training nodes. The nuclear proximal step
    needs all singular vectors: it is taken every ``nuclear_every`` steps with a threshold as many times larger;
    1 is the paper's form. ``rank`` keeps only so many singular values in it, which costs O(N² rank) instead of
    O(N³); None keeps all on graphs of up to 5,000 nodes and 200 on larger ones.
    """

    epochs: int = 1_000
    gcn_steps: int = 2
    learning_rate: float = 5e-4
    adjacency_rate: float = 0.01
    sparsity: float = 5e-4
    nuclear: float = 1.5
    gamma: float = 1.0
    smoothness: float = 1e-3
    nuclear_every: int = 20
    symmetric: bool = False
    rank: int | None = None

    grid: ClassVar[Grid] = {"smoothness": (1e-4, 1e-3, 1e-2), "nuclear": (0.5, 1.5, 5.0)}

    def trained_for(self, epochs: int) -> ProGNN:
        return replace(self, epochs=epochs)

    def _train(self, task: Task) -> Classes:
        rank = self._rank(task.graph)
        matrices = _MATRICES + (_MATRICES_OF_EXACT_STEP if rank is None else 0)
        require_memory(
            matrices * 4 * task.graph.n_nodes**2,
            f"prognn on {task.graph.name} ({task.graph.n_nodes} nodes, dense)",
            "choose another defense or a smaller graph",
        )
        learned = LearnedAdjacency(task, self, rank)
        network = self._network(task)
        optimizer = torch.optim.Adam(network.parameters(), lr=self.learning_rate, weight_decay=self.preset.weight_decay)
        supervision, best = task.supervision, BestWeights()
        targets = supervision.labels[supervision.train]
        classes = np.zeros(task.graph.n_nodes, dtype=np.int64)
        network.aggregate(learned.operator(trainable=True))
        train, val = RowsOfNodes(learned, supervision.train), RowsOfNodes(learned, supervision.val)
        for _ in range(self.epochs):
            learned.step(functional.cross_entropy(network.eval().logits(train), targets))
            train.read_again(learned)
            val.read_again(learned)
            operator = learned.operator(trainable=False)
            network.aggregate(operator)
            found: tuple[Tensor, Tensor] | None = None
            for left in reversed(range(self.gcn_steps)):
                optimizer.zero_grad()
                functional.cross_entropy(network.train().logits(train), targets).backward()
                optimizer.step()
                # What the last step of the weights leaves, the next step of S starts from.
                network.aggregate(operator if left else learned.operator(trainable=True))
                with torch.no_grad():
                    if best.improved(network.eval().logits(val), supervision):
                        found = network.messages(), network.second_bias.clone()
            if found is not None:
                sent, bias = found
                classes = (operator(sent) + bias).argmax(1).numpy()
        return classes

    def _rank(self, graph: Graph) -> int | None:
        if self.rank is None and graph.n_nodes > _EXACT_NODES:
            return _LARGE_RANK
        return self.rank

    def _threads(self, graph: Graph) -> int:
        return thread_count()  # its products are dense: threads pay on any graph

    def _network(self, task: Task) -> GCNOnLearned:
        sizes = (self.width(task), task.n_classes)
        return GCNOnLearned(task.features, torch.clone, sizes, self.preset.dropout)


class GCNOnLearned(GCNNetwork):
    """The GCN on a dense matrix, whose product with the first layer's output is kept.

    It serves the look at validation, the next step of the weights and the next step of S: dropout comes after it. The
    second layer is computed for the nodes that are asked for alone.
    """

    def aggregate(self, operator: LearnedOperator) -> None:
        """To be called when the weights or S have changed."""
        self.on_learned = operator
        self.aggregated = operator(self.first()) + self.first_bias

    def messages(self) -> Tensor:
        """What each node hands to the second layer."""
        hidden = functional.dropout(functional.relu(self.aggregated), self.dropout, self.training)
        sent: Tensor = hidden @ self.second
        return sent

    def logits(self, part: RowsOfNodes) -> Tensor:
        """Logits of some nodes."""
        return self.on_learned(self.messages(), part) + self.second_bias
