"""Problems for the tests of the engines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kces.datasets.builtin import synthetic
from kces.engines.problem import Problem
from kces.graph import Graph


def problem_for(graph: Graph, columns: int = 1, ridge: float = 1e-3, seed: int = 0) -> Problem:
    """Random codes."""
    codes = np.random.default_rng(seed).choice([-1.0, -0.5, 0.5, 1.0], size=(graph.n_nodes, columns))
    return Problem(graph, codes, ridge)


def in_regime(problem: Problem, **changes: str) -> Problem:
    """The same problem with another solver or far field than its size would take."""
    return replace(problem, forced=replace(problem.regime, **changes))  # type: ignore[arg-type]


def alike_nodes(n: int, seed: int = 3) -> Graph:
    """Features that are not negative, so that most pairs of nodes are somewhat alike."""
    graph = synthetic(n=n, seed=seed)
    return replace(graph, features=np.abs(graph.features))
