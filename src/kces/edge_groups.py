"""Whether some edges are a group of their own, parted from the others by a gap in how far their ends agree."""

from __future__ import annotations

import numpy as np

from kces.types import Array, Ints

__all__ = ["agreement_counts", "second_group", "standing_apart"]

_BETWEEN = 2
"""Edges that are taken to stand in the gap besides: a few edges are no group."""

_STEP, _WIDE = 0.01, 0.15
"""Of agreement, which ends at 2: that in which edges are counted, and the narrowest gap that parts two groups of them;
on the graphs of ``kces lab cut`` there is none as wide."""
_STRAY, _LEAST_GROUP = 5e-4, 5
"""Share of the edges that may stand in a step of the gap, and edges that are a group."""
_MOST = 1.0 / 3.0
"""Share of the edges above which the others are the group."""


def standing_apart(unrelated: int, below_gap: int) -> float:
    """Whether unrelated edges are a group of their own, from 0 (as many others stand in the gap) to 1 (half as many).

    Parameters
    ----------
    unrelated : how many edges look unrelated.
    below_gap : how many are unrelated or stand in the gap above.

    Examples
    --------
    >>> standing_apart(40, 42), standing_apart(40, 68), standing_apart(40, 90), standing_apart(2, 2)
    (1.0, 0.5, 0.0, 0.0)
    """
    between = below_gap - unrelated + _BETWEEN
    return min(max(2.0 * (1.0 - between / max(unrelated, 1)), 0.0), 1.0)


def agreement_counts(scores: Array) -> Ints:
    """(202,) how many edges agree how far, in steps of a hundredth from 0 to 2 and a little more.

    >>> np.flatnonzero(agreement_counts(np.array([1.0, 2.0]))).tolist()
    [100, 200]
    """
    return np.bincount(np.rint(2.0 / np.asarray(scores, dtype=np.float64) / _STEP).astype(np.int64), minlength=202)


def second_group(counts: Ints) -> float:
    """Share of the edges below the widest gap in their agreement, if that is wide and they are a group; else 0.

    >>> far = 2.0 / np.append(np.full(20, 1.1), np.linspace(1.6, 2.0, 180))
    >>> second_group(agreement_counts(far)), second_group(agreement_counts(2.0 / np.linspace(1.0, 2.0, 200)))
    (0.1, 0.0)
    """
    total, below = int(counts.sum()), np.cumsum(counts)
    sparse = np.flatnonzero((counts <= _STRAY * total) & (below >= _LEAST_GROUP) & (below <= _MOST * total))
    runs = np.split(sparse, np.flatnonzero(np.diff(sparse) > 1) + 1)
    widest = max(runs, key=len)
    return float(below[widest[0]] / total) if len(widest) * _STEP >= _WIDE else 0.0
