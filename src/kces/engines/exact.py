"""The exact engine: the change of GKC for every edge without refactoring H.

With ``Δ = H' − H``, zero outside the rows and columns ``S``, let ``B = Δ[S, :]`` with its S columns halved. Then
``Δ = E_S B + Bᵀ E_Sᵀ`` has rank 2|S|, and by Woodbury's identity with ``P = (H + λI)⁻¹`` and ``a = P y``

    ``GKC(G) − GKC(G−ij) = (2/N) uᵀ M⁻¹ u``,
    ``u = [a_S ; B a]``, ``M = [[P_SS, I + (B P_S)ᵀ], [I + B P_S, B P Bᵀ]]``.

Outside S, a row of B depends on few edges' data (see ``supports.py``): the distinct rows ``R`` of a block of edges are
made once, and each edge corrects only its S columns. With ``H + λI = L Lᵀ`` all entries of M are products of *white*
rows, ``E_S L⁻ᵀ`` and ``R L⁻ᵀ``: L is triangular, which halves the work of a product with P, and edges that share a hub
share most of these products.

Time: ``O(rows · N²)`` for ``R L⁻ᵀ`` with ``rows ≈ 4E + 3·triangles``; memory: four N x N matrices, a block of rows.

On larger graphs the white rows are in single precision, which halves that. Its rounding, 6e-8, may grow by 1/λ in the
solution ``x̃`` of ``M x = u``, but ``2 uᵀ x̃ − x̃ᵀ M x̃`` errs with its square only. ``x̃ᵀ M x̃ = v P vᵀ + 2 pᵀ q`` with
``v = E_Sᵀ p + Bᵀ q`` needs one white row per edge in double precision. Edges that this moves by more than it should are
computed again in double precision throughout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_limits

from kces.blocked_cholesky import invert_in_place, transpose_in_place
from kces.engines.inner import gathered_dots, row_by_row
from kces.engines.parts import Parts, one_after_another
from kces.engines.problem import Problem
from kces.engines.removal import DELICATE, Rows, explicit_rows, inverse_lengths, squared_length
from kces.engines.supports import Supports, removal_supports
from kces.engines.woodbury import (
    Changed,
    DistinctRows,
    Solved,
    Unchanged,
    difference_rows,
    score_groups,
    woodbury,
)
from kces.errors import SingularKernelError
from kces.kernel import arc_cosine, normalize_rows, ridge_factor
from kces.progress import Progress, silent
from kces.types import Array, Bools, Features, Ints

__all__ = ["SINGLE_FROM", "ExactEngine"]


_ROW_BLOCK_BYTES = 2**30
"""Of the distinct rows of a block of edges and their products: a fixed size, so that scores do not depend on memory."""
_LEAST_BESIDE = 64
"""Nodes beside the hub's own that a group of edges may have in any case."""
SINGLE_FROM = 1_024
"""Nodes from which white rows are made in single precision."""
_DOUBTFUL = 1e-3
"""Share of its score by which an edge may be corrected: what is left is of the order of the square."""
_CHUNK, _PANEL = 2_048, 4_096
"""Rows and columns of a product with the whitener; no call of BLAS is larger (see ``blocked_cholesky.py``)."""


class ExactEngine:
    """Signed change of GKC for every edge, equal to Algorithm 1 up to rounding."""

    name = "exact"

    def memory_needed(self, problem: Problem) -> int:
        """Bytes: ZZᵀ, XZᵀ, H and the whitener (and that in single precision), plus a block of rows, plain and white."""
        n = problem.graph.n_nodes
        rows = 4 * problem.graph.n_edges + 3 * problem.regime.triangles
        return 36 * n * n + min(16 * rows * n, _ROW_BLOCK_BYTES)

    def score(self, problem: Problem, progress: Progress = silent, parts: Parts = one_after_another) -> Array:
        """``GKC(G) − GKC(G−e)`` for each edge, in the order of ``graph.edges``; ``parts`` says where it is computed."""
        return self._score(problem, problem.graph.edges, progress, parts)

    def score_some(self, problem: Problem, which: Ints, progress: Progress = silent) -> Array:
        """The same for the edges numbered ``which`` only: what a large graph's check against exact uses."""
        return self._score(problem, problem.graph.edges[which], progress, one_after_another)

    @staticmethod
    def _score(problem: Problem, edges: Ints, progress: Progress, parts: Parts) -> Array:
        graph = problem.graph
        # By hubs, so that a hub's many rows are made in one block (rarely two) and only the short lists of its
        # neighbors are made again elsewhere.
        order = np.argsort(_hubs(graph.degrees, edges), kind="stable")
        rows_per_edge = 4.0 + 3.0 * problem.regime.triangles / max(graph.n_edges, 1)
        at_once = max(1, int(_rows_at_once(graph.n_nodes) / rows_per_edge))
        scores = np.empty(len(edges))
        scores[order] = parts(
            score_part, lambda: _state(problem, edges[order], progress), len(edges), progress, at_once
        )
        return 2.0 / graph.n_nodes * scores


class ExactState(NamedTuple):
    """What every edge reads.

    Attributes
    ----------
    kernel : what no edge changes.
    changed : the changed rows of the edges, which are sorted by hub.
    delicate : (E,) edges that nearly cancel a row: there the coefficients lose digits.
    graph, Z : for these, the rows themselves, own and aggregated.
    """

    kernel: Unchanged
    changed: Changed
    delicate: Bools
    graph: Rows
    Z: Features


def _state(problem: Problem, edges: Ints, progress: Progress) -> ExactState:
    progress("exact: factor the kernel", 0, 1)
    kernel = _unchanged(problem)
    progress("exact: factor the kernel", 1, 1)
    graph = problem.graph
    changed, delicate = _changed(problem, kernel, edges)
    return ExactState(kernel, changed, delicate, Rows(graph.adjacency, graph.degrees, graph.features), problem.Z)


def score_part(state: ExactState, start: int, stop: int) -> Array:
    """Scores of a range of edges, but for the factor 2 / N."""
    scores, which = np.zeros(stop - start), np.arange(start, stop)
    for block in _edge_blocks(state.changed.supports, which[~state.delicate[start:stop]], len(state.kernel.H)):
        scores[block - start] = _score_block(state, block)
    for edge in which[state.delicate[start:stop]]:
        scores[edge - start] = _score_delicate(state, int(edge))
    return scores


def _unchanged(problem: Problem) -> Unchanged:
    """Everything that no edge removal changes."""
    H = problem.gram()
    whitener = _whitener(H, problem.ridge)
    single = len(H) >= SINGLE_FROM and problem.codes.shape[1] == 1  # more columns of codes need more rows in double
    return Unchanged(
        ZZ=problem.ZZ,
        XZ=problem.XZ,
        xx=row_by_row(problem.graph.features, problem.graph.features),
        H=H,
        whitener=whitener,
        single_whitener=whitener.astype(np.float32) if single else np.empty((0, len(H)), dtype=np.float32),
        a=whitener @ (whitener.T @ problem.codes),
        inverse_length=problem.inverse_lengths,
    )


def _whitener(H: Array, ridge: float) -> Array:
    """``L⁻ᵀ`` for ``L Lᵀ = H + λI``: upper triangular, in C order."""
    factor, _ = ridge_factor(H, ridge)
    try:
        return transpose_in_place(invert_in_place(factor))
    except scipy.linalg.LinAlgError as error:
        raise SingularKernelError(f"the kernel matrix has no inverse at ridge {ridge:g}; use a larger one") from error


def _whiten(R: Array, whitener: Any) -> Any:
    """``R @ whitener`` in the precision of the whitener, whose zeros below the diagonal BLAS leaves out."""
    white: Any = R.astype(whitener.dtype)
    multiply = scipy.linalg.blas.strmm if whitener.dtype == np.float32 else scipy.linalg.blas.dtrmm
    for start in reversed(range(0, len(whitener), _PANEL)):  # a panel needs the rows of those before it as they were
        own, before = slice(start, start + _PANEL), slice(start)
        triangle = np.asfortranarray(whitener[own, own].T)
        for first in range(0, len(white), _CHUNK):
            chunk = white[first : first + _CHUNK]
            chunk[:, own] = multiply(1.0, triangle, chunk[:, own].T, lower=1).T
            if start > 0:
                chunk[:, own] += chunk[:, before] @ whitener[before, own]
    return white


def _changed(problem: Problem, kernel: Unchanged, edges: Ints) -> tuple[Changed, Bools]:
    """The changed rows of the edges, and which edges nearly cancel a row: there the coefficients lose digits."""
    supports, X = removal_supports(problem.graph, edges), problem.graph.features
    xx_edge = gathered_dots(X, edges[:, 0], X, edges[:, 1])
    e = np.repeat(np.arange(len(edges)), supports.sizes)
    i, j, k = edges[e, 0], edges[e, 1], supports.node
    xz, xx = (kernel.XZ[i, k], kernel.XZ[j, k]), (kernel.xx[i], kernel.xx[j], xx_edge[e])
    squared, terms = squared_length((supports.alpha, supports.beta, supports.gamma), np.diag(kernel.ZZ)[k], xz, xx)
    cancelled = (squared <= DELICATE * terms) & (terms > 0)
    delicate = np.bincount(e[cancelled], minlength=len(edges)) > 0
    return Changed(edges, xx_edge, supports, inverse_lengths(squared, terms)), delicate


def _rows_at_once(n_nodes: int) -> int:
    return max(1, _ROW_BLOCK_BYTES // (16 * n_nodes))


def _edge_blocks(supports: Supports, which: Ints, n_nodes: int) -> Iterator[Ints]:
    """Blocks of the edges ``which`` whose distinct rows fit the memory budget."""
    ends = _block_ends(supports.start, supports.row, which, _rows_at_once(n_nodes))
    for begin, end in zip(np.concatenate([[0], ends]), ends, strict=False):
        yield which[begin:end]


@numba.njit(cache=True)
def _block_ends(start, row, order, budget):
    """Cut ``order`` so that no block (beyond a single edge) has more than ``budget`` distinct rows."""
    seen_in = np.full(row.max() + 1 if len(row) else 1, -1, dtype=np.int64)
    ends = []
    block, rows_in_block = 0, 0
    for position in range(len(order)):
        e = order[position]
        new = 0
        for at in range(start[e], start[e + 1]):
            if seen_in[row[at]] != block:
                new += 1
        if rows_in_block > 0 and rows_in_block + new > budget:
            ends.append(position)
            block += 1
            rows_in_block = 0
            new = start[e + 1] - start[e]
        for at in range(start[e], start[e + 1]):
            seen_in[row[at]] = block
        rows_in_block += new
    ends.append(len(order))
    return np.array(ends)


def _score_block(state: ExactState, block: Ints) -> Array:
    """Make the distinct rows of the block, whiten them, then solve its edges hub by hub."""
    if not len(state.kernel.single_whitener):
        return _solve_block(state, block).scores
    solved = _solve_block(state, block, with_moved=True)
    quadratic = (_whiten(solved.moved, state.kernel.whitener) ** 2).sum(axis=1) + solved.crossed
    scores: Array = 2.0 * solved.scores - quadratic
    doubtful = np.abs(scores - solved.scores) > _DOUBTFUL * np.abs(scores)
    if doubtful.any():
        in_double = state.kernel._replace(single_whitener=state.kernel.single_whitener[:0])
        scores[doubtful] = _solve_block(state._replace(kernel=in_double), block[doubtful]).scores
    return scores


def _solve_block(state: ExactState, block: Ints, *, with_moved: bool = False) -> Solved:
    kernel, changed, degrees = state.kernel, state.changed, state.graph.degrees
    supports = changed.supports
    positions = _flat_positions(supports, block)
    _, first, local_row = np.unique(supports.row[positions], return_index=True, return_inverse=True)
    edge_of = np.repeat(block, supports.sizes[block])[first]
    R = difference_rows(kernel, changed, positions[first], changed.edges[edge_of])
    number = np.zeros(len(supports.row), dtype=np.int64)
    number[positions] = local_row
    whitener = kernel.single_whitener if len(kernel.single_whitener) else kernel.whitener
    rows = DistinctRows(R, _whiten(R, whitener), R @ kernel.a, number)
    ends = _group_ends(supports.start, block, _hubs(degrees, changed.edges)[block], degrees)
    with threadpool_limits(1, user_api="blas"):  # the groups run side by side
        return score_groups(kernel, changed, rows, block, ends, with_moved=with_moved)


def _hubs(degrees: Array, edges: Ints) -> Ints:
    """The end of higher degree of each edge."""
    i, j = edges[:, 0], edges[:, 1]
    return np.where(degrees[i] >= degrees[j], i, j)


@numba.njit(cache=True)
def _group_ends(start, block, hubs, degrees):
    """Cut a block's edges where the hub changes, and where a group would have many more rows than its hub."""
    ends = []
    beside = 0
    for t in range(len(block)):
        size = start[block[t] + 1] - start[block[t]]
        new = size - degrees[hubs[t]] + 1
        if t > 0 and (hubs[t] != hubs[t - 1] or beside + new > max(_LEAST_BESIDE, 2 * degrees[hubs[t]])):
            ends.append(t)
            beside = 0
        beside += new
    ends.append(len(block))
    return np.array(ends)


def _flat_positions(supports: Supports, block: Ints) -> Ints:
    sizes = supports.sizes[block]
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(supports.start[block], sizes) + offsets


def _score_delicate(state: ExactState, e: int) -> float:
    """One edge with its changed rows summed from the features, without any cancellation."""
    kernel, supports = state.kernel, state.changed.supports
    S = supports.node[supports.start[e] : supports.start[e + 1]]
    rows, _ = normalize_rows(explicit_rows(state.graph, state.changed.edges[e], S))
    to_all = (state.Z @ rows.T).T * kernel.inverse_length[None, :]
    R = arc_cosine(np.ascontiguousarray(to_all)) - kernel.H[S]
    D = 0.5 * (arc_cosine(rows @ rows.T) - kernel.H[np.ix_(S, S)]) - R[:, S]
    white = np.concatenate([kernel.whitener[S], R @ kernel.whitener])
    return float(woodbury(white @ white.T, D, kernel.a[S], R @ kernel.a))
