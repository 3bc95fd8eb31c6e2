"""Budgets, and turning a set of flipped pairs into an attacked graph."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph, edge_keys, key_edges
from kces.node_pairs import are_edges

__all__ = ["Details", "Stopwatch", "apply_flips", "attacked_graph", "budget_label", "flips_allowed"]

Pairs: TypeAlias = npt.NDArray[np.int64]
Details: TypeAlias = dict[str, Any]
"""Settings of an attack by name, plain values, as its log has them."""


def flips_allowed(budget: float, graph: Graph) -> int:
    """How many node pairs a share of the edges allows to flip: rounded down, as published.

    >>> from kces.graph import Graph
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> flips_allowed(0.7, path)
    2
    """
    if not (math.isfinite(budget) and 0 < budget <= 1):
        raise InvalidParameterError(f"budget must be a share of the edges in (0, 1], got {budget}")
    # The small term undoes binary rounding: 0.29 * 100 is 28.999… but 29 edges are meant.
    flips = math.floor(budget * graph.n_edges + 1e-9)
    if flips == 0:
        raise InvalidParameterError(f"budget {budget} of {graph.n_edges} edges allows no change; raise it")
    free = graph.n_nodes * (graph.n_nodes - 1) // 2 - graph.n_edges
    if flips > free:
        raise InvalidParameterError(
            f"budget {budget} is {flips} changes, but only {free} pairs of {graph.name} are not linked"
        )
    return flips


def apply_flips(graph: Graph, flips: Pairs) -> Graph:
    """Remove the pairs that are edges and add those that are not; a pair must not be named twice.

    >>> from kces.graph import Graph
    >>> path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])
    >>> apply_flips(path, np.array([[0, 1], [0, 3]])).edges.tolist()
    [[0, 3], [1, 2], [2, 3]]
    """
    before, flipped = edge_keys(graph.edges, graph.n_nodes), edge_keys(flips, graph.n_nodes)
    return graph.with_edges(key_edges(np.setxor1d(before, flipped), graph.n_nodes))


def budget_label(budget: float) -> str:
    """The budget as it stands in a graph's name: ``0.25``, ``5``."""
    return f"{budget:g}"


def attacked_graph(
    clean: Graph,
    flips: Pairs,
    *,
    method: str,
    budget: float,
    seed: int,
    watch: Stopwatch,
    targets: npt.NDArray[np.int64] | None = None,
    **details: Any,
) -> AttackedGraph:
    """Apply the flips, name the graph and write the log."""
    graph = replace(apply_flips(clean, flips), name=f"{clean.name}@{method}-{budget_label(budget)}")
    removed = int(are_edges(clean, flips).sum())
    log: Details = {
        "method": method,
        "budget": budget,
        "seed": seed,
        "added": len(flips) - removed,
        "removed": removed,
        "seconds": watch.seconds(),
        "cpu_seconds": watch.cpu_seconds(),
        **details,
    }
    return AttackedGraph(graph, clean, targets, log)


class Stopwatch:
    """Seconds since it was made, plus those of the interrupted runs it goes on from."""

    def __init__(self, earlier: float = 0.0) -> None:
        self._start = time.perf_counter() - earlier
        self._cpu_start = time.process_time()

    def cpu_seconds(self) -> float:
        """Processor time of this process alone: on a busy machine the fairer measure."""
        return round(time.process_time() - self._cpu_start, 3)

    def seconds(self) -> float:
        return round(time.perf_counter() - self._start, 3)
