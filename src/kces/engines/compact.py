"""Fewer features for graphs whose many sparse ones would not fit as an array."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kces.engines.problem import Problem

__all__ = ["compact"]


def compact(problem: Problem, seed: int = 0) -> Problem:
    """Where the regime says so, the features' leading components in their place: inner products are nearly kept."""
    if not problem.regime.compacts:
        return problem
    from sklearn.decomposition import TruncatedSVD

    graph = problem.graph
    reduced = TruncatedSVD(problem.regime.width, random_state=seed).fit_transform(graph.features)
    return replace(problem, graph=replace(graph, features=np.ascontiguousarray(reduced)), forced=problem.regime)
