"""Which of a source's own records (matrix entries, lines, rows, edges) survive when graph edges are dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidParameterError
from kces.graph import Graph

__all__ = ["checked_mask", "count_weights", "surviving_records"]


def checked_mask(graph: Graph, kept: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """``kept`` as a full-length mask over ``graph.edges``, or an error."""
    mask = np.asarray(kept)
    if mask.dtype != bool or mask.shape != (graph.n_edges,):
        raise InvalidParameterError(
            f"kept must be a mask over the {graph.n_edges} edges, got {mask.dtype} of shape {mask.shape}"
        )
    return mask


def surviving_records(
    graph: Graph, kept: npt.ArrayLike, sources: npt.ArrayLike, targets: npt.ArrayLike
) -> npt.NDArray[np.bool_]:
    """Mask over the records ``(sources[r], targets[r])``, node numbers of ``graph``.

    A record goes exactly when its undirected pair is an edge that was dropped: both directions and all
    duplicates go together, and what is no edge of the graph (self-loops, stored zeros) stays.

    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> surviving_records(path, [False, True], [0, 1, 1, 1], [1, 0, 2, 1]).tolist()
    [False, False, True, True]
    """
    dropped = graph.edges[~checked_mask(graph, kept)]
    ends = np.stack([np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)], axis=1)
    low, high = ends.min(axis=1), ends.max(axis=1)
    return ~np.isin(low * graph.n_nodes + high, dropped[:, 0] * graph.n_nodes + dropped[:, 1])


def count_weights(weights: Any) -> int:
    """How many weights are not 1, and so are ignored.

    >>> count_weights([1, 1.0, 0.5, "heavy"])
    2
    """
    # Weights may be text or missing: they are ignored, so they are only ever counted.
    values = pd.to_numeric(pd.Series(np.asarray(weights, dtype=object).ravel()), errors="coerce")
    return int((values != 1).sum())
