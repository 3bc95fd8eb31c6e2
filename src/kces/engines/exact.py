"""The exact engine: the change of GKC for every edge without refactoring H.

With ``Δ = H' − H``, zero outside the rows and columns ``S``, let ``B = Δ[S, :]`` with its S columns halved. Then
``Δ = E_S B + Bᵀ E_Sᵀ`` has rank 2|S|, and by Woodbury's identity with ``P = (H + λI)⁻¹`` and ``a = P y``

    ``GKC(G) − GKC(G−ij) = (2/N) uᵀ M⁻¹ u``,
    ``u = [a_S ; B a]``, ``M = [[P_SS, I + (B P_S)ᵀ], [I + B P_S, B P Bᵀ]]``.

Outside S, a row of B depends on few edges' data (see ``removal.py``): the distinct rows ``R`` of a block of edges
and ``W = R P`` are made once, by BLAS, and each edge corrects only its S columns.

Time: ``O(rows · N²)`` for W with ``rows ≈ 4E + 3·triangles``; memory: four N x N matrices and one block of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt
import scipy.linalg
from threadpoolctl import threadpool_limits

from kces.engines.inner import inverse_sqrt, row_by_row
from kces.engines.problem import Problem
from kces.engines.removal import Supports, explicit_rows, removal_supports
from kces.errors import SingularKernelError
from kces.kernel import COSINE_NOISE, arc_cosine, ridge_factor
from kces.memory import available_memory
from kces.progress import Progress, silent
from kces.threads import thread_count
from kces.types import Array, Ints

__all__ = ["ExactEngine"]


_ROW_BLOCK_BYTES = 2 * 2**30
_EDGE_BATCH_BYTES = 48 * 2**20
_CANCELLATION = 1e-6
"""Below this share of its terms' squares, the squared length of a changed row is recomputed from the features."""


@dataclass(frozen=True, eq=False)
class _Kernel:
    """The dense matrices of the unchanged graph."""

    ZZ: Array
    XZ: Array
    XX_self: Array
    XX_edge: Array
    H: Array
    P: Array
    a: Array
    inverse_length: Array


class ExactEngine:
    """Signed change of GKC for every edge, equal to Algorithm 1 up to rounding."""

    name = "exact"

    def memory_needed(self, problem: Problem) -> int:
        """Bytes: ZZᵀ, XZᵀ, H and P, plus a block of rows and their products."""
        n = problem.graph.n_nodes
        rows = 4 * problem.graph.n_edges
        return 8 * (4 * n * n + min(2 * rows * n, _ROW_BLOCK_BYTES // 8))

    def score(self, problem: Problem, progress: Progress = silent) -> Array:
        """``GKC(G) − GKC(G−e)`` for each edge, in the order of ``graph.edges``."""
        return self.score_some(problem, np.arange(problem.graph.n_edges), progress)

    def score_some(self, problem: Problem, which: Ints, progress: Progress = silent) -> Array:
        """The same for the edges numbered ``which`` only: what a large graph's check against exact uses."""
        graph = problem.graph
        progress("exact: factor the kernel", 0, 1)
        kernel = _unchanged(problem, which)
        progress("exact: factor the kernel", 1, 1)
        supports = removal_supports(graph, graph.edges[which])
        squared = _squared_lengths(kernel, supports, graph.edges[which])
        delicate = _delicate_edges(kernel, supports, squared, graph.edges[which])
        scores = np.zeros(len(which))
        done = 0
        progress("exact: score edges", done, len(which))
        for block in _edge_blocks(supports, graph.degrees, graph.edges[which], ~delicate, graph.n_nodes):
            scores[block] = _score_block(kernel, supports, squared, graph.edges[which], block)
            done += len(block)
            progress("exact: score edges", done, len(which))
        for e in np.flatnonzero(delicate):
            scores[e] = _score_delicate(problem, kernel, supports, graph.edges[which], int(e))
            done += 1
            progress("exact: score edges", done, len(which))
        return 2.0 / graph.n_nodes * scores


def _unchanged(problem: Problem, which: Ints) -> _Kernel:
    """Everything that no edge removal changes. H is inverted first, so that at most four N x N live at once."""
    graph, X = problem.graph, problem.graph.features
    H = problem.gram()
    P = _inverse(H, problem.ridge)
    edges = graph.edges[which]
    return _Kernel(
        ZZ=problem.ZZ,
        XZ=problem.XZ,
        XX_self=row_by_row(X, X),
        XX_edge=row_by_row(X[edges[:, 0]], X[edges[:, 1]]),
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


def _squared_lengths(kernel: _Kernel, supports: Supports, edges: Ints) -> Array:
    """``‖Z'_k‖²`` of every changed row, from inner products."""
    e = np.repeat(np.arange(len(edges)), supports.sizes)
    i, j, k = edges[e, 0], edges[e, 1], supports.node
    alpha, beta, gamma = supports.alpha, supports.beta, supports.gamma
    return (
        alpha**2 * kernel.ZZ[k, k]
        + 2 * alpha * (beta * kernel.XZ[i, k] + gamma * kernel.XZ[j, k])
        + beta**2 * kernel.XX_self[i]
        + gamma**2 * kernel.XX_self[j]
        + 2 * beta * gamma * kernel.XX_edge[e]
    )


def _delicate_edges(kernel: _Kernel, supports: Supports, squared: Array, edges: Ints) -> npt.NDArray[np.bool_]:
    """Edges whose removal nearly cancels a row: there the coefficients lose digits and features must be summed."""
    e = np.repeat(np.arange(len(edges)), supports.sizes)
    terms = (
        supports.alpha**2 * np.diag(kernel.ZZ)[supports.node]
        + supports.beta**2 * kernel.XX_self[edges[e, 0]]
        + supports.gamma**2 * kernel.XX_self[edges[e, 1]]
    )
    cancelled = (squared <= _CANCELLATION * terms) & (terms > 0)
    return np.bincount(e[cancelled], minlength=len(edges)) > 0


def _edge_blocks(
    supports: Supports, degrees: Array, edges: Ints, wanted: npt.NDArray[np.bool_], n_nodes: int
) -> Iterator[Ints]:
    """Blocks of edges whose distinct rows fit the memory budget.

    Edges are ordered by their endpoint of higher degree, so that a hub's many rows are made in one block
    (rarely two) and only the short lists of its neighbours are made again elsewhere.
    """
    i, j = edges[:, 0], edges[:, 1]
    hub = np.where(degrees[i] >= degrees[j], i, j)
    order = np.argsort(hub, kind="stable")
    order = order[wanted[order]]
    budget = max(1, min(_ROW_BLOCK_BYTES, available_memory() // 2) // (16 * n_nodes))
    ends = _block_ends(supports.start, supports.row, order, budget)
    for begin, end in zip(np.concatenate([[0], ends]), ends, strict=False):
        yield order[begin:end]


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


def _score_block(kernel: _Kernel, supports: Supports, squared: Array, edges: Ints, block: Ints) -> Array:
    """Make the distinct rows R of the block and W = R P, then solve its edges in batches of equal |S|."""
    positions = _flat_positions(supports, block)
    _, first, local_row = np.unique(supports.row[positions], return_index=True, return_inverse=True)
    source = positions[first]
    edge_of = np.repeat(block, supports.sizes[block])[first]
    R = _difference_rows(
        kernel.ZZ,
        kernel.XZ,
        kernel.H,
        kernel.inverse_length,
        supports.node[source],
        edges[edge_of],
        np.stack([supports.alpha[source], supports.beta[source], supports.gamma[source]], axis=1),
        inverse_sqrt(squared[source]),
    )
    W = R @ kernel.P
    Ra = R @ kernel.a
    row_of = np.zeros(len(supports.row), dtype=np.int64)
    row_of[positions] = local_row
    place = np.empty(int(block.max(initial=-1)) + 1, dtype=np.int64)
    place[block] = np.arange(len(block))
    scores = np.empty(len(block))

    def solve(batch: Ints) -> None:
        flat = supports.start[batch][:, None] + np.arange(supports.sizes[batch[0]])
        cosine = _changed_cosines(kernel, supports, squared, edges, batch, flat)
        rows = row_of[flat]
        scores[place[batch]] = _woodbury(kernel, supports.node[flat], cosine, R[rows], W[rows], Ra[rows])

    n_nodes = len(kernel.H)
    # numpy's batched routines use one thread each: run batches side by side, with BLAS held to one thread.
    with threadpool_limits(1), ThreadPoolExecutor(thread_count()) as pool:
        for _ in pool.map(solve, _batches_of_equal_size(supports.sizes, block, n_nodes)):
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


@numba.njit(parallel=True, cache=True)
def _difference_rows(ZZ, XZ, H, inverse_length, nodes, edges, coefficients, inverse_new):
    """``k(z'_k·z_r) − k(z_k·z_r)`` for every node r, as if r itself did not change."""
    n = len(H)
    R = np.empty((len(nodes), n))
    for t in numba.prange(len(nodes)):
        k, i, j = nodes[t], edges[t, 0], edges[t, 1]
        alpha, beta, gamma = coefficients[t, 0], coefficients[t, 1], coefficients[t, 2]
        for r in range(n):
            c = alpha * ZZ[k, r] + beta * XZ[i, r] + gamma * XZ[j, r]
            c *= inverse_new[t] * inverse_length[r]
            if c > 1.0 - COSINE_NOISE:
                c = 1.0
            elif c < COSINE_NOISE - 1.0:
                c = -1.0
            R[t, r] = c * (np.pi - np.arccos(c)) / (2.0 * np.pi) - H[k, r]
    return R


def _changed_cosines(
    kernel: _Kernel, supports: Supports, squared: Array, edges: Ints, batch: Ints, flat: Ints
) -> Array:
    """``z'_k · z'_l`` for k, l in S, for a batch of edges with equal |S|: shape (batch, |S|, |S|)."""
    i, j = edges[batch, 0][:, None], edges[batch, 1][:, None]
    S = supports.node[flat]
    alpha, beta, gamma = supports.alpha[flat], supports.beta[flat], supports.gamma[flat]
    # Z'_k·Z'_l = α_k α_l Z_k·Z_l + α_k p_l·Z_k + α_l p_k·Z_l + p_k·p_l, with p = β X_i + γ X_j.
    with_i, with_j = alpha * kernel.XZ[i, S], alpha * kernel.XZ[j, S]
    half_i = with_i + 0.5 * (beta * kernel.XX_self[i] + gamma * kernel.XX_edge[batch][:, None])
    half_j = with_j + 0.5 * (beta * kernel.XX_edge[batch][:, None] + gamma * kernel.XX_self[j])
    cross = half_i[:, :, None] * beta[:, None, :] + half_j[:, :, None] * gamma[:, None, :]
    inner = (alpha[:, :, None] * alpha[:, None, :]) * kernel.ZZ[S[:, :, None], S[:, None, :]]
    inner += cross
    inner += cross.transpose(0, 2, 1)
    inverse = inverse_sqrt(squared[flat])
    return inner * inverse[:, :, None] * inverse[:, None, :]


def _woodbury(kernel: _Kernel, S: Ints, cosine: Array, R: Array, W: Array, Ra: Array) -> Array:
    """``uᵀ M⁻¹ u`` for a batch of edges, summed over the code columns."""
    size = S.shape[1]
    pair = (S[:, :, None], S[:, None, :])
    columns = (np.arange(len(S))[:, None, None], np.arange(size)[None, :, None], S[:, None, :])
    P_SS = kernel.P[pair]
    W_S = W[columns]
    # R holds the S columns as if only the row had changed; D puts half of the true difference there.
    D = 0.5 * (arc_cosine(cosine) - kernel.H[pair]) - R[columns]
    D_T = D.transpose(0, 2, 1)
    BP_S = W_S + D @ P_SS
    BPB = W @ R.transpose(0, 2, 1)
    DW = D @ W_S.transpose(0, 2, 1)
    BPB += DW + DW.transpose(0, 2, 1) + D @ P_SS @ D_T
    M = np.empty((len(S), 2 * size, 2 * size))
    M[:, :size, :size] = P_SS
    M[:, size:, :size] = BP_S
    M[:, :size, size:] = BP_S.transpose(0, 2, 1)
    M[:, size:, size:] = BPB
    diagonal = np.arange(size)
    M[:, diagonal, size + diagonal] += 1.0
    M[:, size + diagonal, diagonal] += 1.0
    a_S = kernel.a[S]
    u = np.concatenate([a_S, Ra + D @ a_S], axis=1)
    return np.sum(u * np.linalg.solve(M, u), axis=(1, 2))


def _score_delicate(problem: Problem, kernel: _Kernel, supports: Supports, edges: Ints, e: int) -> float:
    """One edge with its changed rows summed from the features, without any cancellation."""
    S = supports.node[supports.start[e] : supports.start[e + 1]]
    rows = explicit_rows(problem.graph, edges[e], S)
    inverse = inverse_sqrt((rows**2).sum(axis=1))
    to_all = (problem.Z @ rows.T).T * inverse[:, None] * kernel.inverse_length[None, :]
    R = arc_cosine(np.ascontiguousarray(to_all)) - kernel.H[S]
    cosine = (rows @ rows.T) * inverse[:, None] * inverse[None, :]
    W = R @ kernel.P
    return float(_woodbury(kernel, S[None], cosine[None], R[None], W[None], (R @ kernel.a)[None])[0])
