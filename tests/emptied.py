"""Which edges leave a node without features when they go: found from the features alone, not by the engines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.graph import Graph


def emptying_edges(graph: Graph) -> npt.NDArray[np.bool_]:
    """Edges one of whose ends has features in its surroundings only through the other; features that cancel aside."""
    features = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    has = (features != 0).any(axis=1).astype(int)
    around = has + graph.adjacency @ has
    i, j = graph.edges.T
    return (around[i] * (around[i] == has[j]) + around[j] * (around[j] == has[i])) > 0
