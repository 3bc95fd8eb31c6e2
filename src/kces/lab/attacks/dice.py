"""DICE: delete internally, connect externally (Waniek et al., 2018)."""

from __future__ import annotations

import numpy as np

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks.flips import Stopwatch, attacked_graph, flips_allowed
from kces.lab.attacks.interface import known_labels
from kces.lab.attacks.random_flips import sample_new_pairs
from kces.progress import Progress, silent

__all__ = ["dice"]


def dice(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    add_share: float = 0.5,
) -> AttackedGraph:
    """Remove edges within a class and add edges across classes, at random. Uses **all** labels.

    Parameters
    ----------
    add_share : the chance that one change is an addition. When a graph has too few edges within classes
        to remove, additions take their place, so the budget is always met.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0, 0, 0, 0, 1, 1, 1, 1])
    >>> attacked = dice(ring, 0.5, seed=1)
    >>> labels = ring.labels
    >>> bool((labels[attacked.added[:, 0]] != labels[attacked.added[:, 1]]).all())
    True
    >>> bool((labels[attacked.removed[:, 0]] == labels[attacked.removed[:, 1]]).all())
    True
    """
    if not 0 <= add_share <= 1:
        raise InvalidParameterError(f"add_share must lie in [0, 1], got {add_share}")
    watch, rng = Stopwatch(), np.random.default_rng(seed)
    labels = known_labels(graph, "dice")
    flips = flips_allowed(budget, graph)
    internal = graph.edges[labels[graph.edges[:, 0]] == labels[graph.edges[:, 1]]]
    n_removed = min(flips - int(rng.binomial(flips, add_share)), len(internal))
    removed = internal[rng.choice(len(internal), n_removed, replace=False)]
    added = sample_new_pairs(graph, flips - n_removed, rng, classes=labels)
    progress("dice", flips, flips)
    return attacked_graph(
        graph,
        np.concatenate([added, removed]),
        method="dice",
        budget=budget,
        seed=seed,
        watch=watch,
        add_share=add_share,
    )
