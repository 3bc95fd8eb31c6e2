"""Inner products between the hops of sparse features, eight sources at a time.

Where three steps reach most of the graph, following one source after another visits every entry of T and X once per
source. Here eight sources share a visit: with their rows of X, Z and S spread over the columns (Y, 8 numbers per hop
and column), ``X Y`` holds the products with every row of X, T times it those with Z, and a row of T times that the one
with S. An entry is loaded once and multiplied eight times, in registers.
"""

from __future__ import annotations

import numba
import numpy as np
import scipy.sparse as sp

from kces.progress import Progress, silent
from kces.scorers.centered_features import chunks
from kces.scorers.pairs_by_source import PairsBySource
from kces.types import Array, Ints

__all__ = ["block_multiplications", "products_by_blocks", "squares_by_blocks"]

SOURCES = 8
"""Sources that share a visit: eight double-precision numbers are one line of the cache. Unrolled in :func:`_times`."""
_PARTS = 20
"""Parts in which progress is told."""


def block_multiplications(T: sp.csr_array, entries: Ints, n_columns: int, n_sources: int) -> float:
    """Multiplications of :func:`products_by_blocks`: three hops through T and X, X once more to spread T², and two
    passes over the rows that are kept.

    Parameters
    ----------
    T : propagation matrix.
    entries : (N,) stored entries of each node.
    n_columns : of the features.
    n_sources : nodes whose products are asked for.
    """
    stored = float(entries.sum())
    kept = 2.0 * T.shape[0] + min(float(n_columns), stored)
    return float(n_sources) * (3.0 * T.nnz + 4.0 * stored + 6.0 * kept)


def products_by_blocks(T: sp.csr_array, X: sp.csr_array, groups: PairsBySource, progress: Progress = silent) -> Array:
    """(P, 3, 3) uncentered products of the sources' rows with the targets', in the order of ``groups``."""
    found = np.empty((len(groups.targets), 3, 3))
    n_sources, threads = len(groups.sources), numba.get_num_threads()
    work = (
        np.zeros((threads, T.shape[0], SOURCES)),
        np.zeros((threads, 3, X.shape[1], SOURCES)),
        np.empty((threads, 3, T.shape[0], SOURCES)),
        np.empty((threads, 3, T.shape[0], SOURCES)),
    )
    by_column = X.tocsc()
    matrices = tuple((each.indptr, each.indices, each.data) for each in (T, X, by_column))
    width = SOURCES * -(-n_sources // (SOURCES * _PARTS))
    for part in chunks(n_sources, width) if n_sources else ():
        progress("compare ends of edges", part.start, n_sources)
        starts = groups.starts[part.start : part.stop + 1]
        _products(matrices, groups.sources[part], starts, groups.targets, work, found)
    progress("compare ends of edges", n_sources, n_sources)
    return found


def squares_by_blocks(T: sp.csr_array, X: sp.csr_array) -> Array:
    """(N,) uncentered squared lengths of the rows of S."""
    n, threads = T.shape[0], numba.get_num_threads()
    by_column = X.tocsc()
    squares = np.empty(n)
    work = (np.zeros((threads, n, SOURCES)), np.empty((threads, X.shape[1], SOURCES)))
    matrices = tuple((each.indptr, each.indices, each.data) for each in (T, by_column))
    _squares(matrices, work, squares)
    return squares


@numba.njit(parallel=True, cache=True)
def _squares(matrices, work, squares):  # type: ignore[no-untyped-def]
    T, by_column = matrices
    weights, columns = work
    threads, n = len(weights), len(squares)
    for thread in numba.prange(threads):
        for first in range(thread * SOURCES, n, threads * SOURCES):
            last = min(first + SOURCES, n)
            weights[thread] = 0.0
            for i in range(first, last):
                _add_two_steps(T, i, i - first, weights[thread])
            _times(by_column, weights[thread], columns[thread])
            for i in range(first, last):
                total = 0.0
                for column in range(columns.shape[1]):
                    total += columns[thread, column, i - first] ** 2
                squares[i] = total


@numba.njit(parallel=True, cache=True)
def _products(matrices, sources, starts, targets, work, found):  # type: ignore[no-untyped-def]
    """Each block's work is its thread's own, so that the sums do not depend on the threads."""
    T, X, by_column = matrices
    weights, columns, plain, smooth = work
    threads, n_blocks = len(weights), -(-len(sources) // SOURCES)
    for thread in numba.prange(threads):
        for block in range(thread, n_blocks, threads):
            first = block * SOURCES
            last = min(first + SOURCES, len(sources))
            _spread(T, X, by_column, sources[first:last], weights[thread], columns[thread])
            for hop in range(3):
                _times(X, columns[thread, hop], plain[thread, hop])
                _times(T, plain[thread, hop], smooth[thread, hop])
            for s in range(first, last):
                for p in range(starts[s], starts[s + 1]):
                    _read_pair(T, s - first, targets[p], plain[thread], smooth[thread], found[p])


@numba.njit(cache=True)
def _spread(T, X, by_column, sources, weights, columns):  # type: ignore[no-untyped-def]
    """Rows of X, Z and S of the sources, over the columns."""
    indptr, indices, values = T
    weights[:] = 0.0
    columns[:2] = 0.0
    for lane in range(len(sources)):
        i = sources[lane]
        _add_row(X, i, 1.0, lane, columns[0])
        for p in range(indptr[i], indptr[i + 1]):
            _add_row(X, indices[p], values[p], lane, columns[1])
        _add_two_steps(T, i, lane, weights)
    _times(by_column, weights, columns[2])


@numba.njit(cache=True)
def _add_two_steps(T, i, lane, weights):  # type: ignore[no-untyped-def]
    """Row i of T², into a lane."""
    indptr, indices, values = T
    for p in range(indptr[i], indptr[i + 1]):
        near = indices[p]
        for q in range(indptr[near], indptr[near + 1]):
            weights[indices[q], lane] += values[p] * values[q]


@numba.njit(cache=True, inline="always")
def _add_row(X, node, weight, lane, columns):  # type: ignore[no-untyped-def]
    indptr, indices, values = X
    for e in range(indptr[node], indptr[node + 1]):
        columns[indices[e], lane] += weight * values[e]


@numba.njit(cache=True, fastmath={"contract"})
def _times(matrix, rows, out):  # type: ignore[no-untyped-def]
    """Sparse matrix times eight columns; eight sums by name, so that they stay in registers."""
    indptr, indices, values = matrix
    for k in range(len(out)):
        a = b = c = d = e = f = g = h = 0.0
        for p in range(indptr[k], indptr[k + 1]):
            value, at = values[p], indices[p]
            a += value * rows[at, 0]
            b += value * rows[at, 1]
            c += value * rows[at, 2]
            d += value * rows[at, 3]
            e += value * rows[at, 4]
            f += value * rows[at, 5]
            g += value * rows[at, 6]
            h += value * rows[at, 7]
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = a, b, c, d
        out[k, 4], out[k, 5], out[k, 6], out[k, 7] = e, f, g, h


@numba.njit(cache=True)
def _read_pair(T, lane, j, plain, smooth, found):  # type: ignore[no-untyped-def]
    """Nine products of the source in this lane with X, Z and S of node j."""
    indptr, indices, values = T
    for hop in range(3):
        total = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            total += values[p] * smooth[hop, indices[p], lane]
        found[hop, 0], found[hop, 1], found[hop, 2] = plain[hop, j, lane], smooth[hop, j, lane], total
