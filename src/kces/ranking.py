"""From scores to an order of the edges, and how many of them a share is (Algorithm 1, lines 9 and 10)."""

from __future__ import annotations

import math

import numpy as np

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.types import Array, Bools, Ints

__all__ = ["all_tied", "check_alpha", "edge_order", "kept_edges", "prune_count"]

_RESOLUTION = 1e-9
"""Scores closer than this share of the largest are ties: below it lies the rounding of a different thread count."""


def check_alpha(alpha: float | str) -> float:
    """``alpha`` as a number in [0, 1], or a clear error."""
    if isinstance(alpha, (str, bool, np.bool_)):
        raise InvalidParameterError(f"alpha must be a number in [0, 1] or auto, got {alpha!r}")
    if isinstance(alpha, (int, float, np.number)) and 0 <= alpha <= 1:
        return float(alpha)
    raise InvalidParameterError(f"alpha must lie in [0, 1], got {alpha}")


def prune_count(n_edges: int, alpha: float) -> int:
    """``ceil(alpha * n_edges)`` without the surprise that 0.7 * 10 is a little more than 7 in floating point.

    >>> prune_count(10, 0.7), prune_count(10, 0.71)
    (7, 8)
    """
    return min(n_edges, math.ceil(check_alpha(alpha) * n_edges - 1e-9))


def edge_order(scores: Array) -> Ints:
    """Edge numbers from the highest score to the lowest; ties go to the lower edge number; NaN is refused.

    >>> edge_order(np.array([1.0, 3.0, 3.0, 2.0])).tolist()
    [1, 2, 3, 0]
    """
    return np.argsort(-_rounded(scores), kind="stable")


def all_tied(scores: Array) -> bool:
    """Whether the scores tell no two edges apart.

    >>> all_tied(np.array([2.0, 2.0 + 1e-12])), all_tied(np.array([2.0, 1.0])), all_tied(np.array([2.0]))
    (True, False, False)
    """
    return len(scores) > 1 and bool(np.ptp(_rounded(scores)) == 0)


def kept_edges(scores: Array, alpha: float, *, whole_ties: bool = False) -> Bools:
    """Full-length mask: false for the ``ceil(αE)`` edges with the highest score.

    With ``whole_ties`` the cut stops short of a group of equal scores that it would part.

    >>> kept_edges(np.array([0.1, 0.9, 0.5, 0.2]), 0.5).tolist()
    [True, False, False, True]
    >>> kept_edges(np.array([0.1, 0.9, 0.5, 0.5]), 0.5, whole_ties=True).tolist()
    [True, False, True, True]
    """
    kept = np.ones(len(scores), dtype=bool)
    order, count = edge_order(scores), prune_count(len(scores), alpha)
    if whole_ties and 0 < count < len(scores):
        levels = _rounded(scores)[order]
        if levels[count - 1] == levels[count]:
            count = int(np.argmax(levels == levels[count]))
    kept[order[:count]] = False
    return kept


def _rounded(scores: Array) -> Array:
    if unfit := int(np.count_nonzero(~np.isfinite(scores))):
        raise InvalidGraphError(f"{unfit} of {len(scores)} scores are not finite, so the edges have no order")
    largest = np.abs(scores).max(initial=0.0)
    return np.round(scores / (largest * _RESOLUTION)) if largest > 0 else np.zeros_like(scores)
