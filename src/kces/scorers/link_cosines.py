"""How alike the two ends of a pair are at several hops, on the graph without their own link.

With ``t = T_ij``, ``Z = TX`` and ``S = T²X``, cutting the link (degrees kept) turns the rows of i into ``Z_i − t X_j``
and ``S_i − t (Z_j + T_ii X_j)``, and those of j likewise: all inner products follow from those of X, Z and S at the
pair, and no row is ever formed.
"""

from __future__ import annotations

import numba
import numpy as np

from kces.graph import Graph
from kces.node_pairs import are_edges
from kces.progress import Progress, silent
from kces.scorers.centred_features import NOTHING, CentredFeatures
from kces.scorers.hop_products import hop_products
from kces.types import Array, Features, Ints

__all__ = ["HOPS", "leave_edge_out_cosines"]

HOPS: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (0, 2), (2, 2))
"""Which hops are compared. Own features against a neighbourhood (0, q) is what an attacker controls least; (2, 2)
is the only view left when features merely number the nodes."""


def leave_edge_out_cosines(
    graph: Graph,
    features: Features | CentredFeatures,
    pairs: Ints,
    *,
    leave_out: bool = True,
    progress: Progress = silent,
) -> Array:
    """(P, 4) cosines of the ends of ``pairs`` at :data:`HOPS`, with the pair's own entry of T set to zero.

    A pair that is not linked has t = 0. ``c_pq`` and ``c_qp`` are averaged; the cosine with a zero row is 0.
    ``leave_out=False`` keeps the link, for comparison.

    >>> from kces.datasets.toys import path
    >>> graph = path(2)
    >>> cosines = leave_edge_out_cosines(graph, graph.features, graph.edges)
    >>> bool(np.allclose(cosines, cosines[0, 0]))  # without their only edge both nodes are just themselves
    True
    """
    source = features if isinstance(features, CentredFeatures) else CentredFeatures(features)
    products = hop_products(graph, source, pairs, progress)
    first, second = pairs.T
    step = (are_edges(graph, pairs) & leave_out) / np.sqrt(graph.degrees[first] * graph.degrees[second])
    return _cosines(
        np.ascontiguousarray(pairs), step, graph.degrees, products.at_nodes, products.sizes, products.at_pairs
    )


@numba.njit(parallel=True, cache=True)
def _cosines(pairs: Ints, step: Array, degrees: Array, at_nodes: Array, sizes: Array, at_pairs: Array) -> Array:
    found = np.empty((len(pairs), 4))
    for p in numba.prange(len(pairs)):
        i, j = pairs[p]
        both = _both_ends(at_nodes[i], at_nodes[j], at_pairs[p])
        size = np.concatenate((sizes[i], sizes[j]))
        first = _without_link(step[p], 1.0 / degrees[i], 0)
        second = _without_link(step[p], 1.0 / degrees[j], 3)
        lengths = _lengths(first, both, size), _lengths(second, both, size)
        for column, (a, b) in enumerate(HOPS):
            forth = _cosine(first[a], second[b], both, lengths[0][a] * lengths[1][b])
            back = _cosine(first[b], second[a], both, lengths[0][b] * lengths[1][a])
            found[p, column] = (forth + back) / 2.0
    return found


@numba.njit(cache=True)
def _both_ends(first: Array, second: Array, between: Array) -> Array:
    """``(6, 6)`` Gram matrix of the rows X_i, Z_i, S_i, X_j, Z_j, S_j."""
    both = np.empty((6, 6))
    both[:3, :3], both[3:, 3:] = first, second
    both[:3, 3:], both[3:, :3] = between, between.T
    return both


@numba.njit(cache=True)
def _without_link(step: float, own: float, offset: int) -> Array:
    """``(3, 6)`` coefficients of the rows of an end, whose rows begin at ``offset`` in :func:`_both_ends`."""
    rows, other = np.zeros((3, 6)), 3 - offset
    for hop in range(3):
        rows[hop, offset + hop] = 1.0
    rows[1, other] = rows[2, other + 1] = -step
    rows[2, other] = -step * own
    return rows


@numba.njit(cache=True)
def _product(left: Array, right: Array, both: Array) -> float:
    total = 0.0
    for a in range(6):
        if left[a] != 0.0:
            for b in range(6):
                total += left[a] * both[a, b] * right[b]
    return total


@numba.njit(cache=True)
def _cosine(left: Array, right: Array, both: Array, scale: float) -> float:
    return _product(left, right, both) / scale if scale > 0.0 else 0.0


@numba.njit(cache=True)
def _lengths(rows: Array, both: Array, sizes: Array) -> Array:
    """Lengths of the rows; what is left of a row that cancels to rounding counts as zero."""
    lengths = np.zeros(3)
    for r in range(3):
        square, largest = _product(rows[r], rows[r], both), 0.0
        for a in range(6):
            largest += abs(rows[r, a]) * np.sqrt(max(sizes[a], 0.0))
        if square > max(NOTHING * largest**2, NOTHING**2):
            lengths[r] = np.sqrt(square)
    return lengths
