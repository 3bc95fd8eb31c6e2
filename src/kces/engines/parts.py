"""Edges scored in parts: one function of shared read-only state and a range of edges, wherever it is called.

After the global solve an engine scores any edges without the others. Here parts follow one another in this process;
``kces.scale.paper_in_parts`` keeps each in a run folder, and may have them computed by the workers of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

from kces.progress import Progress, silent
from kces.types import Array

__all__ = ["EDGES_AT_ONCE", "Parts", "ScorePart", "one_after_another"]

EDGES_AT_ONCE = 50_000

ScorePart: TypeAlias = Callable[[Any, int, int], Array]
"""From state, made of named tuples, arrays and numbers, and a range of edges to their scores."""


class Parts(Protocol):
    """Calls a function on all parts of the edges; the scores of all."""

    def __call__(self, score: ScorePart, state: Any, n_edges: int, progress: Progress = ...) -> Array: ...


def one_after_another(score: ScorePart, state: Any, n_edges: int, progress: Progress = silent) -> Array:
    """In this process, in order.

    >>> one_after_another(lambda state, start, stop: state * np.arange(start, stop), 2.0, 3).tolist()
    [0.0, 2.0, 4.0]
    """
    scores = np.empty(n_edges)
    progress("score edges", 0, n_edges)
    for start in range(0, n_edges, EDGES_AT_ONCE):
        stop = min(start + EDGES_AT_ONCE, n_edges)
        scores[start:stop] = score(state, start, stop)
        progress("score edges", stop, n_edges)
    return scores
