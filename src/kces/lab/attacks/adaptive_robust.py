"""An attack on the preset ``robust``: PRBCD that may only join nodes which the score takes for good neighbors.

:mod:`kces.lab.attacks.adaptive` searches among all pairs and drops what the defense would prune. This one never looks
at a pair that the score suspects, so that its whole budget goes into harm that passes.
"""

from __future__ import annotations

import numpy as np

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph, edge_keys, key_edges
from kces.lab.attacks.adaptive import Defence
from kces.lab.attacks.flips import Details, Stopwatch, apply_flips, attacked_graph, flips_allowed
from kces.lab.attacks.interface import check_positive
from kces.lab.attacks.prbcd import block_size_for, run_rbcd
from kces.node_pairs import are_edges
from kces.progress import Progress, silent
from kces.scorers import Scored
from kces.scorers.robust import RobustScorer, gather_evidence, pair_complexity
from kces.scorers.views import standard_views
from kces.types import Bools, Ints

__all__ = ["adaptive_robust"]


def adaptive_robust(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    alpha: float = 0.3,
    rounds: int = 3,
    hidden: int = 16,
    epochs: int = 60,
    block_size: int = 100_000,
    lr: float = 1_000.0,
    loss: str = "tanh_margin",
) -> AttackedGraph:
    """PRBCD over pairs whose score is below that of the edges a cut at ``alpha`` would remove.

    Parameters
    ----------
    alpha : the deepest cut from which the attacker hides.
    rounds : how often what the defense would prune after all is replaced.
    hidden, epochs, lr, loss : of PRBCD in each round.
    block_size : pairs drawn at a time, of which those that the score suspects are left out.

    Notes
    -----
    Scores of pairs are those on the graph so far, with the weights of its views. After each round the whole graph is
    scored anew, and changes that a cut at ``alpha`` would undo are given up; the log counts as ``exposed`` those that
    fill the budget although they would be pruned. Removing an edge always passes.

    Examples
    --------
    >>> from kces import load_builtin
    >>> graph = load_builtin("synthetic:n=120,seed=0")
    >>> attacked = adaptive_robust(graph, 0.05, epochs=4, rounds=1)
    >>> len(attacked.added) + len(attacked.removed) == int(0.05 * graph.n_edges)
    True
    """
    check_positive(rounds=rounds)
    if not 0 <= alpha < 1:
        raise InvalidParameterError(f"alpha must lie in [0, 1), got {alpha}")
    flips = flips_allowed(budget, graph)
    settings = {"epochs": epochs, "lr": lr, "loss": loss, "block_size": block_size_for(graph, flips, block_size)}
    details: Details = {"alpha": alpha, "rounds": rounds}
    watch = Stopwatch()
    defence = Defence(graph, RobustScorer.name, "auto", alpha, seed)
    chosen = rejected = np.empty(0, dtype=np.int64)
    for turn in range(rounds):
        missing = flips - len(chosen)
        if missing <= 0:
            break
        so_far = apply_flips(graph, key_edges(chosen, graph.n_nodes))
        allowed = Unsuspicious(so_far, alpha, seed)
        found = run_rbcd(
            so_far, missing, seed + turn, hidden=hidden, settings=settings, what="adaptive-robust", allowed=allowed
        )
        fresh = np.setdiff1d(edge_keys(found, graph.n_nodes), np.concatenate([chosen, rejected]))
        passing, pruned = defence.sift(np.concatenate([chosen, fresh]))
        chosen, rejected = passing[:flips], np.concatenate([rejected, pruned])
        progress("adaptive-robust", turn + 1, rounds)
    exposed = rejected[: flips - len(chosen)]
    chosen = np.concatenate([chosen, exposed])
    if len(chosen) < flips:
        raise InvalidParameterError(f"only {len(chosen)} of {flips} changes were found; raise rounds or lower alpha")
    pairs = key_edges(chosen, graph.n_nodes)
    log: Details = {"method": "adaptive-robust", "budget": budget, "seed": seed, "watch": watch}
    return attacked_graph(graph, pairs, **log, **details, exposed=len(exposed))


class Unsuspicious:
    """Which pairs an attacker may change: edges, and pairs that would score below the cut at ``alpha``.

    >>> from kces import load_builtin
    >>> graph = load_builtin("synthetic:n=120,seed=0")
    >>> bool(Unsuspicious(graph, 0.3, 0)(graph.edges).all())
    True
    """

    def __init__(self, graph: Graph, alpha: float, seed: int) -> None:
        self._graph = graph
        self._evidence = gather_evidence(graph, standard_views(seed=seed), seed=seed)
        self._limit = Scored(graph, self._evidence.scores).cut(alpha).threshold

    def __call__(self, pairs: Ints) -> Bools:
        found = self._evidence
        values = np.hstack([view(self._graph, pairs) for view in found.views])
        return (pair_complexity(values @ found.weights) < self._limit) | are_edges(self._graph, pairs)
