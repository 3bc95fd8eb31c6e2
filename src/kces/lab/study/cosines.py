"""The baselines of the study: how alike the ends of an edge are after some hops of aggregation."""

from __future__ import annotations

import numpy as np

from kces.engines.inner import row_by_row
from kces.graph import Graph
from kces.kernel import normalize_rows, propagation
from kces.types import Array

__all__ = ["multi_hop_cosine"]


def multi_hop_cosine(graph: Graph, hops: tuple[int, ...]) -> Array:
    """Minus the mean cosine of the ends' rows of ``T^h X``: feature cosine for ``(0,)``, the earlier U for (0, 2, 4).

    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> graph.edges[multi_hop_cosine(graph, (0,)).argmax()].tolist()
    [4, 5]
    """
    T = propagation(graph)
    rows, total = graph.features, np.zeros(graph.n_edges)
    for hop in range(max(hops) + 1):
        if hop in hops:
            unit, _ = normalize_rows(rows)
            total += row_by_row(unit[graph.edges[:, 0]], unit[graph.edges[:, 1]])
        rows = T @ rows
    return -total / len(hops)
