"""The definition itself: remove the edge, rebuild H, solve. Slow, plain, and independent of the library's kernel."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def oracle_gram(adjacency: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Equation 4, entry by entry in matrix form."""
    with_loops = adjacency + np.eye(len(adjacency))
    degrees = with_loops.sum(axis=1)
    Z = (with_loops / np.sqrt(np.outer(degrees, degrees))) @ features
    length = np.linalg.norm(Z, axis=1)
    z = np.divide(Z, length[:, None], out=np.zeros_like(Z), where=length[:, None] > 0)
    cosine = np.clip(z @ z.T, -1.0, 1.0)
    cosine[cosine > 1 - 1e-12] = 1.0
    return cosine * (np.pi - np.arccos(cosine)) / (2 * np.pi)


def oracle_gkc(adjacency: np.ndarray, features: np.ndarray, codes: np.ndarray, ridge: float) -> float:
    """Equation 5 with the ridge."""
    H = oracle_gram(adjacency, features) + ridge * np.eye(len(adjacency))
    return float(2.0 * np.sum(codes * np.linalg.solve(H, codes)) / len(H))


def oracle_changes(graph, codes: np.ndarray, ridge: float) -> np.ndarray:  # type: ignore[no-untyped-def]
    """``GKC(G) − GKC(G−e)`` for every edge, by Algorithm 1."""
    features = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    adjacency = graph.adjacency.toarray()
    base = oracle_gkc(adjacency, features, codes, ridge)
    changes = []
    for i, j in graph.edges:
        without = adjacency.copy()
        without[i, j] = without[j, i] = 0.0
        changes.append(base - oracle_gkc(without, features, codes, ridge))
    return np.array(changes)
