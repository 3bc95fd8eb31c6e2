"""Edges scored in parts: one function of shared read-only state and a range of edges, wherever it is called.

After what is done once, such as the global solve, an engine scores any edges without the others. Here parts follow one
another in this process; ``kces.scale.parts_of_run`` keeps each in a run folder, and may have them computed by the
workers of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

from kces.progress import Progress, silent
from kces.types import Array

__all__ = ["EDGES_AT_ONCE", "OneAfterAnother", "Parts", "ScorePart", "one_after_another"]

EDGES_AT_ONCE = 50_000

MakeState: TypeAlias = Callable[[], Any]
"""Makes tuples, named or not, of arrays, sparse matrices, words and numbers."""
ScorePart: TypeAlias = Callable[[Any, int, int], Array]
"""From state and a range of edges to their scores."""


class Parts(Protocol):
    """Where and how the parts of a computation are made."""

    def once(self, name: str, make: MakeState) -> Any:
        """What ``make`` returns; where it was kept by an earlier run of the same, it is not made again."""
        ...

    def __call__(
        self,
        score: ScorePart,
        make_state: MakeState,
        n_edges: int,
        progress: Progress = ...,
        at_once: int = ...,
    ) -> Array:
        """Make the state once and call ``score`` on all parts of the edges; the scores of all."""
        ...


class OneAfterAnother:
    """In this process, in order; nothing is kept.

    >>> one_after_another(lambda state, start, stop: state * np.arange(start, stop), lambda: 2.0, 3, at_once=2).tolist()
    [0.0, 2.0, 4.0]
    """

    def once(self, name: str, make: MakeState) -> Any:
        return make()

    def __call__(
        self,
        score: ScorePart,
        make_state: MakeState,
        n_edges: int,
        progress: Progress = silent,
        at_once: int = EDGES_AT_ONCE,
    ) -> Array:
        state, scores = make_state(), np.empty(n_edges)
        progress("score edges", 0, n_edges)
        for start in range(0, n_edges, at_once):
            stop = min(start + at_once, n_edges)
            scores[start:stop] = score(state, start, stop)
            progress("score edges", stop, n_edges)
        return scores


one_after_another = OneAfterAnother()
