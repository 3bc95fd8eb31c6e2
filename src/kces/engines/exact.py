"""The exact engine: the change of GKC for every edge without refactoring H.

With ``Δ = H' − H``, zero outside the rows and columns ``S``, let ``B = Δ[S, :]`` with its S columns halved. Then
``Δ = E_S B + Bᵀ E_Sᵀ`` has rank 2|S|, and by Woodbury's identity with ``P = (H + λI)⁻¹`` and ``a = P y``

    ``GKC(G) − GKC(G−ij) = (2/N) uᵀ M⁻¹ u``,
    ``u = [a_S ; B a]``, ``M = [[P_SS, I + (B P_S)ᵀ], [I + B P_S, B P Bᵀ]]``.

Outside S, a row of B depends on few edges' data (see ``supports.py``): the distinct rows ``R`` of a block of edges
and ``W = R P`` are made once, by BLAS, and each edge corrects only its S columns.

Time: ``O(rows · N²)`` for W with ``rows ≈ 4E + 3·triangles``; memory: four N x N matrices and one block of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_limits

from kces.engines.inner import gathered_dots, row_by_row
from kces.engines.parts import Parts, one_after_another
from kces.engines.problem import Problem
from kces.engines.removal import DELICATE, Rows, explicit_rows, inverse_lengths, squared_length
from kces.engines.supports import Supports, removal_supports
from kces.engines.woodbury import Changed, Unchanged, changed_cosines, difference_rows, woodbury
from kces.errors import SingularKernelError
from kces.kernel import arc_cosine, normalize_rows, ridge_factor
from kces.progress import Progress, silent
from kces.threads import thread_count
from kces.types import Array, Bools, Features, Ints

__all__ = ["ExactEngine"]


_ROW_BLOCK_BYTES = 2**30
"""Of the distinct rows of a block of edges and their products: a fixed size, so that scores do not depend on memory."""
_EDGE_BATCH_BYTES = 48 * 2**20


class ExactEngine:
    """Signed change of GKC for every edge, equal to Algorithm 1 up to rounding."""

    name = "exact"

    def memory_needed(self, problem: Problem) -> int:
        """Bytes: ZZᵀ, XZᵀ, H and P, plus a block of rows and their products."""
        n = problem.graph.n_nodes
        rows = 4 * problem.graph.n_edges + 3 * problem.regime.triangles
        return 8 * (4 * n * n + min(2 * rows * n, _ROW_BLOCK_BYTES // 8))

    def score(self, problem: Problem, progress: Progress = silent, parts: Parts = one_after_another) -> Array:
        """``GKC(G) − GKC(G−e)`` for each edge, in the order of ``graph.edges``; ``parts`` says where it is computed."""
        return self._score(problem, problem.graph.edges, progress, parts)

    def score_some(self, problem: Problem, which: Ints, progress: Progress = silent) -> Array:
        """The same for the edges numbered ``which`` only: what a large graph's check against exact uses."""
        return self._score(problem, problem.graph.edges[which], progress, one_after_another)

    @staticmethod
    def _score(problem: Problem, edges: Ints, progress: Progress, parts: Parts) -> Array:
        graph, order = problem.graph, _hubs_together(problem.graph.degrees, edges)
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
    changed : the changed rows of the edges.
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
        scores[block - start] = _score_block(state.kernel, state.changed, block)
    for edge in which[state.delicate[start:stop]]:
        scores[edge - start] = _score_delicate(state, int(edge))
    return scores


def _unchanged(problem: Problem) -> Unchanged:
    """Everything that no edge removal changes. H is inverted first, so that at most four N x N live at once."""
    H = problem.gram()
    P = _inverse(H, problem.ridge)
    return Unchanged(
        ZZ=problem.ZZ,
        XZ=problem.XZ,
        xx=row_by_row(problem.graph.features, problem.graph.features),
        H=H,
        P=P,
        a=P @ problem.codes,
        inverse_length=problem.inverse_lengths,
    )


def _inverse(H: Array, ridge: float) -> Array:
    factor, lower = ridge_factor(H, ridge)
    inverse, info = scipy.linalg.lapack.dpotri(factor, lower=lower, overwrite_c=True)
    if info != 0:
        raise SingularKernelError(f"the kernel matrix cannot be inverted at ridge {ridge:g}; use a larger ridge")
    strictly_lower = np.tri(len(H), k=-1, dtype=bool)
    inverse = np.ascontiguousarray(inverse)
    np.copyto(inverse.T, inverse, where=strictly_lower)
    return inverse


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


def _hubs_together(degrees: Array, edges: Ints) -> Ints:
    """Edges by their endpoint of higher degree, so that a hub's many rows are made in one block (rarely two) and only
    the short lists of its neighbors are made again elsewhere."""
    i, j = edges.T
    return np.argsort(np.where(degrees[i] >= degrees[j], i, j), kind="stable")


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


def _score_block(kernel: Unchanged, changed: Changed, block: Ints) -> Array:
    """Make the distinct rows R of the block and W = R P, then solve its edges in batches of equal |S|."""
    supports = changed.supports
    positions = _flat_positions(supports, block)
    _, first, local_row = np.unique(supports.row[positions], return_index=True, return_inverse=True)
    edge_of = np.repeat(block, supports.sizes[block])[first]
    R = difference_rows(kernel, changed, positions[first], changed.edges[edge_of])
    W = R @ kernel.P
    Ra = R @ kernel.a
    row_of = np.zeros(len(supports.row), dtype=np.int64)
    row_of[positions] = local_row
    place = np.empty(int(block.max(initial=-1)) + 1, dtype=np.int64)
    place[block] = np.arange(len(block))
    scores = np.empty(len(block))

    def solve(batch: Ints) -> None:
        flat = supports.start[batch][:, None] + np.arange(supports.sizes[batch[0]])
        cosine = changed_cosines(kernel, changed, batch, flat)
        rows = row_of[flat]
        scores[place[batch]] = woodbury(kernel, supports.node[flat], cosine, R[rows], W[rows], Ra[rows])

    # numpy's batched routines use one thread each: run batches side by side, with BLAS held to one thread.
    with threadpool_limits(1), ThreadPoolExecutor(thread_count()) as pool:
        for _ in pool.map(solve, _batches_of_equal_size(supports.sizes, block, len(kernel.H))):
            pass
    return scores


def _flat_positions(supports: Supports, block: Ints) -> Ints:
    sizes = supports.sizes[block]
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(supports.start[block], sizes) + offsets


def _batches_of_equal_size(sizes: Ints, block: Ints, n_nodes: int) -> Iterator[Ints]:
    order = block[np.argsort(sizes[block], kind="stable")]
    for group in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        if len(group):
            step = max(1, _EDGE_BATCH_BYTES // (16 * int(sizes[group[0]]) * n_nodes))
            yield from (group[at : at + step] for at in range(0, len(group), step))


def _score_delicate(state: ExactState, e: int) -> float:
    """One edge with its changed rows summed from the features, without any cancellation."""
    kernel, supports = state.kernel, state.changed.supports
    S = supports.node[supports.start[e] : supports.start[e + 1]]
    rows, _ = normalize_rows(explicit_rows(state.graph, state.changed.edges[e], S))
    to_all = (state.Z @ rows.T).T * kernel.inverse_length[None, :]
    R = arc_cosine(np.ascontiguousarray(to_all)) - kernel.H[S]
    W = R @ kernel.P
    return float(woodbury(kernel, S[None], (rows @ rows.T)[None], R[None], W[None], (R @ kernel.a)[None])[0])
