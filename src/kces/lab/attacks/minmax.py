"""MINMAX: the topology attack of Xu et al. (2019) against a model that keeps training while it is attacked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks.candidates import Candidates
from kces.lab.attacks.checkpoint import Checkpoint, State
from kces.lab.attacks.flips import Details, Stopwatch, attacked_graph, flips_allowed
from kces.lab.attacks.interface import check_positive, train_nodes
from kces.lab.attacks.pair_gradient import PairGradient
from kces.lab.attacks.projection import project_onto_budget, sample_exactly
from kces.lab.attacks.surrogate import (
    FloatArray,
    class_count,
    initial_weights,
    self_training_labels,
    surrogate_step,
    train_linear_surrogate,
)
from kces.lab.training import SparseOperator, feature_input
from kces.progress import Progress, silent

__all__ = ["minmax"]

_ADAM = ("step", "exp_avg", "exp_avg_sq")
LARGEST_FULL_SEARCH = 3_000  # nodes: up to here every pair is a candidate


def minmax(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    hidden: int = 16,
    steps: int = 100,
    model_steps: int = 2,
    lr: float = 0.5,
    block_size: int = 1_000_000,
    samples: int = 20,
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """Ascend the relaxed flips and train the model in turn, then draw the flips.

    Parameters
    ----------
    hidden : width of the GCN.
    steps : ascents of the flips, each followed by a projection onto the budget.
    model_steps : steps of the model (Adam, on the train nodes of the perturbed graph) before each ascent.
    lr : length of the first ascent, measured in the steepest pair; it falls with the square root of time.
    block_size : candidates searched at a time on graphs above 3,000 nodes, half of them drawn anew at each
        ascent as PRBCD does; smaller graphs are searched whole.
    samples : graphs drawn in the end; the one with the highest loss is kept.
    checkpoint : file that keeps the state, saved once a minute; the same call goes on from there.

    Notes
    -----
    The loss is the margin of the train nodes' labels and, elsewhere, of the attacker's own predictions,
    cut off at 0 (the published code has the train nodes alone: a weaker attack on the rest of the graph).

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> attacked = minmax(ring, 0.25, steps=5)
    >>> len(attacked.added) + len(attacked.removed)
    2
    """
    check_positive(hidden=hidden, steps=steps, model_steps=model_steps, lr=lr, samples=samples)
    flips = flips_allowed(budget, graph)
    if block_size <= flips:
        raise InvalidParameterError(f"block_size must exceed the budget of {flips} changes, got {block_size}")
    rng = np.random.default_rng(seed)
    model = _Model(graph, hidden, rng)
    candidates = Candidates(graph, None if graph.n_nodes <= LARGEST_FULL_SEARCH else block_size, rng)
    details: Details = {"hidden": hidden, "steps": steps, "model_steps": model_steps, "lr": lr}
    details |= {"samples": samples, "candidates": "all pairs" if candidates.complete else block_size}
    stored = Checkpoint(checkpoint, graph, {"method": "minmax", "budget": budget, "seed": seed, **details})
    before, seconds = stored.load()
    watch = Stopwatch(earlier=seconds)
    if before:
        candidates.search(before["keys"])
        model.restore(before)
    else:
        model.train(surrogate_step(graph.adjacency), 100)
    weights = before.get("flips", np.zeros(len(candidates.pairs), dtype=np.float32))
    for step in range(int(before.get("steps", 0)), steps):
        adjacency = candidates.perturbed(weights)
        model.train(surrogate_step(adjacency), model_steps)
        gradient = model.gradient(adjacency).at(candidates.pairs) * candidates.direction
        steepest = float(np.abs(gradient).max())
        if steepest > 0:
            length = lr / np.sqrt(step + 1) / steepest
            weights = project_onto_budget(weights + np.float32(length) * gradient, flips)
        if step < steps - 1:
            # The generator depends on the position, so that a resumed run draws what it would have drawn.
            weights = candidates.renew(weights, np.random.default_rng([seed, step]))
        state = {"steps": np.array(step + 1), "flips": weights, "keys": candidates.keys}
        stored.save(state | model.state(), watch.seconds())
        progress("minmax", step + 1, steps)
    chosen = _best_sample(model, candidates, weights, flips, samples, rng)
    stored.clear()
    pairs = candidates.pairs[chosen]
    return attacked_graph(graph, pairs, method="minmax", budget=budget, seed=seed, watch=watch, **details)


def _best_sample(
    model: _Model, candidates: Candidates, weights: FloatArray, flips: int, samples: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    best, best_loss = None, -np.inf
    for _ in range(samples):
        chosen = sample_exactly(weights, flips, rng)
        drawn = np.zeros_like(weights)
        drawn[chosen] = 1
        loss = model.loss(candidates.perturbed(drawn))
        if best is None or loss > best_loss:
            best, best_loss = chosen, loss
    assert best is not None  # at least one sample is drawn
    return best


class _Model:
    """The attacked GCN: two layers with a ReLU between, trained a few steps at a time."""

    def __init__(self, graph: Graph, hidden: int, rng: np.random.Generator) -> None:
        train = train_nodes(graph, "minmax")
        labels = self_training_labels(graph, train_linear_surrogate(graph, rng, hidden=hidden))
        self._labels, self._train = torch.from_numpy(labels), torch.from_numpy(train)
        self._features = feature_input(graph.features)
        start = initial_weights(graph.n_features, hidden, class_count(graph), rng)
        self._weights = [torch.from_numpy(w).requires_grad_() for w in start]
        self._optimizer = torch.optim.Adam(self._weights, lr=0.01, weight_decay=5e-4)

    def state(self) -> State:
        """Weights and what Adam remembers of each."""
        arrays = {}
        for place, weight in enumerate(self._weights):
            remembered = self._optimizer.state[weight]
            for name, tensor in ({"weight": weight} | {name: remembered[name] for name in _ADAM}).items():
                arrays[f"{name}{place}"] = tensor.detach().numpy()
        return arrays

    def restore(self, arrays: State) -> None:
        for place, weight in enumerate(self._weights):
            with torch.no_grad():
                weight.copy_(torch.from_numpy(arrays[f"weight{place}"]))
            self._optimizer.state[weight] = {name: torch.from_numpy(arrays[f"{name}{place}"]) for name in _ADAM}

    def train(self, step: sp.csr_array, steps: int) -> None:
        """Lower the loss of the train nodes."""
        operator = SparseOperator(step, symmetric=True)
        for _ in range(steps):
            self._optimizer.zero_grad()
            logits = self._layers(operator)[-1]
            torch.nn.functional.cross_entropy(logits[self._train], self._labels[self._train]).backward()
            self._optimizer.step()

    def loss(self, adjacency: sp.csr_array) -> float:
        """The attacker's loss on this graph."""
        with torch.no_grad():
            return float(self._attack_loss(self._layers(SparseOperator(surrogate_step(adjacency), symmetric=True))[-1]))

    def gradient(self, adjacency: sp.csr_array) -> PairGradient:
        """Gradient of the attacker's loss in every pair: both propagations contribute one product."""
        step = surrogate_step(adjacency)
        inputs, first, middle, logits = self._layers(SparseOperator(step, symmetric=True))
        grads = torch.autograd.grad(self._attack_loss(logits), [logits, first])
        left = np.hstack([grad.numpy() for grad in grads])
        right = np.hstack([middle.detach().numpy(), inputs.detach().numpy()])
        degrees = np.asarray(adjacency.sum(axis=1), dtype=np.float32) + 1
        return PairGradient(left, right, step, degrees)

    def _layers(self, operator: SparseOperator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        inputs = self._features.multiply(self._weights[0])
        first = operator(inputs)
        middle = torch.relu(first) @ self._weights[1]
        return inputs, first, middle, operator(middle)

    def _attack_loss(self, logits: Tensor) -> Tensor:
        """Mean margin by which a class other than the assumed one wins, cut off at 0 where one already does."""
        own = logits.gather(1, self._labels[:, None])[:, 0]
        others = logits.scatter(1, self._labels[:, None], -torch.inf).amax(dim=1)
        return torch.clamp(others - own, max=0).mean()
