"""Metattack, Meta-Self (Zügner & Günnemann, 2019): poison the training by its own gradient.

Both variants differentiate exactly through the training of the surrogate; ``metattack`` takes one flip per
gradient as published, ``metattack_approx`` takes many, for large graphs.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from kces.datasets.attacked import AttackedGraph
from kces.graph import Graph
from kces.lab.attacks.checkpoint import Checkpoint
from kces.lab.attacks.flips import Details, Stopwatch, attacked_graph, flips_allowed
from kces.lab.attacks.greedy import GreedyFlips
from kces.lab.attacks.interface import check_positive, train_nodes
from kces.lab.attacks.meta_gradient import InnerTraining, MetaGradient, MetaProblem
from kces.lab.attacks.surrogate import (
    class_count,
    initial_weights,
    self_training_labels,
    single_precision,
    train_linear_surrogate,
)
from kces.progress import Progress, silent

__all__ = ["metattack", "metattack_approx"]

BLOCK_ENTRIES = 2**24  # of the N x N gradient at a time: 64 MB in single precision


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
    flips_per_step : pairs flipped per meta-gradient, no two at one node. 1 is as published.
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
    settings = {"hidden": hidden, "inner_steps": inner_steps, "lr": lr, "momentum": momentum}
    settings["flips_per_step"] = flips_per_step
    return _attack("metattack", graph, budget, seed, settings, checkpoint, progress)


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
    gradients: int = 50,
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """Metattack with a fixed number of meta-gradients: each is followed by an equal part of the flips.

    Parameters
    ----------
    gradients : meta-gradients to spread the flips over. It may take a few more, because the flips that follow
        one gradient share no node.

    The others are those of :func:`metattack`. The published approximation (A-Meta-Self) leaves the
    training out of the gradient instead; with the gradient as cheap as here, that would save little.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> len(metattack_approx(ring, 0.25, inner_steps=10).added)
    2
    """
    check_positive(gradients=gradients)
    flips_per_step = math.ceil(flips_allowed(budget, graph) / gradients)
    settings = {"hidden": hidden, "inner_steps": inner_steps, "lr": lr, "momentum": momentum}
    settings["flips_per_step"] = flips_per_step
    return _attack("metattack-approx", graph, budget, seed, settings, checkpoint, progress)


def _problem(graph: Graph, seed: int, hidden: int, inner: InnerTraining) -> MetaProblem:
    check_positive(hidden=hidden, inner_steps=inner.steps, lr=inner.lr)
    train = train_nodes(graph, "metattack")
    surrogate = train_linear_surrogate(graph, np.random.default_rng(seed), hidden=hidden)
    return MetaProblem(
        features=single_precision(graph.features),
        labels=self_training_labels(graph, surrogate),
        train=train,
        unlabeled=np.setdiff1d(np.arange(graph.n_nodes), train),
        inner=inner,
    )


def _attack(
    method: str,
    graph: Graph,
    budget: float,
    seed: int,
    settings: Details,
    checkpoint: str | Path | None,
    progress: Progress,
) -> AttackedGraph:
    """Gradient, flip, repeat, until the budget is spent."""
    check_positive(flips_per_step=settings["flips_per_step"])
    flips = flips_allowed(budget, graph)
    inner = InnerTraining(settings["inner_steps"], settings["lr"], settings["momentum"])
    problem = _problem(graph, seed, settings["hidden"], inner)
    stored = Checkpoint(checkpoint, graph, {"method": method, "budget": budget, "seed": seed, **settings})
    before, seconds = stored.load()
    done = before.get("flips", np.empty((0, 2), dtype=np.int64))
    state, watch = GreedyFlips(graph, done), Stopwatch(earlier=seconds)
    while len(state.flips) < flips:
        # The generator depends on the position, so that a resumed run draws what it would have drawn.
        rng = np.random.default_rng([seed, len(state.flips)])
        weights = initial_weights(graph.n_features, settings["hidden"], class_count(graph), rng)
        count = min(settings["flips_per_step"], flips - len(state.flips))
        gradient = MetaGradient(problem, state.adjacency, weights)
        state.take(gradient.blocks(max(1, BLOCK_ENTRIES // graph.n_nodes)), count)
        stored.save({"flips": state.pairs()}, watch.seconds())
        progress(method, len(state.flips), flips)
    stored.clear()
    return attacked_graph(graph, state.pairs(), method=method, budget=budget, seed=seed, watch=watch, **settings)
