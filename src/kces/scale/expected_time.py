"""About how long a graph in memory takes to be scored, from its sizes: what takes minutes is kept in a run folder."""

from __future__ import annotations

from kces.graph import Graph
from kces.scorers.score_options import ScoreOptions

__all__ = ["LONG", "expected_seconds"]

LONG = 60.0
"""Seconds beyond which a run keeps what is finished."""

_PER_EDGE_AND_COLUMN = 5e-8
"""Seconds of preset robust on two cores (``kces bench scale --in-memory``); sparse features take less."""
_COLUMNS_OF_PATTERNS = 16


def expected_seconds(graph: Graph, options: ScoreOptions) -> float:
    """At most about so many seconds on two cores.

    Parameters
    ----------
    graph : in memory.
    options : how it is to be scored.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> expected_seconds(barbell(), ScoreOptions()) < 1
    True
    """
    if options.preset != "paper":
        return _PER_EDGE_AND_COLUMN * graph.n_edges * (graph.n_features + _COLUMNS_OF_PATTERNS)
    from kces.engines.regime import Regime  # loads numba, for which the default score of a small graph need not wait

    return Regime.of(graph).seconds(options.engine)
