"""Projection of relaxed flips onto the budget, and exact sampling from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kces.lab.attacks.surrogate import FloatArray

__all__ = ["by_preference", "completed", "project_onto_budget", "sample_exactly"]


def project_onto_budget(values: FloatArray, budget: float, *, tolerance: float = 1e-5) -> FloatArray:
    """The nearest point with entries in [0, 1] that sum to at most ``budget``.

    It is ``clip(values − μ, 0, 1)`` with the smallest ``μ ≥ 0`` that meets the budget, found by bisection.

    >>> project_onto_budget(np.array([2.0, 0.7, 0.5, -1.0]), 1.6).round(3).tolist()
    [1.0, 0.4, 0.2, 0.0]
    """
    clipped = np.clip(values, 0, 1)
    if clipped.sum(dtype=np.float64) <= budget:
        return clipped
    # Only positive entries can stay positive, and a shift of max(values) sends all of them to 0.
    positive = values[values > 0]
    low, high = 0.0, float(positive.max())
    while high - low > tolerance * max(1.0, high):
        middle = (low + high) / 2
        if np.clip(positive - middle, 0, 1).sum(dtype=np.float64) > budget:
            low = middle
        else:
            high = middle
    return np.clip(values - values.dtype.type(high), 0, 1)


def sample_exactly(weights: FloatArray, count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Positions drawn with the weights as probabilities, then :func:`completed` to exactly ``count``."""
    return completed(rng.random(len(weights)) < weights, weights, count)


def completed(drawn: npt.NDArray[np.bool_], weights: FloatArray, count: int) -> npt.NDArray[np.int64]:
    """Exactly ``count`` positions: the drawn ones first, and among equals those with the highest weights.

    >>> completed(np.array([True, False, False]), np.array([0.1, 0.2, 0.3]), count=2).tolist()
    [0, 2]
    """
    possible = np.flatnonzero(weights > 0)
    if len(possible) < count:
        possible = np.arange(len(weights))
    order = by_preference(drawn[possible], weights[possible])
    return np.sort(possible[order[:count]])


def by_preference(drawn: npt.NDArray[np.bool_], weights: FloatArray) -> npt.NDArray[np.int64]:
    """All positions, drawn ones first, each group from the highest to the lowest weight."""
    return np.lexsort((-weights, ~drawn))
