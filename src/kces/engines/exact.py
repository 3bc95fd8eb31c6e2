"""The exact engine: the change of GKC for every edge without refactoring H.

Let S be the nodes whose rows of H change, ``P = (H + λI)⁻¹``, ``a = P y``, and R (|S|, N) by how much these rows change
as if no column did. Of all that follows from the other nodes only the Schur complement of S feels the edge. It is
``Σ = P_SS⁻¹`` before, and afterwards, with ``W = R P_S`` and T for what R lacks in the columns of S,

    ``Σ' = (I + W) Σ (I + W)ᵀ − R P Rᵀ + T``,   ``r = (I + W) Σ a_S − R a``,
    ``GKC(G) − GKC(G−ij) = (2/N) (a_Sᵀ Σ a_S − rᵀ Σ'⁻¹ r)``.

Outside S, a row of R depends on few edges' data (see ``supports.py``): the distinct rows of a block of edges are made
once. With ``H + λI = L Lᵀ`` all of P_SS, W and R P Rᵀ are products of *white* rows, ``E_S L⁻ᵀ`` and ``R L⁻ᵀ``: L is
triangular, which halves the work of a product with P, and edges that share a hub share most of these products.

Time: ``O(rows · N²)`` for ``R L⁻ᵀ`` with ``rows ≈ 4E + 3·triangles``; memory: four N x N matrices, a block of rows.

On larger graphs the white rows are in single precision, which halves that. The score is the extreme value of
``2 (aᵀ p + (R a)ᵀ q) − v P vᵀ − 2 pᵀ q + qᵀ T q`` with ``v = E_Sᵀ p + Rᵀ q``, taken at ``q = Σ'⁻¹ r`` and
``p = Σ (a_S − (I + W)ᵀ q)``: an error of p and q moves it by its square only. So edges where the rounding of products
may count get ``v P vᵀ`` in double precision, one white row each; those that this moves by more than it should are
computed again in double precision throughout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import scipy.linalg
from threadpoolctl import threadpool_limits

from kces.blocked_cholesky import invert_in_place, transpose_in_place
from kces.engines.changed_rows import Changed, Unchanged
from kces.engines.complement import Products, Solved, complement_change, score_groups
from kces.engines.inner import gathered_dots, row_by_row
from kces.engines.parts import Parts, one_after_another
from kces.engines.problem import Problem
from kces.engines.removal import DELICATE, Rows, explicit_rows, inverse_lengths, squared_length
from kces.engines.supports import removal_supports
from kces.engines.white_rows import distinct_rows, moved_forms
from kces.errors import SingularKernelError
from kces.kernel import arc_cosine, normalize_rows, ridge_factor
from kces.progress import Progress, silent
from kces.types import Array, Bools, Features, Ints

__all__ = ["SINGLE_FROM", "ExactEngine"]


_WHITE_BYTES = 2**29
"""Of the white rows of a block of edges: a fixed size, so that scores do not depend on memory."""
_LEAST_BESIDE = 64
"""Nodes beside the hub's own that a group of edges may have in any case."""
_SINGLE = float(np.finfo(np.float32).eps)
SINGLE_FROM = 1_024
"""Nodes from which white rows are made in single precision."""
_ROUNDED = 1e-6
"""Share of its score by which the rounding of products may move an edge that is not corrected."""
_DOUBTFUL = 1e-3
"""Share of its score by which an edge may be corrected: what is left is of the order of the square."""


class ExactEngine:
    """Signed change of GKC for every edge, equal to Algorithm 1 up to rounding."""

    name = "exact"

    def memory_needed(self, problem: Problem) -> int:
        """Bytes: ZZᵀ, XZᵀ, H and the whitener (and that in single precision), plus a block of white rows."""
        n = problem.graph.n_nodes
        rows = 4 * problem.graph.n_edges + 3 * problem.regime.triangles
        return 36 * n * n + min(8 * rows * n, _WHITE_BYTES)

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
        at_once = max(1, int(_rows_at_once(graph.n_nodes, np.float32) / rows_per_edge))
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
    plain = which[~state.delicate[start:stop]]
    room = _room(state, plain)
    for block in _edge_blocks(state, plain):
        scores[block - start] = _score_block(state, block, room)
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
    return Changed.of(edges, xx_edge, supports, inverse_lengths(squared, terms)), delicate


def _rows_at_once(n_nodes: int, precision: npt.DTypeLike) -> int:
    return max(1, _WHITE_BYTES // (np.dtype(precision).itemsize * n_nodes))


def _room(state: ExactState, edges: Ints) -> Array:
    """Memory for the white rows of one block after the other: fresh memory is slow to touch."""
    sizes, n_nodes = state.changed.sizes(edges), len(state.kernel.H)
    most = max(_rows_at_once(n_nodes, np.float64), int(sizes.max(initial=0)))
    return np.empty(min(most, int(sizes.sum())) * n_nodes)


def _edge_blocks(state: ExactState, which: Ints) -> Iterator[Ints]:
    """Blocks of the edges ``which`` whose distinct rows fit the memory budget."""
    changed, white = state.changed, state.kernel.white
    ends = _block_ends(changed.start, changed.row, which, _rows_at_once(len(white), white.dtype))
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


def _score_block(state: ExactState, block: Ints, room: Array) -> Array:
    """Score the edges of the block hub by hub, and correct those that rounding may have moved."""
    solved = _solve_block(state, block, room)
    scores = solved.scores
    if state.kernel.in_double:
        return scores
    rounded = np.flatnonzero(_SINGLE * solved.spread > _ROUNDED * np.abs(scores))
    scores[rounded], doubtful = _corrected(state, block, solved, rounded)
    if doubtful.any():
        in_double = state._replace(kernel=state.kernel._replace(single_whitener=state.kernel.single_whitener[:0]))
        for again in _edge_blocks(in_double, block[rounded[doubtful]]):
            scores[np.searchsorted(block, again)] = _solve_block(in_double, again, room).scores
    return scores


def _corrected(state: ExactState, block: Ints, solved: Solved, which: Ints) -> tuple[Array, Bools]:
    """The scores of the edges at the places ``which`` with one product in double precision, and whether they moved more
    than they should."""
    sizes = np.diff(solved.start)[which]
    at = np.arange(sizes.sum()) + np.repeat(solved.start[which] - np.cumsum(sizes) + sizes, sizes)
    forms = moved_forms(state.kernel, state.changed, block[which], solved.at_nodes[at], solved.at_rows[at])
    corrected = solved.bounded[which] - forms
    return corrected, np.abs(corrected - solved.scores[which]) > _DOUBTFUL * np.abs(corrected)


def _solve_block(state: ExactState, block: Ints, room: Array) -> Solved:
    kernel, changed, degrees = state.kernel, state.changed, state.graph.degrees
    rows = distinct_rows(kernel, changed, block, room)
    ends = _group_ends(changed.start, block, _hubs(degrees, changed.edges)[block], degrees)
    with threadpool_limits(1, user_api="blas"):  # the groups run side by side
        return score_groups(kernel, changed, rows, block, ends)


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


def _score_delicate(state: ExactState, e: int) -> float:
    """One edge with its changed rows summed from the features, without any cancellation."""
    kernel, changed = state.kernel, state.changed
    S = changed.node[changed.start[e] : changed.start[e + 1]]
    rows, _ = normalize_rows(explicit_rows(state.graph, changed.edges[e], S))
    to_all = (state.Z @ rows.T).T * kernel.inverse_length[None, :]
    R = arc_cosine(np.ascontiguousarray(to_all)) - kernel.H[S]
    T = arc_cosine(rows @ rows.T) - kernel.H[np.ix_(S, S)] - R[:, S] - R[:, S].T
    nodes, rows = kernel.whitener[S], R @ kernel.whitener
    products = Products(nodes @ nodes.T, rows @ nodes.T, rows @ rows.T)
    score, _, _ = complement_change(products, T, kernel.a[S], R @ kernel.a)
    return float(score)
