"""A measured column as shares of landmarks: values that lie near each other are alike wherever they lie.

The score compares directions from the mean row, and a standardized number has one only away from its mean: people of
middling age would be unlike everybody, each other included. Landmarks are values spread over a column, a column of
features each. A value is shared between the two next to it, in proportion to its distance from them, so that two nodes
agree as far as they share landmarks. Outliers and placeholders such as 9999 reach the last landmark and no further.
"""

from __future__ import annotations

import numpy as np

from kces.types import Array

__all__ = ["MOST_COLUMNS", "MOST_LANDMARKS", "landmark_ranks", "landmarks_among", "shares_of_landmarks"]

MOST_COLUMNS = 32
"""Measured columns of a table that are taken so. More of them are an embedding, made to be compared by direction."""

MOST_LANDMARKS = 10
_LEAST, _ROWS_PER_LANDMARK = 3, 10


def landmark_ranks(n_values: int) -> Array:
    """Where landmarks stand among ordered values, from 0 to 1: one for ten values, from 3 to 10.

    >>> landmark_ranks(6).tolist(), len(landmark_ranks(1000))
    ([0.0, 0.5, 1.0], 10)
    """
    return np.linspace(0.0, 1.0, min(max(n_values // _ROWS_PER_LANDMARK, _LEAST), MOST_LANDMARKS))


def landmarks_among(quantiles: Array) -> Array:
    """Those of a column's quantiles that stand apart, ascending: at least half as far as evenly spread ones would.

    A column of few values has a landmark at each. The outer quarters, where outliers lie, do not set the measure.

    >>> landmarks_among(np.array([1.0, 1.0, 2.0, 5.0])).tolist(), landmarks_among(np.array([25.0, 27.0, 65.0])).tolist()
    ([1.0, 2.0, 5.0], [25.0, 65.0])
    """
    half = quantiles / 2  # a span of 1e308 overflows
    inner = half[len(half) // 4 : len(half) - len(half) // 4]
    least = (inner[-1] - inner[0]) / (2 * (len(inner) - 1))
    kept = [0]
    for place in range(1, len(half)):
        gap = half[place] - half[kept[-1]]
        if gap > 0 and gap >= least:
            kept.append(place)
    landmarks: Array = quantiles[kept]
    landmarks[-1] = quantiles[-1] if len(kept) > 1 else landmarks[-1]
    return landmarks


def shares_of_landmarks(values: Array, landmarks: Array) -> Array:
    """(rows, landmarks) how much of each landmark a value has; they sum to 1.

    >>> shares_of_landmarks(np.array([20.0, 25.0, 40.0, 9999.0]), np.array([20.0, 40.0, 60.0])).tolist()
    [[1.0, 0.0, 0.0], [0.75, 0.25, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if len(landmarks) == 1:
        return np.ones((len(values), 1))
    half, at = landmarks / 2, np.clip(values, landmarks[0], landmarks[-1]) / 2  # halves: a span of 1e308 overflows
    shares = np.zeros((len(values), len(landmarks)))
    rows = np.arange(len(values))
    below = np.clip(np.searchsorted(half, at, side="right") - 1, 0, len(half) - 2)
    above = (at - half[below]) / (half[below + 1] - half[below])
    shares[rows, below], shares[rows, below + 1] = 1.0 - above, above
    return shares
