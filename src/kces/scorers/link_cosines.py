"""How alike the two ends of a pair are at several hops, on the graph without their own link.

With ``t = T_ij``, ``Z = TX`` and ``S = T²X``, cutting the link (degrees kept) turns the rows of i into ``Z_i − t X_j``
and ``S_i − t (Z_j + T_ii X_j)``, and those of j likewise: all inner products follow from those of X, Z and S at the
pair, and no row is ever formed.
"""

from __future__ import annotations

import numpy as np

from kces.graph import Graph
from kces.node_pairs import are_edges
from kces.progress import Progress, silent
from kces.scorers.centred_features import NOTHING, CentredFeatures, chunks
from kces.scorers.hop_products import hop_products
from kces.types import Array, Features, Ints

__all__ = ["HOPS", "leave_edge_out_cosines"]

HOPS: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (0, 2), (2, 2))
"""Which hops are compared. Own features against a neighbourhood (0, q) is what an attacker controls least; (2, 2)
is the only view left when features merely number the nodes."""

_PAIR_BLOCK = 8_192


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
    cut = are_edges(graph, pairs) & leave_out
    cosines = np.empty((len(pairs), len(HOPS)))
    for chunk in chunks(len(pairs), _PAIR_BLOCK):
        first, second = pairs[chunk].T
        both = _both_ends(products.at_nodes[first], products.at_nodes[second], products.at_pairs[chunk])
        sizes = np.hstack([products.sizes[first], products.sizes[second]])
        step = cut[chunk] / np.sqrt(graph.degrees[first] * graph.degrees[second])
        rows = _without_link(step, 1.0 / graph.degrees[first], 1.0 / graph.degrees[second])
        cosines[chunk] = _cosines(both, sizes, *rows)
    return cosines


def _both_ends(first: Array, second: Array, between: Array) -> Array:
    """``(P, 6, 6)`` Gram matrices of the rows X_i, Z_i, S_i, X_j, Z_j, S_j."""
    both = np.empty((len(between), 6, 6))
    both[:, :3, :3], both[:, 3:, 3:] = first, second
    both[:, :3, 3:], both[:, 3:, :3] = between, between.transpose(0, 2, 1)
    return both


def _without_link(step: Array, own_first: Array, own_second: Array) -> tuple[Array, Array]:
    """``(P, 3, 6)`` coefficients of the three rows of i, and of j, in the basis of :func:`_both_ends`."""
    first, second = np.zeros((2, len(step), 3, 6))
    first[:, range(3), range(3)] = second[:, range(3), range(3, 6)] = 1.0
    first[:, 1, 3] = first[:, 2, 4] = second[:, 1, 0] = second[:, 2, 1] = -step
    first[:, 2, 3], second[:, 2, 0] = -step * own_first, -step * own_second
    return first, second


def _cosines(both: Array, sizes: Array, first: Array, second: Array) -> Array:
    lengths = [_lengths(rows, both, sizes) for rows in (first, second)]
    products = first @ both @ second.transpose(0, 2, 1)
    scale = lengths[0][:, :, None] * lengths[1][:, None, :]
    table = np.divide(products, scale, out=np.zeros_like(products), where=scale > 0)
    averaged = (table + table.transpose(0, 2, 1)) / 2.0
    return np.stack([averaged[:, p, q] for p, q in HOPS], axis=1)


def _lengths(rows: Array, both: Array, sizes: Array) -> Array:
    """Lengths of the rows; what is left of a row that cancels to rounding counts as zero."""
    squares = np.einsum("pra,pab,prb->pr", rows, both, rows, optimize=True)
    scale = np.sqrt(np.maximum(sizes, 0.0))
    largest = np.einsum("pra,pa->pr", np.abs(rows), scale) ** 2
    return np.sqrt(np.where(squares > np.maximum(NOTHING * largest, NOTHING**2), squares, 0.0))
