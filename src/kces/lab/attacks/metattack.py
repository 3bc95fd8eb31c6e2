"""Metattack, Meta-Self (Zügner & Günnemann, 2019): poison the training by its own gradient.

``metattack`` differentiates exactly through the training of the surrogate; ``metattack_approx`` does not
(A-Meta-Self), takes several flips per gradient and never holds an N x N array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from kces.errors import MemoryLimitError
from kces.graph import Graph
from kces.lab.attacked import AttackedGraph
from kces.lab.attacks.checkpoint import Checkpoint
from kces.lab.attacks.flips import Stopwatch, attacked_graph, flips_allowed
from kces.lab.attacks.greedy import GreedyFlips
from kces.lab.attacks.interface import check_positive, train_nodes
from kces.lab.attacks.meta_gradient import (
    InnerTraining,
    MetaProblem,
    cross_entropy_gradient,
    meta_gradient,
    training_inputs,
    training_path,
)
from kces.lab.attacks.pair_gradient import PairGradient
from kces.lab.attacks.surrogate import (
    FloatArray,
    class_count,
    initial_weights,
    propagation,
    self_training_labels,
    single_precision,
    train_linear_surrogate,
)
from kces.progress import Progress, silent

__all__ = ["metattack", "metattack_approx"]

LARGEST_DENSE_GRAPH = 10_000
BLOCK_ENTRIES = 2**25  # of the N x N gradient at a time: 128 MB in single precision

Blocks = Iterable[tuple[int, FloatArray]]
GradientOf = Callable[[sp.csr_array, list[FloatArray]], Blocks]


def metattack(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    hidden: int = 16,
    inner_steps: int = 100,
    lr: float = 0.1,
    momentum: float = 0.9,
    flips_per_step: int = 1,
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """Greedy flips along the exact meta-gradient. Sees train labels; elsewhere its own predictions.

    Parameters
    ----------
    hidden, inner_steps, lr, momentum : the surrogate and its training inside the attack, as published.
        There is no log-likelihood constraint on the degrees.
    flips_per_step : pairs flipped per meta-gradient. 1 is as published; more is faster and weaker.
    checkpoint : a file to keep the state in, once a minute; a later call with it goes on from there.

    Notes
    -----
    A pair is flipped once at most (the published code may flip one back, which wastes two of the budget),
    and no node loses its last edge. One seed gives one result on one machine; another number of threads
    may round differently and part ways.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> len(metattack(ring, 0.25, inner_steps=10).added)
    2
    """
    if graph.n_nodes > LARGEST_DENSE_GRAPH:
        raise MemoryLimitError(
            f"metattack keeps several {graph.n_nodes} x {graph.n_nodes} arrays; use metattack-approx instead"
        )
    inner = InnerTraining(inner_steps, lr, momentum)
    problem = _problem(graph, seed, hidden, inner)

    def exact(adjacency: sp.csr_array, weights: list[FloatArray]) -> Blocks:
        return [(0, meta_gradient(problem, adjacency, weights))]

    settings = {"hidden": hidden, "inner_steps": inner_steps, "lr": lr, "momentum": momentum}
    settings["flips_per_step"] = flips_per_step
    return _attack("metattack", graph, budget, seed, exact, settings, checkpoint, progress)


def metattack_approx(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    hidden: int = 16,
    inner_steps: int = 100,
    lr: float = 0.1,
    momentum: float = 0.9,
    gradient_every: int = 10,
    flips_per_step: int = 100,
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """A-Meta-Self for large graphs: gradients summed along the training, not taken through it.

    Parameters
    ----------
    gradient_every : training steps between two of the summed gradients (published: 1).
    flips_per_step : pairs flipped per summed gradient (published: 1).

    The others are those of :func:`metattack`.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> len(metattack_approx(ring, 0.25, inner_steps=10).added)
    2
    """
    check_positive(gradient_every=gradient_every)
    inner = InnerTraining(inner_steps, lr, momentum)
    problem = _problem(graph, seed, hidden, inner)

    def summed(adjacency: sp.csr_array, weights: list[FloatArray]) -> Blocks:
        gradient = _summed_gradient(problem, adjacency, weights, gradient_every)
        return gradient.blocks(max(1, BLOCK_ENTRIES // graph.n_nodes))

    settings = {"hidden": hidden, "inner_steps": inner_steps, "lr": lr, "momentum": momentum}
    settings |= {"gradient_every": gradient_every, "flips_per_step": flips_per_step}
    return _attack("metattack-approx", graph, budget, seed, summed, settings, checkpoint, progress)


def _problem(graph: Graph, seed: int, hidden: int, inner: InnerTraining) -> MetaProblem:
    check_positive(hidden=hidden, inner_steps=inner.steps, lr=inner.lr)
    train = train_nodes(graph, "metattack")
    surrogate = train_linear_surrogate(graph, np.random.default_rng(seed), hidden=hidden)
    return MetaProblem(
        features=single_precision(graph.features),
        labels=self_training_labels(graph, surrogate),
        train=train,
        unlabelled=np.setdiff1d(np.arange(graph.n_nodes), train),
        inner=inner,
    )


def _attack(
    method: str,
    graph: Graph,
    budget: float,
    seed: int,
    gradient_of: GradientOf,
    settings: dict[str, Any],
    checkpoint: str | Path | None,
    progress: Progress,
) -> AttackedGraph:
    """Gradient, flip, repeat, until the budget is spent."""
    check_positive(flips_per_step=settings["flips_per_step"])
    flips = flips_allowed(budget, graph)
    stored = Checkpoint(checkpoint, graph, {"method": method, "budget": budget, "seed": seed, **settings})
    done, seconds = stored.load()
    state, watch = GreedyFlips(graph, done), Stopwatch(earlier=seconds)
    while len(state.flips) < flips:
        # The generator depends on the position, so that a resumed run draws what it would have drawn.
        rng = np.random.default_rng([seed, len(state.flips)])
        weights = initial_weights(graph.n_features, settings["hidden"], class_count(graph), rng)
        count = min(settings["flips_per_step"], flips - len(state.flips))
        state.take(gradient_of(state.adjacency, weights), count)
        stored.save(state.pairs(), watch.seconds())
        progress(method, len(state.flips), flips)
    stored.clear()
    return attacked_graph(graph, state.pairs(), method=method, budget=budget, seed=seed, watch=watch, **settings)


def _summed_gradient(
    problem: MetaProblem, adjacency: sp.csr_array, weights: list[FloatArray], every: int
) -> PairGradient:
    """Σ_t ∂L(θ_t)/∂A with the weights θ_t of each step held fixed: a sum of products of rank C."""
    step = propagation(adjacency)
    errors: list[FloatArray] = []
    outputs: list[FloatArray] = []
    for first, second in _weights_along(problem, step, weights, every):
        projected = (problem.features @ first) @ second
        logits = step @ (step @ projected)
        errors.append(cross_entropy_gradient(logits, problem.labels, problem.unlabelled))
        outputs.append(projected)
    error, output = np.hstack(errors), np.hstack(outputs)
    degrees = np.diff(adjacency.indptr).astype(step.dtype) + 1
    left = np.hstack([error, step @ error])
    right = np.hstack([step @ output, output])
    return PairGradient(left, right, step, degrees)


def _weights_along(
    problem: MetaProblem, step: sp.csr_array, weights: list[FloatArray], every: int
) -> Iterable[tuple[FloatArray, FloatArray]]:
    classes: npt.NDArray[np.int64] = problem.labels[problem.train]
    with torch.no_grad():
        inputs = training_inputs(problem, step)
        path = training_path(inputs, torch.from_numpy(classes), weights, problem.inner)
        for position, (coefficients, second) in enumerate(path, start=1):
            if position % every == 0 or position == problem.inner.steps:
                yield weights[0] + (inputs.T @ coefficients).numpy(), second.numpy()
