"""Nodes whose features are all zero: to the score nothing is known of them, and where they are many that is said."""

from __future__ import annotations

import warnings

import numpy as np

from kces.errors import GraphWarning
from kces.graph import Graph
from kces.types import is_sparse

__all__ = ["bare_share", "warn_of_bare_nodes"]

_MANY = 0.1


def bare_share(graph: Graph) -> float:
    """Of the nodes with a link, the share without any feature.

    >>> graph = Graph.from_edges([(0, 1), (1, 2)], np.array([[1.0], [0.0], [2.0], [0.0]]))
    >>> round(bare_share(graph), 2)
    0.33
    """
    linked = graph.degrees > 1.0  # each with its self-loop
    if not linked.any():
        return 0.0
    features = graph.features
    filled = np.asarray(np.diff(features.indptr) > 0 if is_sparse(features) else features.any(axis=1))
    return float(1.0 - filled[linked].mean())


def warn_of_bare_nodes(graph: Graph) -> None:
    """Say in one line that many nodes have a row of zeros."""
    share = bare_share(graph)
    if share >= _MANY:
        warnings.warn(
            f"{share:.0%} of the nodes with links have no feature at all, a row of zeros: nothing is known of them,"
            " and links among them may look strange; where zeros are an answer (no), give it a column of its own",
            GraphWarning,
            stacklevel=3,
        )
