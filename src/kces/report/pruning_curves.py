"""What every pruning ratio does to the graph: one entry per position of the slider."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from kces.graph import Graph
from kces.ranking import prune_counts
from kces.report.held import Held
from kces.report.numbers import Json, shorts
from kces.scorers.scored import Scored
from kces.types import Array, Bools, Ints

__all__ = ["STEPS", "components_after", "homophily_after", "isolated_after", "pruning_curves"]

STEPS = 200
"""Positions of the slider beyond 0; each is half a percent of the edges."""


def pruning_curves(scored: Scored, rank: Ints, *, injected: Bools | None = None, held: Held | None = None) -> Json:
    """Removed edges, isolated nodes, components, homophily, precision and recall for α = 0, 0.005, … 1.

    Parameters
    ----------
    scored : the graph and its scores.
    rank : (E,) place of each edge in the order of removal, from 1.
    injected : (E,) mask of edges known to be harmful; precision and recall count them.
    held : marks that bound how many edges go.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> scored = Scored(barbell(), np.arange(21.0))
    >>> curves = pruning_curves(scored, scored.cut(0.1).rank)
    >>> curves["removed"][20], curves["components"][0], curves["components"][-1]
    (3, 1, 10)
    """
    graph = scored.graph
    alphas = [step / STEPS for step in range(STEPS + 1)]
    removed = _removed(scored, alphas, held)
    curves: Json = {
        "alpha": alphas,
        "removed": removed.tolist(),
        "isolated": isolated_after(graph, rank, removed).tolist(),
        "components": components_after(graph, rank, removed).tolist(),
        "homophily": None if graph.labels is None else shorts(homophily_after(graph, rank, removed)),
        "precision": None,
        "recall": None,
    }
    if injected is not None and injected.any():
        caught = _counted_up_to(injected, rank)[removed]
        curves["precision"] = shorts(_ratio(caught, removed))
        curves["recall"] = shorts(caught / injected.sum())
    return curves


def components_after(graph: Graph, rank: Ints, removed: Ints) -> Ints:
    """Connected components that are left when the first ``removed`` edges of the order are gone.

    A spanning forest that takes the edges in the reverse order of removal holds, at every moment, a spanning forest of
    what is left. So one forest answers for all counts.

    Parameters
    ----------
    graph : before any removal.
    rank : (E,) place of each edge in the order of removal, from 1.
    removed : (A,) the counts asked about.

    Examples
    --------
    >>> from kces.datasets.toys import path
    >>> components_after(path(3), np.array([2, 1]), np.array([0, 1, 2])).tolist()
    [1, 2, 3]
    """
    n, n_edges = graph.n_nodes, graph.n_edges
    late_is_light = (n_edges + 1 - rank).astype(np.float64)
    first, second = graph.edges.astype(np.int32).T  # what all releases of scipy take here
    weights = sp.csr_array((late_is_light, (first, second)), shape=(n, n))
    forest = np.sort(minimum_spanning_tree(weights).data)
    return n - np.searchsorted(forest, n_edges - removed, side="right")


def isolated_after(graph: Graph, rank: Ints, removed: Ints) -> Ints:
    """Nodes without any edge when the first ``removed`` edges are gone; parameters as of :func:`components_after`.

    >>> from kces.datasets.toys import path
    >>> isolated_after(path(3), np.array([2, 1]), np.array([0, 1, 2])).tolist()
    [0, 1, 3]
    """
    last_edge = np.zeros(graph.n_nodes, dtype=np.int64)
    for ends in graph.edges.T:
        np.maximum.at(last_edge, ends, rank)
    return np.searchsorted(np.sort(last_edge), removed, side="right")


def homophily_after(graph: Graph, rank: Ints, removed: Ints) -> Array:
    """Share of the edges that are left, of those between known classes, within a class; NaN where none is left.

    >>> from kces.graph import Graph
    >>> graph = Graph.from_edges([[0, 1], [1, 2]], labels=[0, 0, 1])
    >>> homophily_after(graph, np.array([2, 1]), np.array([0, 1])).tolist()
    [0.5, 1.0]
    """
    assert graph.labels is not None
    first, second = graph.labels[graph.edges].T
    known: Bools = np.minimum(first, second) >= 0
    alike: Bools = known & (first == second)
    left = [int(mask.sum()) - _counted_up_to(mask, rank)[removed] for mask in (alike, known)]
    return _ratio(left[0], left[1])


def _removed(scored: Scored, alphas: list[float], held: Held | None) -> Ints:
    wanted = prune_counts(scored.scores, np.array(alphas))
    return wanted if held is None else np.array([held.bounded(int(count)) for count in wanted], dtype=np.int64)


def _counted_up_to(mask: Bools, rank: Ints) -> Ints:
    """(E + 1,) how many of the edges in ``mask`` are among the first 0, 1, … E of the order."""
    by_rank = np.zeros(len(rank) + 1, dtype=np.int64)
    by_rank[rank] = mask
    return np.cumsum(by_rank)


def _ratio(part: Ints, whole: Ints) -> Array:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
