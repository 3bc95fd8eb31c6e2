"""Inner products between the hops of sparse features, along the stored entries: no row of T²X is kept.

With the rows of one node i spread over the columns, ``x_k = ⟨X_k, ·⟩`` costs the entries of k, ``y_l = Σ_k T_lk x_k``
is the product with Z_l, and ``Σ_l T_jl y_l`` that with S_j. Both are remembered while i is the source, so that one
source costs at most the entries of T and of X together, and on a local graph only what lies within three steps.

Centring is a rank-one correction. What is left of a row that the mean cancels to rounding is zero.
"""

from __future__ import annotations

import numba
import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.kernel import propagation
from kces.progress import Progress, silent
from kces.scorers.centred_features import NOTHING, CentredFeatures, chunks
from kces.scorers.dense_hops import HopProducts
from kces.scorers.pairs_by_source import PairsBySource
from kces.types import Array, Ints

__all__ = ["sparse_products", "sparse_visits"]

_SOURCE_BLOCKS = 20
"""Parts in which progress is told."""


def sparse_visits(T: sp.csr_array, entries: Ints, groups: PairsBySource) -> float:
    """At most so many neighbors and stored entries are visited.

    Parameters
    ----------
    T : propagation matrix.
    entries : (N,) stored entries of each node.
    groups : the pairs.
    """
    pattern = sp.csr_array((np.ones(T.nnz), T.indices, T.indptr), shape=T.shape)
    within_two = pattern @ (np.diff(T.indptr) + pattern @ entries.astype(np.float64))
    counts = np.diff(groups.starts)
    asked = np.bincount(np.repeat(np.arange(len(counts)), counts), within_two[groups.targets], len(counts))
    return float((np.minimum(asked, T.nnz + entries.sum()) + within_two[groups.sources]).sum())


def sparse_products(
    graph: Graph, features: CentredFeatures, pairs: Ints, groups: PairsBySource, progress: Progress = silent
) -> HopProducts:
    """Products from the stored entries.

    Parameters
    ----------
    graph, features : sparse features.
    pairs : (P, 2) without repeats; all edges at an end of a pair are among them, products at nodes follow from those.
    groups : the same pairs by source.
    progress : told about each part of the sources.
    """
    T, X = propagation(graph), sp.csr_array(features.without_empty_columns().matrix)
    at_pairs = _uncentred(T, X, groups, progress)
    at_nodes = _at_nodes(T, X, pairs, at_pairs)
    mean, present = features.mean, features.present
    along = _hops(T, features.matrix @ mean)
    masses = _hops(T, present)
    square = float(mean @ mean)
    sizes = np.einsum("naa->na", at_nodes) + square * masses**2
    _centre(at_pairs, along, masses, square, pairs)
    _centre(at_nodes, along, masses, square, np.repeat(np.arange(graph.n_nodes)[:, None], 2, axis=1))
    for a in range(3):
        at_nodes[:, a, a] = np.where(at_nodes[:, a, a] > NOTHING * sizes[:, a], at_nodes[:, a, a], 0.0)
    return HopProducts(at_nodes, sizes, at_pairs)


def _hops(T: sp.csr_array, vector: Array) -> Array:
    """``(N, 3)``: the vector, T times it and T² times it."""
    once = T @ vector
    return np.stack([vector, once, T @ once], axis=1)


def _uncentred(T: sp.csr_array, X: sp.csr_array, groups: PairsBySource, progress: Progress) -> Array:
    n, threads = T.shape[0], numba.get_num_threads()
    work = (
        np.zeros((threads, X.shape[1], 4)),
        np.zeros((threads, n)),
        np.empty((threads, n), dtype=np.int64),
        np.full((threads, n, 4), -1.0),
        np.full((threads, n, 4), -1.0),
    )
    n_sources, n_pairs = len(groups.sources), len(groups.targets)
    found = np.empty((n_pairs, 3, 3))
    matrices = (T.indptr, T.indices, T.data, X.indptr, X.indices, X.data)
    numbered = _only_numbers(X)
    for part in chunks(n_sources, -(-n_sources // _SOURCE_BLOCKS)) if n_sources else ():
        progress("compare ends of edges", part.start, n_sources)
        starts = groups.starts[part.start : part.stop + 1]
        _follow(matrices, numbered, groups.sources[part], starts, groups.targets, work, found)
    progress("compare ends of edges", n_sources, n_sources)
    ordered = np.empty_like(found)
    ordered[groups.order] = found
    ordered[groups.swapped] = ordered[groups.swapped].transpose(0, 2, 1)
    return ordered


def _only_numbers(X: sp.csr_array) -> bool:
    """Whether features are the identity: products with a row of X are then the spread rows themselves."""
    one_each = np.array_equal(X.indptr, np.arange(X.shape[0] + 1))
    return one_each and np.array_equal(X.indices, np.arange(X.shape[0])) and bool((X.data == 1.0).all())


def _at_nodes(T: sp.csr_array, X: sp.csr_array, pairs: Ints, at_pairs: Array) -> Array:
    """``⟨·, Z_i⟩ = Σ_l T_il ⟨·, X_l⟩`` and ``⟨·, S_i⟩ = Σ_l T_il ⟨·, Z_l⟩``, over the edges of i and i itself."""
    n = T.shape[0]
    first, second = pairs.T
    step = np.where(first < second, np.asarray(T[first, second]).ravel(), 0.0)
    own = T.diagonal()
    nodes = np.zeros((n, 3, 3))
    nodes[:, 0, 0] = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    for a, b in ((0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        forth, back = step * at_pairs[:, a, b - 1], step * at_pairs[:, b - 1, a]
        others = np.bincount(first, forth, n) + np.bincount(second, back, n)
        nodes[:, a, b] = nodes[:, b, a] = own * nodes[:, a, b - 1] + others
    return nodes


def _centre(products: Array, along: Array, masses: Array, square: float, pairs: Ints) -> None:
    """Take the mean's part out of products between rows ``r − p m``, in place."""
    first, second = pairs.T
    for a, b in np.ndindex(3, 3):
        mass_a, mass_b = masses[first, a], masses[second, b]
        products[:, a, b] -= mass_b * along[first, a] + mass_a * along[second, b] - square * mass_a * mass_b


@numba.njit(parallel=True, cache=True)
def _follow(matrices, numbered, sources, starts, targets, work, found):  # type: ignore[no-untyped-def]
    """Products of each source with its targets; a source's work is its thread's own."""
    spread, weights, touched, plain, smooth = work
    threads = len(spread)
    for thread in numba.prange(threads):
        rows, near = spread[thread], smooth[thread]
        own = rows if numbered else plain[thread]
        for s in range(thread, len(sources), threads):
            i = sources[s]
            n_touched = _spread(matrices, i, rows, weights[thread], touched[thread])
            for p in range(starts[s], starts[s + 1]):
                _products(matrices, numbered, i, targets[p], rows, own, near, found, p)
            _clear(matrices, rows, touched[thread, :n_touched])


@numba.njit(cache=True)
def _spread(matrices, i, spread, weights, touched):  # type: ignore[no-untyped-def]
    """Rows X_i, Z_i, S_i into the columns of ``spread``; how many nodes they come from, listed in ``touched``."""
    indptr, indices, values, x_indptr, x_indices, x_values = matrices
    count = 0
    for p in range(indptr[i], indptr[i + 1]):
        near = indices[p]
        for q in range(indptr[near], indptr[near + 1]):
            k = indices[q]
            if weights[k] == 0.0:
                touched[count] = k
                count += 1
            weights[k] += values[p] * values[q]
        for e in range(x_indptr[near], x_indptr[near + 1]):
            spread[x_indices[e], 1] += values[p] * x_values[e]
    for k in touched[:count]:
        for e in range(x_indptr[k], x_indptr[k + 1]):
            spread[x_indices[e], 2] += weights[k] * x_values[e]
        weights[k] = 0.0
    for e in range(x_indptr[i], x_indptr[i + 1]):
        spread[x_indices[e], 0] += x_values[e]
    return count


@numba.njit(cache=True)
def _clear(matrices, spread, touched):  # type: ignore[no-untyped-def]
    x_indptr, x_indices = matrices[3], matrices[4]
    for k in touched:
        for e in range(x_indptr[k], x_indptr[k + 1]):
            spread[x_indices[e]] = 0.0


@numba.njit(cache=True, inline="always")
def _products(matrices, numbered, i, j, spread, plain, smooth, found, pair):  # type: ignore[no-untyped-def]
    """Nine products of the spread rows of i with X_j, Z_j and S_j."""
    indptr, indices, values = matrices[:3]
    x = z = s = 0.0
    for p in range(indptr[j], indptr[j + 1]):
        near = indices[p]
        if smooth[near, 3] != i:
            _ask_smooth(matrices, numbered, i, near, spread, plain, smooth)
        x += values[p] * smooth[near, 0]
        z += values[p] * smooth[near, 1]
        s += values[p] * smooth[near, 2]
    for a in range(3):  # T has its diagonal: j has been asked with its neighbors
        found[pair, a, 0], found[pair, a, 1] = plain[j, a], smooth[j, a]
    found[pair, 0, 2], found[pair, 1, 2], found[pair, 2, 2] = x, z, s


@numba.njit(cache=True, inline="always")
def _ask_smooth(matrices, numbered, i, node, spread, plain, found):  # type: ignore[no-untyped-def]
    """Products of the spread rows of i with Z of ``node``; the fourth number says whose they are."""
    indptr, indices, values = matrices[:3]
    x = z = s = 0.0
    for p in range(indptr[node], indptr[node + 1]):
        k = indices[p]
        if not numbered and plain[k, 3] != i:
            _ask_plain(matrices, i, k, spread, plain)
        x += values[p] * plain[k, 0]
        z += values[p] * plain[k, 1]
        s += values[p] * plain[k, 2]
    found[node, 0], found[node, 1], found[node, 2], found[node, 3] = x, z, s, i


@numba.njit(cache=True, inline="always")
def _ask_plain(matrices, i, node, spread, found):  # type: ignore[no-untyped-def]
    """Products of the spread rows of i with X of ``node``."""
    x_indptr, x_indices, x_values = matrices[3:]
    x = z = s = 0.0
    for e in range(x_indptr[node], x_indptr[node + 1]):
        column = x_indices[e]
        x += x_values[e] * spread[column, 0]
        z += x_values[e] * spread[column, 1]
        s += x_values[e] * spread[column, 2]
    found[node, 0], found[node, 1], found[node, 2], found[node, 3] = x, z, s, i
