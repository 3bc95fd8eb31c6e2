"""PRBCD and LRBCD (Geisler et al., 2021; Gosch et al., 2023): gradient attacks that scale, on a trained GCN."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks.checkpoint import Checkpoint
from kces.lab.attacks.flips import Details, Stopwatch, attacked_graph, flips_allowed
from kces.lab.attacks.interface import check_positive, train_nodes
from kces.lab.attacks.rbcd import ExactPRBCD, LocalPRBCD, RestrictedPRBCD
from kces.lab.attacks.victim import train_victim
from kces.lab.training import seeded
from kces.progress import Progress, silent
from kces.types import Bools, Ints

__all__ = ["block_size_for", "lrbcd", "prbcd", "run_rbcd"]

SMALLEST_BLOCK = 250_000


def prbcd(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    hidden: int = 16,
    epochs: int = 125,
    block_size: int | None = None,
    lr: float = 1_000.0,
    loss: str = "tanh_margin",
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """Flip the pairs that most mislead a GCN trained on the clean graph, searched in random blocks.

    Parameters
    ----------
    hidden : width of the GCN.
    epochs : gradient steps; the block is drawn anew during the first four fifths.
    block_size : pairs searched at a time, which sets the memory; default the larger of 250,000 and four
        times the number of flips (less on graphs with fewer pairs).
    lr, loss : of PyG's ``PRBCDAttack``.
    checkpoint : file that keeps the state, saved once a minute; the same call goes on from there.

    Notes
    -----
    Labels of nodes outside the train set are the GCN's own predictions. Nodes may lose all their edges.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> attacked = prbcd(ring, 0.25, epochs=5)
    >>> len(attacked.added) + len(attacked.removed)
    2
    """
    settings = {"epochs": epochs, "block_size": block_size, "lr": lr, "loss": loss}
    return _attack("prbcd", graph, budget, seed, progress, hidden, settings, checkpoint, caps=None)


def lrbcd(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    local_share: float = 0.5,
    hidden: int = 16,
    epochs: int = 125,
    block_size: int | None = None,
    lr: float = 1_000.0,
    loss: str = "tanh_margin",
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """PRBCD under a budget per node too: at most ``local_share`` of its degree (rounded down, at least 1).

    The other parameters are those of :func:`prbcd`.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> attacked = lrbcd(ring, 0.5, epochs=5)
    >>> flips = np.concatenate([attacked.added, attacked.removed])
    >>> len(flips), int(np.bincount(flips.ravel()).max())
    (4, 1)
    """
    if not local_share > 0:
        raise InvalidParameterError(f"local_share must be above 0, got {local_share}")
    neighbors = np.diff(graph.adjacency.indptr)
    caps = np.maximum(1, np.floor(local_share * neighbors)).astype(np.int64)
    settings = {"epochs": epochs, "block_size": block_size, "lr": lr, "loss": loss}
    return _attack("lrbcd", graph, budget, seed, progress, hidden, settings, checkpoint, caps, local_share=local_share)


def _attack(
    method: str,
    graph: Graph,
    budget: float,
    seed: int,
    progress: Progress,
    hidden: int,
    settings: Details,
    checkpoint: str | Path | None,
    caps: npt.NDArray[np.int64] | None,
    **details: Any,
) -> AttackedGraph:
    flips = flips_allowed(budget, graph)
    settings = settings | {"block_size": block_size_for(graph, flips, settings["block_size"])}
    details |= {"hidden": hidden, **settings}
    stored = Checkpoint(checkpoint, graph, {"method": method, "budget": budget, "seed": seed, **details})
    watch = Stopwatch(earlier=stored.load()[1])
    options: Details = {"progress": progress, "what": method, "checkpoint": stored}
    pairs = run_rbcd(graph, flips, seed, hidden=hidden, caps=caps, settings=settings, **options)
    stored.clear()
    return attacked_graph(graph, pairs, method=method, budget=budget, seed=seed, watch=watch, **details)


def block_size_for(graph: Graph, flips: int, wanted: int | None) -> int:
    """The block size asked for, or the default for that many flips.

    Blocks are drawn with replacement, so on a small graph four times the number of pairs is all of them.
    """
    n_pairs = graph.n_nodes * (graph.n_nodes - 1) // 2
    size = min(max(SMALLEST_BLOCK, 4 * flips), 4 * n_pairs) if wanted is None else wanted
    if size <= flips:
        raise InvalidParameterError(f"block_size must exceed the budget of {flips} changes, got {size}")
    return size


def run_rbcd(
    graph: Graph,
    flips: int,
    seed: int,
    *,
    hidden: int,
    settings: Details,
    caps: npt.NDArray[np.int64] | None = None,
    progress: Progress = silent,
    what: str = "prbcd",
    checkpoint: Checkpoint | None = None,
    allowed: Callable[[Ints], Bools] | None = None,
) -> npt.NDArray[np.int64]:
    """Train the GCN, attack it and return exactly ``flips`` pairs ``i < j``, of those that are ``allowed``."""
    epochs = settings["epochs"]
    check_positive(hidden=hidden, epochs=epochs, lr=settings["lr"])
    if settings["loss"] not in ("masked", "margin", "prob_margin", "tanh_margin"):
        raise InvalidParameterError(f"unknown loss '{settings['loss']}'; see PyG's PRBCDAttack")
    victim, labels = train_victim(graph, seed, hidden=hidden, method=what)
    attacked_nodes = np.setdiff1d(np.arange(graph.n_nodes), train_nodes(graph, what))
    common: Details = {"rng": np.random.default_rng(seed), "progress": progress, "what": what}
    common |= {"checkpoint": checkpoint or Checkpoint(None, graph, settings)}
    common |= {"epochs_resampling": max(1, epochs * 4 // 5), **settings}
    if allowed is not None:
        attack: ExactPRBCD = RestrictedPRBCD(victim, allowed=allowed, **common)
    else:
        attack = ExactPRBCD(victim, **common) if caps is None else LocalPRBCD(victim, caps=caps, **common)
    both_ways = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
    with seeded(seed):
        _, flipped = attack.attack(
            victim.inputs,
            torch.from_numpy(np.ascontiguousarray(both_ways)),
            torch.from_numpy(labels),
            budget=flips,
            idx_attack=torch.from_numpy(attacked_nodes),
        )
    return flipped.numpy().T.astype(np.int64)
