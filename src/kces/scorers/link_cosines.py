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
from kces.scorers.centered_features import NOTHING, CenteredFeatures, chunks
from kces.scorers.hop_products import hop_products
from kces.types import Array, Features, Ints

__all__ = ["HOPS", "cosines_from_products", "leave_edge_out_cosines"]

HOPS: tuple[tuple[int, int], ...] = ((0, 0), (0, 1), (0, 2), (2, 2))
"""Which hops are compared. Own features against a neighborhood (0, q) is what an attacker controls least; (2, 2)
is the only view left when features merely number the nodes."""

_PAIR_BLOCK = 2_048
"""So many pairs at a time stay in the processor's cache."""


def leave_edge_out_cosines(
    graph: Graph,
    features: Features | CenteredFeatures,
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
    source = features if isinstance(features, CenteredFeatures) else CenteredFeatures(features)
    products = hop_products(graph, source, pairs, progress)
    first, second = pairs.T
    step = (are_edges(graph, pairs) & leave_out) / np.sqrt(graph.degrees[first] * graph.degrees[second])
    return cosines_from_products(pairs, step, graph.degrees, products.at_nodes, products.sizes, products.at_pairs)


def cosines_from_products(
    pairs: Ints, step: Array, degrees: Array, at_nodes: Array, sizes: Array, at_pairs: Array
) -> Array:
    """(P, 4) cosines from inner products alone; ``step`` is the entry of T that is cut, 0 to keep it."""
    found, bounds = np.empty((len(pairs), 4)), np.sqrt(np.maximum(sizes, 0.0))
    for chunk in chunks(len(pairs), _PAIR_BLOCK):
        (i, j), t = pairs[chunk].T, step[chunk]
        ours, theirs, between = _by_hop(at_nodes[i]), _by_hop(at_nodes[j]), _by_hop(at_pairs[chunk])
        across = between.swapaxes(0, 1)
        u, v = t / degrees[i], t / degrees[j]  # t T_ii and t T_jj
        x_i, z_i, s_i = _lengths(t, u, ours, theirs, between, bounds[i].T, bounds[j].T)
        x_j, z_j, s_j = _lengths(t, v, theirs, ours, across, bounds[j].T, bounds[i].T)
        with_z_j, with_s_j = _own_against_wider(t, v, ours, between)
        with_z_i, with_s_i = _own_against_wider(t, u, theirs, across)
        found[chunk, 0] = _ratio(between[0, 0], x_i * x_j)
        found[chunk, 1] = 0.5 * (_ratio(with_z_j, x_i * z_j) + _ratio(with_z_i, x_j * z_i))
        found[chunk, 2] = 0.5 * (_ratio(with_s_j, x_i * s_j) + _ratio(with_s_i, x_j * s_i))
        found[chunk, 3] = _ratio(_wider_against_wider(t, u, v, ours, theirs, between), s_i * s_j)
    return found


def _by_hop(products: Array) -> Array:
    """``(P, 3, 3)`` products as ``(3, 3, P)``, so that those of one kind lie side by side."""
    return np.ascontiguousarray(products.transpose(1, 2, 0))


def _ratio(product: Array, lengths: Array) -> Array:
    return np.divide(product, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)


def _own_against_wider(t: Array, v: Array, ours: Array, between: Array) -> tuple[Array, Array]:
    """``X_i`` with ``Z_j − t X_i`` and with ``S_j − t Z_i − v X_i``."""
    return between[0, 1] - t * ours[0, 0], between[0, 2] - t * ours[0, 1] - v * ours[0, 0]


def _wider_against_wider(t: Array, u: Array, v: Array, ours: Array, theirs: Array, between: Array) -> Array:
    """``S_i − t Z_j − u X_j`` with ``S_j − t Z_i − v X_i``."""
    with_s = between[2, 2] - t * ours[2, 1] - v * ours[2, 0]
    with_z = theirs[1, 2] - t * between[1, 1] - v * between[0, 1]
    with_x = theirs[0, 2] - t * between[1, 0] - v * between[0, 0]
    return with_s - t * with_z - u * with_x


def _lengths(
    t: Array, u: Array, ours: Array, theirs: Array, between: Array, own_bounds: Array, other_bounds: Array
) -> tuple[Array, Array, Array]:
    """Of ``X_i``, ``Z_i − t X_j`` and ``S_i − t Z_j − u X_j``."""
    with_x = t * theirs[0, 0]
    z = ours[1, 1] - t * (2.0 * between[1, 0] - with_x)
    s = ours[2, 2] - 2.0 * (t * between[2, 1] + u * between[2, 0])
    s += t * t * theirs[1, 1] + u * (2.0 * t * theirs[0, 1] + u * theirs[0, 0])
    largest_z = own_bounds[1] + t * other_bounds[0]
    largest_s = own_bounds[2] + t * other_bounds[1] + u * other_bounds[0]
    return _length(ours[0, 0], own_bounds[0]), _length(z, largest_z), _length(s, largest_s)


def _length(square: Array, largest: Array) -> Array:
    """What is left of a row that cancels to rounding counts as zero."""
    return np.sqrt(np.where(square > np.maximum(NOTHING * largest * largest, NOTHING**2), square, 0.0))
