"""Which of a source's own records (matrix entries, lines, rows, edges) belongs to which edge of the graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidParameterError
from kces.graph import Graph, edge_keys, key_edges, sorted_unique
from kces.types import Bools, Ints

__all__ = ["checked_mask", "count_weights", "distinct_edges", "edge_of_record", "mask_over", "surviving_records"]


def checked_mask(graph: Graph, kept: npt.ArrayLike) -> Bools:
    """``kept`` as a full-length mask over ``graph.edges``, or an error."""
    return mask_over(graph.n_edges, kept)


def mask_over(n_edges: int, kept: npt.ArrayLike) -> Bools:
    """``kept`` as a full-length mask over ``n_edges`` edges, or an error."""
    mask = np.asarray(kept)
    if mask.dtype != bool or mask.shape != (n_edges,):
        raise InvalidParameterError(
            f"kept must be a mask over the {n_edges} edges, got {mask.dtype} of shape {mask.shape}"
        )
    return mask


def distinct_edges(pairs: Ints) -> Ints:
    """The undirected edges among ``pairs`` in the order of ``Graph.edges``: no loops, each once, ``i < j``.

    >>> distinct_edges(np.array([[2, 1], [1, 2], [1, 1], [0, 1]])).tolist()
    [[0, 1], [1, 2]]
    """
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    n_nodes = _one_more(pairs)
    return key_edges(sorted_unique(_keys(pairs, n_nodes)), n_nodes)


def edge_of_record(edges: Ints, pairs: Ints) -> Ints:
    """Position in ``edges`` (those of a graph) of each record's pair of nodes; -1 where it is no edge.

    >>> edge_of_record(np.array([[0, 1], [1, 2]]), np.array([[2, 1], [1, 1], [0, 1], [0, 7]])).tolist()
    [1, -1, 0, -1]
    """
    if len(edges) == 0:
        return np.full(len(pairs), -1, dtype=np.int64)
    n_nodes = max(_one_more(edges), _one_more(pairs))
    known, wanted = _keys(edges, n_nodes), _keys(pairs, n_nodes)
    position = np.searchsorted(known, wanted).clip(max=len(known) - 1)
    return np.where(known[position] == wanted, position, -1)


def surviving_records(graph: Graph, kept: npt.ArrayLike, sources: npt.ArrayLike, targets: npt.ArrayLike) -> Bools:
    """Mask over the records ``(sources[r], targets[r])``, node numbers of ``graph``.

    A record goes exactly when its undirected pair is an edge that was dropped: both directions and all
    duplicates go together, and what is no edge of the graph (self-loops, stored zeros) stays.

    >>> path = Graph.from_edges([[0, 1], [1, 2]])
    >>> surviving_records(path, [False, True], [0, 1, 1, 1], [1, 0, 2, 1]).tolist()
    [False, False, True, True]
    """
    dropped = graph.edges[~checked_mask(graph, kept)]
    ends = np.stack([np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)], axis=1)
    return edge_of_record(dropped, ends) < 0


def _one_more(pairs: Ints) -> int:
    return int(pairs.max(initial=0)) + 1


def _keys(pairs: Ints, n_nodes: int) -> Ints:
    return edge_keys(np.sort(pairs, axis=1), n_nodes)


def count_weights(weights: npt.ArrayLike) -> int:
    """How many weights are not 1, and so are ignored.

    >>> count_weights([1, 1.0, 0.5, "heavy"])
    2
    """
    # Weights may be text or missing: they are ignored, so they are only ever counted.
    cells = pd.Series(np.asarray(weights, dtype=object).ravel())
    try:
        values = pd.to_numeric(cells, errors="coerce")
    except OverflowError:  # a whole number that no float can hold
        values = cells
    return int((values != 1).sum())
