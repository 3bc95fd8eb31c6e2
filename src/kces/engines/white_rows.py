"""White rows: changed rows of the kernel times ``L⁻ᵀ``, made by all threads, a few at a time.

Each thread's products are its own, BLAS included: their rounding does not depend on the number of threads, and no
thread waits for another's by spinning.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from kces.engines.changed_rows import Changed, Unchanged, fill_differences, fill_moved, row_formulas
from kces.threads import thread_count
from kces.types import Array, Ints, Singles

__all__ = ["DistinctRows", "distinct_rows", "moved_forms", "whiten"]

_CHUNK, _PANEL = 512, 256
"""Rows and columns of a product with the whitener."""
_EDGES = 64
"""Edges whose rows in double precision are made together."""


class DistinctRows(NamedTuple):
    """Distinct changed rows of the kernel.

    With R (rows, N) for ``k(z'_k·z_r) − k(z_k·z_r)`` of every node r, as if r itself did not change:

    Attributes
    ----------
    white : (rows, N), R times the whitener, in the precision of that.
    Ra : (rows, columns), R a.
    number : (L,), which of these rows each changed row is.
    """

    white: Array | Singles
    Ra: Array
    number: Ints


def distinct_rows(kernel: Unchanged, changed: Changed, edges: Ints, room: Array) -> DistinctRows:
    """The distinct changed rows of ``edges`` (e,), white; they are written into ``room``, any array large enough."""
    positions = changed.positions(edges)
    _, first, local = np.unique(changed.row[positions], return_index=True, return_inverse=True)
    number = np.zeros(len(changed.row), dtype=np.int64)
    number[positions] = local
    formulas = row_formulas(changed, positions[first], np.repeat(edges, changed.sizes(edges))[first])
    whitener = kernel.white
    white = room.view(whitener.dtype)[: len(first) * len(whitener)].reshape(len(first), len(whitener))
    Ra = np.empty((len(first), kernel.a.shape[1]))

    def make(start: int, stop: int) -> None:
        fill_differences(kernel, formulas, start, stop, white, Ra)
        whiten(white[start:stop], whitener)

    _side_by_side(make, len(first), _CHUNK)
    return DistinctRows(white, Ra, number)


def moved_forms(kernel: Unchanged, changed: Changed, edges: Ints, at_nodes: Array, at_rows: Array) -> Array:
    """``v P vᵀ`` of ``edges`` (e,) in double precision, with ``v = E_Sᵀ p + Rᵀ q`` and their p and q one edge behind
    the other; (e,)."""
    formulas = row_formulas(changed, changed.positions(edges), np.repeat(edges, changed.sizes(edges)))
    start = np.concatenate([[0], np.cumsum(changed.sizes(edges))])
    forms = np.empty(len(edges))

    def make(first: int, last: int) -> None:
        moved = np.empty((last - first, len(kernel.H)))
        fill_moved(kernel, formulas, start[first : last + 1], at_nodes, at_rows, moved)
        whiten(moved, kernel.whitener)
        forms[first:last] = np.einsum("er,er->e", moved, moved)

    _side_by_side(make, len(edges), _EDGES)
    return forms


def whiten(rows: Any, whitener: Any) -> None:
    """``rows @ whitener`` in its place and precision, but for the zeros below the diagonal, panel by panel.

    numpy's products let other threads run, those of ``scipy.linalg.blas`` do not.

    >>> rows = np.array([[1.0, 2.0]])
    >>> whiten(rows, np.array([[2.0, 1.0], [0.0, 3.0]]))
    >>> rows.tolist()
    [[2.0, 7.0]]
    """
    for start in reversed(range(0, len(whitener), _PANEL)):  # a panel needs the rows of those before it as they were
        own, above = slice(start, start + _PANEL), slice(start + _PANEL)
        rows[:, own] = rows[:, above] @ whitener[above, own]


def _side_by_side(make: Callable[[int, int], None], size: int, chunk: int) -> None:
    """Call ``make`` for all ranges of at most ``chunk``, on all threads, with BLAS on one each."""
    starts = range(0, size, chunk)
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(thread_count()) as pool:
        for _ in pool.map(lambda start: make(start, min(start + chunk, size)), starts):
            pass
