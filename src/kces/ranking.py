"""From scores to a cut: rank edges, prune the highest (Algorithm 1, lines 9 to 11)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidParameterError
from kces.graph import Graph

__all__ = ["check_alpha", "edge_table", "kept_edges", "prune_count", "rank_edges"]

_RESOLUTION = 1e-9
"""Scores closer than this share of the largest are ties: below it lies the rounding of a different thread count."""


def check_alpha(alpha: float | str) -> float:
    """``alpha`` as a number in [0, 1], or a clear error."""
    if isinstance(alpha, (int, float, np.number)) and 0 <= alpha <= 1:
        return float(alpha)
    raise InvalidParameterError(f"alpha must lie in [0, 1], got {alpha}")


def prune_count(n_edges: int, alpha: float) -> int:
    """``ceil(alpha * n_edges)`` without the surprise that 0.7 * 10 is a little more than 7 in floating point.

    >>> prune_count(10, 0.7), prune_count(10, 0.71)
    (7, 8)
    """
    return min(n_edges, math.ceil(check_alpha(alpha) * n_edges - 1e-9))


def rank_edges(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Edge numbers from the highest score to the lowest; ties go to the lower edge number.

    >>> rank_edges(np.array([1.0, 3.0, 3.0, 2.0])).tolist()
    [1, 2, 3, 0]
    """
    largest = np.abs(scores).max(initial=0.0)
    rounded = np.round(scores / (largest * _RESOLUTION)) if largest > 0 else np.zeros_like(scores)
    return np.argsort(-rounded, kind="stable")


def kept_edges(scores: npt.NDArray[np.float64], alpha: float) -> npt.NDArray[np.bool_]:
    """Full-length mask: false for the ``ceil(αE)`` edges with the highest score.

    >>> kept_edges(np.array([0.1, 0.9, 0.5, 0.2]), 0.5).tolist()
    [True, False, False, True]
    """
    kept = np.ones(len(scores), dtype=bool)
    kept[rank_edges(scores)[: prune_count(len(scores), alpha)]] = False
    return kept


def edge_table(graph: Graph, scores: npt.NDArray[np.float64], alpha: float) -> pd.DataFrame:
    """Ranked edges as a table: ``source, target, score, rank, suspicious``, most suspicious first."""
    order = rank_edges(scores)
    suspicious = np.zeros(len(order), dtype=bool)
    suspicious[: prune_count(len(order), alpha)] = True
    return pd.DataFrame(
        {
            "source": graph.ids_of(graph.edges[order, 0]),
            "target": graph.ids_of(graph.edges[order, 1]),
            "score": scores[order],
            "rank": np.arange(1, len(order) + 1),
            "suspicious": suspicious,
        }
    )
