"""Random: noise without an aim, the floor that every other attack must beat."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph, edge_keys, key_edges
from kces.lab.attacks.flips import Stopwatch, attacked_graph, flips_allowed
from kces.progress import Progress, silent

__all__ = ["random_flips", "sample_new_pairs"]


def random_flips(
    graph: Graph,
    budget: float,
    seed: int = 0,
    *,
    progress: Progress = silent,
    add_share: float = 0.5,
) -> AttackedGraph:
    """Add random new edges and remove random old ones.

    Parameters
    ----------
    add_share : which part of the budget goes into new edges (rounded up); the rest removes.

    Examples
    --------
    >>> from kces.graph import Graph
    >>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)])
    >>> noisy = random_flips(ring, 0.5, seed=1)
    >>> len(noisy.added), len(noisy.removed)
    (2, 2)
    """
    if not 0 <= add_share <= 1:
        raise InvalidParameterError(f"add_share must lie in [0, 1], got {add_share}")
    watch, rng = Stopwatch(), np.random.default_rng(seed)
    flips = flips_allowed(budget, graph)
    n_added = int(np.ceil(add_share * flips))
    added = sample_new_pairs(graph, n_added, rng)
    removed = graph.edges[rng.choice(graph.n_edges, flips - n_added, replace=False)]
    progress("random", flips, flips)
    return attacked_graph(
        graph,
        np.concatenate([added, removed]),
        method="random",
        budget=budget,
        seed=seed,
        watch=watch,
        add_share=add_share,
    )


def sample_new_pairs(
    graph: Graph,
    count: int,
    rng: np.random.Generator,
    classes: npt.NDArray[np.int64] | None = None,
) -> npt.NDArray[np.int64]:
    """Unlinked pairs drawn uniformly without replacement; with ``classes``, only across classes."""
    n_nodes = graph.n_nodes
    taken = edge_keys(graph.edges, n_nodes)
    found = np.empty(0, dtype=np.int64)
    # Rejection is quick as long as most pairs are free; a nearly complete graph is listed in full instead.
    for _ in range(50):
        if len(found) >= count:
            break
        draw = np.sort(rng.integers(0, n_nodes, size=(2 * (count - len(found)) + 16, 2)), axis=1)
        keep = draw[:, 0] != draw[:, 1]
        if classes is not None:
            keep &= classes[draw[:, 0]] != classes[draw[:, 1]]
        fresh = np.setdiff1d(edge_keys(draw[keep], n_nodes), np.concatenate([taken, found]))
        found = np.concatenate([found, rng.permutation(fresh)])
    else:
        found = rng.permutation(_all_new_keys(n_nodes, taken, classes))
    if len(found) < count:
        raise InvalidParameterError(f"{graph.name} has only {len(found)} free pairs; the budget needs {count}")
    return key_edges(found[:count], n_nodes)


def _all_new_keys(
    n_nodes: int, taken: npt.NDArray[np.int64], classes: npt.NDArray[np.int64] | None
) -> npt.NDArray[np.int64]:
    rows, columns = np.triu_indices(n_nodes, k=1)
    if classes is not None:
        across = classes[rows] != classes[columns]
        rows, columns = rows[across], columns[across]
    return np.setdiff1d(edge_keys(np.stack([rows, columns], axis=1), n_nodes), taken)
