"""From scores to an order of the edges, and how many of them a share is (Algorithm 1, lines 9 and 10)."""

from __future__ import annotations

import math

import numpy as np

from kces.errors import InvalidGraphError, InvalidParameterError, briefly
from kces.types import Array, Bools, Ints

__all__ = [
    "TIES",
    "all_tied",
    "check_alpha",
    "check_ties",
    "edge_order",
    "kept_edges",
    "prune_count",
    "prune_counts",
    "pruned_with_ties",
    "rounded_levels",
]

TIES = ("whole", "index")
"""What becomes of equal scores that a cut would part: all of them stay, or those of lower number go."""

_RESOLUTION = 1e-9
"""Scores closer than this share of the largest are ties: below it lies the rounding of a different thread count."""


def check_alpha(alpha: float | str) -> float:
    """``alpha`` as a number in [0, 1], or a clear error."""
    if isinstance(alpha, (str, bool, np.bool_)):
        raise InvalidParameterError(f"alpha must be a number in [0, 1] or auto, got {briefly(alpha)}")
    if isinstance(alpha, (int, float, np.number)) and 0 <= alpha <= 1:
        return float(alpha)
    raise InvalidParameterError(f"alpha must lie in [0, 1], got {briefly(alpha)}")


def prune_count(n_edges: int, alpha: float) -> int:
    """``ceil(alpha * n_edges)`` without the surprise that 0.7 * 10 is a little more than 7 in floating point.

    >>> prune_count(10, 0.7), prune_count(10, 0.71)
    (7, 8)
    """
    return min(n_edges, math.ceil(check_alpha(alpha) * n_edges - 1e-9))


def prune_counts(scores: Array, alphas: Array) -> Ints:
    """How many edges a cut at each of the ratios removes, where equal scores are not parted.

    >>> prune_counts(np.array([1.0, 3.0, 3.0, 2.0]), np.array([0.25, 0.5, 0.75, 1.0])).tolist()
    [0, 2, 3, 4]
    """
    falling = np.sort(-_rounded(scores))
    wanted = np.array([prune_count(len(scores), alpha) for alpha in alphas], dtype=np.int64)
    inside = (wanted > 0) & (wanted < len(scores))
    level = falling[np.minimum(wanted, len(scores) - 1)]
    return np.where(inside, np.minimum(wanted, np.searchsorted(falling, level)), wanted)


def pruned_with_ties(scores: Array, alpha: float) -> int:
    """How many edges go if all of the score at which a ratio cuts do.

    >>> pruned_with_ties(np.array([1.0, 3.0, 3.0, 3.0]), 0.25), pruned_with_ties(np.array([1.0, 2.0]), 0.0)
    (3, 0)
    """
    count = prune_count(len(scores), alpha)
    if count == 0:
        return 0
    levels = _rounded(scores)
    return int(np.count_nonzero(levels >= -np.partition(-levels, count - 1)[count - 1]))


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


def check_ties(ties: str) -> str:
    """``ties`` as one of the two ways to cut among equal scores, or a clear error.

    >>> check_ties("whole")
    'whole'
    """
    if ties not in TIES:
        raise InvalidParameterError(f"ties must be one of {', '.join(TIES)}, got {ties!r}")
    return ties


def kept_edges(scores: Array, alpha: float, *, ties: str = "whole") -> Bools:
    """Full-length mask: false for the ``ceil(αE)`` edges with the highest score.

    Where the last of them has the same score as others that would stay, ``ties="whole"`` keeps all of that score, and
    ``ties="index"`` removes those with the lower edge numbers, so that there are always ``ceil(αE)`` (Algorithm 1).

    >>> kept_edges(np.array([0.1, 0.9, 0.5, 0.2]), 0.5).tolist()
    [True, False, False, True]
    >>> [kept_edges(np.array([0.1, 0.9, 0.5, 0.5]), 0.5, ties=ties).tolist() for ties in ("whole", "index")]
    [[True, False, True, True], [True, False, False, True]]
    """
    check_ties(ties)
    levels, count = _rounded(scores), prune_count(len(scores), alpha)
    if count == 0:
        return np.ones(len(scores), dtype=bool)
    lowest = -np.partition(-levels, count - 1)[count - 1]  # of the removed ones: no need to sort them
    kept = levels <= lowest
    tied = np.flatnonzero(levels == lowest)
    wanted = count - int(np.count_nonzero(~kept))
    if ties == "index" or wanted == len(tied):
        kept[tied[:wanted]] = False
    return kept


def rounded_levels(scores: Array, largest: float) -> Array:
    """Scores on a scale of whole numbers, relative to the largest absolute score: what ranks compare.

    >>> rounded_levels(np.array([2.0, 1.0]), 2.0).tolist()
    [1000000000.0, 500000000.0]
    """
    if unfit := int(np.count_nonzero(~np.isfinite(scores))):
        raise InvalidGraphError(f"{unfit} of {len(scores)} scores are not finite, so the edges have no order")
    return np.round(scores / (largest * _RESOLUTION)) if largest > 0 else np.zeros_like(scores)


def _rounded(scores: Array) -> Array:
    return rounded_levels(scores, float(np.abs(scores).max(initial=0.0)))
