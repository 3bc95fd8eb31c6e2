"""Inner products between the hops of sparse features, one source after another, along the stored entries.

With the rows of one node i spread over the columns, ``x_k = ⟨X_k, ·⟩`` costs the entries of k, ``y_l = Σ_k T_lk x_k``
is the product with Z_l, and ``Σ_l T_jl y_l`` that with S_j. Both are remembered while i is the source, so that one
source costs at most the entries of T and of X together, and on a local graph only what lies within three steps.
"""

from __future__ import annotations

import numba
import numpy as np
import scipy.sparse as sp

from kces.progress import Progress, silent
from kces.scorers.centered_features import chunks
from kces.scorers.pairs_by_source import PairsBySource
from kces.types import Array, Ints

__all__ = ["followed_visits", "products_by_following", "squares_by_following"]

_SOURCE_BLOCKS = 20
"""Parts in which progress is told."""


def followed_visits(T: sp.csr_array, entries: Ints, groups: PairsBySource) -> float:
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


def products_by_following(
    T: sp.csr_array, X: sp.csr_array, groups: PairsBySource, progress: Progress = silent
) -> Array:
    """(P, 3, 3) uncentered products of the sources' rows with the targets', in the order of ``groups``."""
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
    return found


def squares_by_following(T: sp.csr_array, X: sp.csr_array) -> Array:
    """(N,) uncentered squared lengths of the rows of S."""
    n, threads = T.shape[0], numba.get_num_threads()
    work = (
        np.zeros((threads, X.shape[1], 4)),
        np.zeros((threads, n)),
        np.empty((threads, n), dtype=np.int64),
    )
    squares = np.empty(n)
    _square((T.indptr, T.indices, T.data, X.indptr, X.indices, X.data), work, squares)
    return squares


def _only_numbers(X: sp.csr_array) -> bool:
    """Whether features are the identity: products with a row of X are then the spread rows themselves."""
    one_each = np.array_equal(X.indptr, np.arange(X.shape[0] + 1))
    return one_each and np.array_equal(X.indices, np.arange(X.shape[0])) and bool((X.data == 1.0).all())


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


@numba.njit(parallel=True, cache=True)
def _square(matrices, work, squares):  # type: ignore[no-untyped-def]
    x_indptr, x_indices = matrices[3], matrices[4]
    spread, weights, touched = work
    threads = len(spread)
    for thread in numba.prange(threads):
        rows = spread[thread]
        for i in range(thread, len(squares), threads):
            n_touched = _spread(matrices, i, rows, weights[thread], touched[thread])
            total = 0.0
            for k in touched[thread, :n_touched]:
                for e in range(x_indptr[k], x_indptr[k + 1]):
                    row = rows[x_indices[e]]
                    total += row[2] * row[2]
                    row[:] = 0.0  # counted: another node with this column adds nothing
            squares[i] = total


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
