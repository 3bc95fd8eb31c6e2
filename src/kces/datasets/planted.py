"""Plant edges between classes: the smallest attack there is, for demonstrations and tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kces.errors import InvalidGraphError
from kces.graph import Graph, edge_keys, key_edges

__all__ = ["inject_cross_class_edges"]


def inject_cross_class_edges(graph: Graph, share: float, *, seed: int = 0) -> tuple[Graph, npt.NDArray[np.bool_]]:
    """Add ``share * E`` random edges between nodes of different class; also a mask over the new graph's edges.

    >>> from kces.datasets.toys import barbell
    >>> noisy, injected = inject_cross_class_edges(barbell(), 0.2)
    >>> noisy.n_edges, int(injected.sum())
    (25, 4)
    """
    if graph.labels is None or (graph.n_classes or 0) < 2:
        raise InvalidGraphError("planting cross-class edges needs labels of at least two classes")
    generator = np.random.default_rng(seed)
    n, wanted = graph.n_nodes, int(share * graph.n_edges)
    present = edge_keys(graph.edges, n)
    new = np.empty(0, dtype=np.int64)
    for _ in range(200):
        if len(new) >= wanted:
            break
        ends = np.sort(generator.integers(0, n, size=(2 * wanted + 16, 2)), axis=1)
        ends = ends[graph.labels[ends[:, 0]] != graph.labels[ends[:, 1]]]
        keys = edge_keys(ends, n)
        keys = keys[~np.isin(keys, present) & ~np.isin(keys, new)]
        _, first = np.unique(keys, return_index=True)
        new = np.concatenate([new, keys[np.sort(first)]])
    if len(new) < wanted:
        raise InvalidGraphError(f"there are not {wanted} free pairs of different class to plant")
    new = new[:wanted]
    merged = np.sort(np.concatenate([present, new]))
    noisy = graph.with_edges(key_edges(merged, n))
    return noisy, np.isin(merged, new)
