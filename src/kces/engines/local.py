"""The local engine: one global solve, then a small inverse per edge. Nearly exact, and linear in the edges.

Let S be a block of the edge's surroundings and R all other nodes. With ``K = H_SS + λI`` less what R explains of it
(``explained.py``), the same K' and a moved kernel, the change of GKC is

    ``(2/N) [ vᵀ K v − eᵀ K'⁻¹ e ]``,  ``v = a_S``,  ``e = K v − g − T v``,

where ``a`` comes from one global solve, ``g_k = Σ_{r∈R} (k(z'_k·z_r) − k(z_k·z_r)) a_r`` is what the moved rows feel of
the far nodes, taken through the gradient and the curvature of the far field, and ``T = q (Z'_S − Z_S) Z_Sᵀ`` is the
change of the explained part when only the rows move. The formula is exact; g and q are approximate.

A row k that is left without features needs no approximation: its new kernel row is zero but for λ on the diagonal,
and since ``(H + λI) a = y`` its right-hand side is ``e_k = y_k``, the code. It must be taken so: any error of e_k is
multiplied by 1/λ.

Rows that are equal once the edge is gone are the same to all other nodes: ``y − e`` is one number for them. The
approximations of g would part them a little, and that too would be multiplied by 1/λ, so their mean is taken.

S holds the endpoints and, of each endpoint, at most ``cap`` neighbors, those whose rows matter most. The other
neighbors of a hub enter to first order, through a sum that all edges of the hub share: an edge never costs its
hub's degree squared.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.adjacency import Adjacency, adjacency_of
from kces.engines.block import block_cosines, collect_block, moved_lengths
from kces.engines.block_kernel import factor_in_place, inverse_form, kernel_matrix
from kces.engines.compact import compact
from kces.engines.curvature import Curvature, second_order
from kces.engines.explained import explained_linear_part
from kces.engines.fast_kernel import kernel_curvature, kernel_slope
from kces.engines.first_order import FirstOrder, first_order, first_order_memory
from kces.engines.neighbors import Listed, most_important_neighbors
from kces.engines.parameters import whole_number
from kces.engines.parts import Parts, one_after_another
from kces.engines.problem import Problem
from kces.engines.products import Edges, Products, edges_of, inner_products, products_of
from kces.errors import InvalidParameterError
from kces.progress import Progress, silent
from kces.types import Array

__all__ = ["LocalEngine"]


SAME = 1.0 - 1e-8
"""Cosine above which two rows count as equal: between them the kernel changes by far less than the ridge."""


class Field(NamedTuple):
    """What an edge reads of the solution and of the far field, for codes of c columns.

    What belongs to the directed edge k→i stands at the place of i→k: an edge then reads it in one place, the list of
    its endpoint, instead of in the lists of all its neighbors.

    Attributes
    ----------
    a, codes : (N, c), the solution and its right-hand side.
    z_dot, x_dot : (N, c), ``Z_k·G_k`` and ``X_k·G_k``.
    dot_from : (2E, c), ``X_i·G_k`` at i→k.
    effect_from : (2E,), first-order effect of row k when another edge at i goes, at i→k.
    at_node : (N,), its sum over the neighbors of i.
    """

    a: Array
    codes: Array
    z_dot: Array
    x_dot: Array
    dot_from: Array
    effect_from: Array
    at_node: Array


class LocalEngine:
    """Signed change of GKC with the inverse taken on each edge's own block.

    Parameters
    ----------
    hops : 1 takes the neighbors of the endpoints into the block, 2 also (up to ``2 cap + 2`` nodes) theirs.
    cap : most neighbors per endpoint in the block; None takes the largest that keeps the total work in bounds.
    fill : with 1 hop, a block smaller than this is filled up with second neighbors: it costs little and helps most
        where an endpoint has few neighbors. None takes 24, and 16 on large graphs.
    seed : of the blocks, on graphs too large for a direct or iterative solve.
    """

    name = "local"

    def __init__(self, hops: int = 1, cap: int | None = None, fill: int | None = None, seed: int = 0) -> None:
        if hops not in (1, 2):
            raise InvalidParameterError(f"hops must be 1 or 2, got {hops}")
        self.hops = hops
        self.cap = None if cap is None else whole_number("cap", cap)
        self.fill = None if fill is None else whole_number("fill", fill)
        self.seed = whole_number("seed", seed, least=0)

    def memory_needed(self, problem: Problem) -> int:
        """Bytes at the peak, that of the solve and the far field."""
        return first_order_memory(problem)

    def score(self, problem: Problem, progress: Progress = silent, parts: Parts = one_after_another) -> Array:
        """``GKC(G) − GKC(G−e)`` for each edge, in the order of ``graph.edges``; ``parts`` says where it is computed."""

        def make_state() -> LocalState:
            small = compact(problem, self.seed)
            return self._state(small, first_order(small, self.seed, curved=True, progress=progress))

        return 2.0 / problem.graph.n_nodes * parts(score_part, make_state, problem.graph.n_edges, progress)

    def score_with(self, problem: Problem, order: FirstOrder, progress: Progress = silent) -> Array:
        """The same with a solution and a far field that are known, of a problem that is compact."""
        scores = one_after_another(score_part, lambda: self._state(problem, order), problem.graph.n_edges, progress)
        return 2.0 / problem.graph.n_nodes * scores

    def _state(self, problem: Problem, order: FirstOrder) -> LocalState:
        field, curvature = _as_edges_read(problem, order)
        shared = explained_linear_part(problem)
        size = problem.regime.block_size(self.hops, self.cap, self.fill)
        listed = most_important_neighbors(problem, order.a, size)
        adjacency, edges, products = adjacency_of(problem.graph), edges_of(problem), products_of(problem)
        return LocalState(edges, adjacency, listed, products, field, curvature, problem.ridge, shared)


class LocalState(NamedTuple):
    """What every edge reads: all that is left of the graph once the global solve is done."""

    edges: Edges
    adjacency: Adjacency
    listed: Listed
    products: Products
    field: Field
    curvature: Curvature
    ridge: float
    shared: float


def score_part(state: LocalState, start: int, stop: int) -> Array:
    """Scores of a range of edges, but for the factor 2 / N."""
    scores: Array = _score_edges(state.edges.part(start, stop), *state[1:])
    return scores


def _as_edges_read(problem: Problem, order: FirstOrder) -> tuple[Field, Curvature]:
    """The field and its second order, with what belongs to k→i at the place of i→k."""
    field, reverse = order.field, order.reverse
    if field.curvature is None:
        raise ValueError("the far field was taken without its curvature")
    by_edge = field.neighbor_dot[reverse], order.neighbor[reverse]
    read = Field(order.a, problem.codes, field.z_dot, field.x_dot, *by_edge, order.at_node)
    return read, field.curvature.at_edges(reverse)


@numba.njit(parallel=True, cache=True)
def _score_edges(edges, adjacency, listed, products, field, curvature, ridge, shared):
    scores = np.empty(len(edges.ends))
    for e in numba.prange(len(edges.ends)):
        block = collect_block(edges.ends[e, 0], edges.ends[e, 1], adjacency, listed)
        inner = inner_products(block.nodes, edges.xx[e], products)
        lengths = moved_lengths(block, inner, products.inverse_length)
        cosines = block_cosines(block, inner, lengths)
        far = _far_change(block, lengths, cosines, field, curvature)
        scores[e] = _hubs_share(block, field)
        scores[e] += _block_change(block, lengths, cosines, far, field, ridge, shared)
    return scores


@numba.njit(cache=True)
def _hubs_share(block, field):
    """First-order effect of all neighbors of both ends but those in the block, which treats them exactly."""
    effect = field.effect_from
    total = (
        field.at_node[block.nodes[0]] - effect[block.at_i[1]] + field.at_node[block.nodes[1]] - effect[block.at_j[0]]
    )
    for t in range(2, len(block.nodes)):
        at_i, at_j = block.at_i[t], block.at_j[t]
        total -= (effect[at_i] if at_i >= 0 else 0.0) + (effect[at_j] if at_j >= 0 else 0.0)
    return total


@numba.njit(cache=True)
def _far_change(block, lengths, cosines, field, curvature):
    """g: what each moved row of the block feels of the nodes outside it, to both orders; (s, c)."""
    size, columns = len(block.nodes), field.a.shape[1]
    far, own, step = np.zeros((size, columns)), field.a[block.nodes], np.empty(size)
    i_to_j, j_to_i = block.at_i[1], block.at_j[0]
    for t in range(size):
        alpha, beta, gamma = block.alpha[t], block.beta[t], block.gamma[t]
        if beta == 0.0 and gamma == 0.0:
            continue
        k, at_i, at_j = block.nodes[t], block.at_i[t], block.at_j[t]
        _part_of_block(t, cosines, curvature.flat, step)
        old, new = lengths.before[t], lengths.after[t]
        move = (alpha * new - old, beta * new, gamma * new)
        at_edge = j_to_i if t == 0 else i_to_j
        for column in range(columns):
            z = field.z_dot[k, column]
            x_i = field.x_dot[k, column] if t == 0 else (field.dot_from[at_i, column] if at_i >= 0 else 0.0)
            x_j = field.x_dot[k, column] if t == 1 else (field.dot_from[at_j, column] if at_j >= 0 else 0.0)
            value = (alpha * z + beta * x_i + gamma * x_j) * new - z * old
            value += second_order(t, k, at_i, at_j, at_edge, column, curvature, move)
            for q in range(size):
                value -= own[q, column] * step[q]
            far[t, column] = value
    return far


@numba.njit(cache=True, error_model="numpy")
def _part_of_block(t, cosines, flat, step):
    """What the far field holds of the block's own nodes when row t moves, to both orders; the block is exact there."""
    before, moved = cosines.before[t], cosines.row_moved[t]
    for q in range(len(step)):
        change = moved[q] - before[q]
        curvature = 1.0 / np.pi if flat else kernel_curvature(before[q])
        step[q] = kernel_slope(before[q]) * change + 0.5 * curvature * change * change
    change = moved[t] - before[t]
    step[t] = 0.5 / np.pi * change * change if flat else 0.0  # a flat M counts the node itself


@numba.njit(cache=True)
def _block_change(block, lengths, cosines, far, field, ridge, shared):
    """``vᵀ K v − eᵀ K'⁻¹ e``, summed over the columns of the codes."""
    size, own = len(block.nodes), field.a[block.nodes]
    K, K_new = kernel_matrix(cosines.before, ridge, shared), kernel_matrix(cosines.after, ridge, shared)
    factor_in_place(K_new)
    first_like = _first_like(cosines.after)
    total, rhs = 0.0, np.empty(size)
    for column in range(own.shape[1]):
        for p in range(size):
            rhs[p] = 0.0
            for q in range(size):
                rhs[p] += K[p, q] * own[q, column]
            total += own[p, column] * rhs[p]
            if lengths.after[p] == 0.0:  # no features left
                rhs[p] = field.codes[block.nodes[p], column]
                continue
            rhs[p] -= far[p, column]
            for q in range(size):
                rhs[p] -= shared * (cosines.row_moved[p, q] - cosines.before[p, q]) * own[q, column]
        _level_equal_rows(first_like, field.codes[block.nodes, column], rhs)
        total -= inverse_form(K_new, rhs)
    return total


@numba.njit(cache=True)
def _first_like(after):
    """(s,) for each row of the block the first that is equal to it once the edge is gone: often itself."""
    first = np.arange(len(after))
    for p in range(1, len(after)):
        for q in range(p):
            if after[p, q] > SAME:
                first[p] = first[q]
                break
    return first


@numba.njit(cache=True)
def _level_equal_rows(first_like, codes, rhs):
    """Equal rows feel the same of all other nodes: ``y − e`` is made the same, their mean, in every group of them."""
    for p in range(len(rhs)):
        if first_like[p] != p:
            continue
        total, count = 0.0, 0
        for q in range(p, len(rhs)):
            if first_like[q] == p:
                total += codes[q] - rhs[q]
                count += 1
        if count > 1:
            for q in range(p, len(rhs)):
                if first_like[q] == p:
                    rhs[q] = codes[q] - total / count
