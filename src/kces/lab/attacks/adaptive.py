"""An attack that knows KCES: it keeps only those changes that the defense would let pass.

A defense tested only against attacks that ignore it is not tested (Tramèr et al., 2020). This attacker runs
the defender's own scoring function, with the defender's preset, engine and share α, on every graph it is
about to hand over.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph, edge_keys, key_edges
from kces.lab.attacks.checkpoint import Checkpoint
from kces.lab.attacks.flips import Details, Stopwatch, apply_flips, attacked_graph, flips_allowed
from kces.lab.attacks.interface import check_positive
from kces.lab.attacks.prbcd import block_size_for, run_rbcd
from kces.progress import Progress, silent
from kces.scorers import ScoreOptions, make_scorer

__all__ = ["Defence", "adaptive_kces"]

Keys = npt.NDArray[np.int64]


def adaptive_kces(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    preset: str = "paper",
    engine: str = "auto",
    alpha: float = 0.3,
    rounds: int = 3,
    surplus: float = 2.0,
    hidden: int = 16,
    epochs: int = 60,
    lr: float = 1_000.0,
    loss: str = "tanh_margin",
    checkpoint: str | Path | None = None,
) -> AttackedGraph:
    """PRBCD that drops what KCES would prune and searches again.

    Parameters
    ----------
    preset, engine, alpha : the defense as the attacker expects it; ``engine="local"`` is quicker.
    rounds : how often candidates are searched, scored and sifted.
    surplus : candidates per round, as a multiple of the budget.
    hidden, epochs, lr, loss : of PRBCD in each round.
    checkpoint : file that keeps the state after each round; the same call goes on from there.

    Notes
    -----
    Each round attacks a GCN trained on the graph so far, puts all candidates in, scores the edges with
    :func:`kces.score_edges` and keeps the least suspicious candidates outside the pruned share; what was
    pruned is not tried again. Removed edges cannot be pruned and always pass. If, after the last round, too few
    candidates pass, the least suspicious others fill the budget; the log counts them as ``exposed``.
    The attack is greedy: the cut at α is not differentiated through.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0] * 4 + [1] * 4, train=[1, 6])
    >>> attacked = adaptive_kces(ring, 0.25, epochs=5, rounds=2)
    >>> len(attacked.added) + len(attacked.removed)
    2
    """
    check_positive(rounds=rounds)
    if not 0 <= alpha < 1:
        raise InvalidParameterError(f"alpha must lie in [0, 1), got {alpha}")
    if surplus < 1:
        raise InvalidParameterError(f"surplus must be at least 1, got {surplus}")
    flips = flips_allowed(budget, graph)
    free = graph.n_nodes * (graph.n_nodes - 1) // 2
    wanted = min(math.ceil(surplus * flips), free)
    settings = {"epochs": epochs, "lr": lr, "loss": loss, "block_size": block_size_for(graph, wanted, None)}
    defence = Defence(graph, preset, engine, alpha, seed)
    details: Details = {"preset": preset, "engine": engine, "alpha": alpha, "rounds": rounds, "surplus": surplus}
    run = {"method": "adaptive-kces", "budget": budget, "seed": seed, "hidden": hidden, **settings, **details}
    stored = Checkpoint(checkpoint, graph, run)
    before, seconds = stored.load()
    watch = Stopwatch(earlier=seconds)
    chosen, rejected = (before.get(name, np.empty(0, dtype=np.int64)) for name in ("chosen", "rejected"))
    for turn in range(int(before.get("turns", 0)), rounds):
        so_far = apply_flips(graph, key_edges(chosen, graph.n_nodes))
        found = run_rbcd(so_far, wanted, seed + turn, hidden=hidden, settings=settings, what="adaptive-kces")
        fresh = np.setdiff1d(edge_keys(found, graph.n_nodes), np.concatenate([chosen, rejected]))
        passing, pruned = defence.sift(np.concatenate([chosen, fresh]))
        chosen, rejected = passing[:flips], np.concatenate([rejected, pruned])
        state = {"chosen": chosen, "rejected": rejected, "turns": np.array(turn + 1)}
        stored.save(state, watch.seconds(), now=True)
        progress("adaptive-kces", turn + 1, rounds)
    exposed = rejected[: flips - len(chosen)]
    chosen = np.concatenate([chosen, exposed])
    if len(chosen) < flips:
        raise InvalidParameterError(f"only {len(chosen)} of {flips} changes were found; raise rounds or surplus")
    stored.clear()
    return attacked_graph(
        graph,
        key_edges(chosen, graph.n_nodes),
        method="adaptive-kces",
        budget=budget,
        seed=seed,
        watch=watch,
        **details,
        exposed=len(exposed),
    )


class Defence:
    """KCES as the attacker runs it."""

    def __init__(self, graph: Graph, preset: str, engine: str, alpha: float, seed: int) -> None:
        self._graph = graph
        self._before = edge_keys(graph.edges, graph.n_nodes)
        self._scorer = make_scorer(ScoreOptions(preset=preset, engine=engine, seed=seed))
        self._alpha = alpha

    def sift(self, flips: Keys) -> tuple[Keys, Keys]:
        """The flips that pass and those that are pruned, each from the least to the most suspicious."""
        attacked = apply_flips(self._graph, key_edges(flips, self._graph.n_nodes))
        scored = self._scorer.score(attacked)
        keys = edge_keys(attacked.edges, attacked.n_nodes)
        kept = scored.cut(self._alpha).kept
        added = np.isin(keys, flips)
        removed = flips[np.isin(flips, self._before)]
        order = np.argsort(scored.scores, kind="stable")
        passing, pruned = (keys[order[(added & group)[order]]] for group in (kept, ~kept))
        return np.concatenate([removed, passing]), pruned
