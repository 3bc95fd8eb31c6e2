"""The local engine: one global solve, then a small inverse per edge. Nearly exact, and linear in the edges.

Let S be a block of the edge's surroundings and R all other nodes. With ``K = H_SS + λI`` less what R explains of it
(``explained.py``), the same K' and a moved kernel, the change of GKC is

    ``(2/N) [ vᵀ K v − eᵀ K'⁻¹ e ]``,  ``v = a_S``,  ``e = K v − g − T v``,

where ``a`` comes from one global solve, ``g_k = Σ_{r∈R} (k(z'_k·z_r) − k(z_k·z_r)) a_r`` is what the moved rows feel of
the far nodes, taken through the gradient and the curvature of the far field, and ``T = q (Z'_S − Z_S) Z_Sᵀ`` is the
change of the explained part when only the rows move. The formula is exact; g and q are approximate.

S holds the endpoints and, of each endpoint, at most ``cap`` neighbours, those whose rows matter most. The other
neighbours of a hub enter to first order, through a sum that all edges of the hub share: an edge never costs its
hub's degree squared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD

from kces.engines.block import (
    Products,
    block_cosines,
    collect_block,
    factor_in_place,
    find,
    inner_products,
    inverse_form,
    kernel_matrix,
    moved_lengths,
    own_part,
    second_order,
)
from kces.engines.curvature import Curvature
from kces.engines.explained import explained_linear_part
from kces.engines.far_field import FarField, far_field
from kces.engines.inner import gathered_dots, inverse_sqrt, row_by_row
from kces.engines.parameters import whole_number
from kces.engines.problem import Problem
from kces.engines.solve import dense, solve_codes, solve_memory, takes_all_pairs
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.progress import Progress, silent
from kces.types import Array, Features, Ints

__all__ = ["FirstOrder", "LocalEngine", "compact", "first_order", "x_dot_z"]


_CAPS = {1: (32, 24, 16, 8), 2: (128, 64, 48, 32, 24, 16, 8)}
"""Candidate caps by hops. With one hop more than 32 neighbours were never seen to change the ranking."""
_CAPS_OF_LARGE_GRAPHS = (16, 8)
_WORK_BUDGET = {1: 2e10, 2: 5e10}
"""Multiplications that all blocks together may cost, by hops: some seconds."""
_EDGE_CHUNK = 50_000
_DENSE_FEATURE_BYTES = 2**30
_REDUCED_WIDTH = 512
_EMPTY = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """First-order effects of every changed row, and the pieces they are made of.

    ``neighbour[p]`` belongs to the directed edge p = k→m: what row k contributes when an edge at m goes.
    ``at_node[m]`` is its sum over all neighbours k of m: the part that every edge of m shares.
    """

    a: Array
    field: FarField
    reverse: Ints
    xx_self: Array
    neighbour: Array
    at_node: Array


class LocalEngine:
    """Signed change of GKC with the inverse taken on each edge's own block.

    Parameters
    ----------
    hops : 1 takes the neighbours of the endpoints into the block, 2 also (up to ``2 cap + 2`` nodes) theirs.
    cap : most neighbours per endpoint in the block; None chooses the largest that keeps the total work in bounds.
    fill : with 1 hop, a block smaller than this is filled up with second neighbours: it costs little and helps most
        where an endpoint has few neighbours. None takes 24, and 16 on large graphs.
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
        """Bytes at the peak: what the solve stores, and beside it the far field with copies of the features."""
        graph = problem.graph
        width = min(graph.n_features, _REDUCED_WIDTH) if _too_wide(graph) else graph.n_features
        return solve_memory(graph) + 36 * graph.n_nodes * width + 200 * graph.n_edges

    def score(self, problem: Problem, progress: Progress = silent) -> Array:
        problem = compact(problem, self.seed)
        graph = problem.graph
        order = first_order(problem, self.seed, curved=True, progress=progress)
        curvature = _along_endpoint_lists(order)
        shared = explained_linear_part(problem)
        xx_edge = gathered_dots(graph.features, graph.edges[:, 0], graph.features, graph.edges[:, 1])
        cap = self.cap or choose_cap(graph, self.hops)
        listed = most_important_neighbours(graph, order.a, problem.inverse_lengths, cap)
        fill = 2 * cap + 2 if self.hops == 2 else self.fill or (24 if takes_all_pairs(graph) else 16)
        products = pair_products(problem)
        scores = np.empty(graph.n_edges)
        progress("local: score edges", 0, graph.n_edges)
        for start in range(0, graph.n_edges, _EDGE_CHUNK):
            chunk = slice(start, start + _EDGE_CHUNK)
            scores[chunk] = _score_edges(
                *(graph.edges[chunk], xx_edge[chunk], graph.adjacency.indptr, graph.adjacency.indices),
                *(graph.degrees, problem.inverse_lengths, products, *listed, cap, fill),
                *(order.a, order.field.z_dot, order.field.x_dot, order.field.neighbour_dot[order.reverse]),
                *(order.xx_self, order.neighbour[order.reverse], order.at_node, problem.ridge, curvature, shared),
            )
            progress("local: score edges", min(start + _EDGE_CHUNK, graph.n_edges), graph.n_edges)
        return 2.0 / graph.n_nodes * scores


def pair_products(problem: Problem) -> Products:
    """``Z Zᵀ`` and ``X Zᵀ`` where they fit, else the rows of Z and X for products on demand."""
    if takes_all_pairs(problem.graph):
        return Products(problem.ZZ, problem.XZ, _EMPTY, _EMPTY, _padded(_EMPTY), _padded(_EMPTY))
    X = dense(problem.graph.features)
    return Products(_EMPTY, _EMPTY, dense(problem.Z), X, _padded(problem.unit), _padded(X))


def _padded(matrix: Features) -> npt.NDArray[np.float32]:
    """In single precision, with zeros up to a multiple of 32 columns: compiled loops then have no remainder."""
    rows = np.zeros((matrix.shape[0], -(-matrix.shape[1] // 32) * 32), dtype=np.float32)
    rows[:, : matrix.shape[1]] = dense(matrix, np.float32)
    return rows


def _too_wide(graph: Graph) -> bool:
    """Whether the features of a large graph are too many to hold as a dense array beside everything else."""
    return not takes_all_pairs(graph) and 8 * graph.n_nodes * graph.n_features > _DENSE_FEATURE_BYTES


def compact(problem: Problem, seed: int = 0) -> Problem:
    """Wide sparse features of a large graph, replaced by their leading components (inner products nearly kept)."""
    graph = problem.graph
    if not (_too_wide(graph) and sp.issparse(graph.features)):
        return problem
    reduced = TruncatedSVD(_REDUCED_WIDTH, random_state=seed).fit_transform(graph.features)
    return Problem(replace(graph, features=np.ascontiguousarray(reduced)), problem.codes, problem.ridge)


def first_order(problem: Problem, seed: int = 0, *, curved: bool = False, progress: Progress = silent) -> FirstOrder:
    """Solve for a, take the far field, and sum what the neighbours of each node contribute to first order."""
    graph = problem.graph
    solution = solve_codes(problem, seed=seed, progress=progress)
    a = solution.a
    field = far_field(problem, a, triangle=solution.triangle, curved=curved, progress=progress)
    indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
    positions = sp.csr_array((np.arange(len(indices)), indices, indptr), shape=graph.adjacency.shape)
    reverse = sp.csr_array(positions.T).data.astype(np.int64)
    owner = np.repeat(np.arange(graph.n_nodes), np.diff(indptr))
    X = graph.features
    xx_self = row_by_row(X, X)
    xz_neighbour = x_dot_z(problem, indices, owner)
    neighbour = _neighbour_effects(problem, field, a, owner, xz_neighbour, xx_self)
    at_node = np.bincount(indices, weights=neighbour, minlength=graph.n_nodes).astype(np.float64)
    return FirstOrder(a, field, reverse, xx_self, neighbour, at_node)


def _along_endpoint_lists(order: FirstOrder) -> Curvature:
    """The curvature with what belongs to k→i at the place of i→k, as ``_score_edges`` reads it."""
    curvature = order.field.curvature
    if curvature is None:
        raise ValueError("the far field was taken without its curvature")
    return curvature._replace(
        neighbour_zx=curvature.neighbour_zx[order.reverse],
        neighbour_xx=curvature.neighbour_xx[order.reverse],
        neighbour_cross=curvature.neighbour_cross[order.reverse],
    )


def x_dot_z(problem: Problem, left: Ints, right: Ints) -> Array:
    """``X[left] · Z[right]`` row by row: looked up where all pairs are at hand, else computed."""
    if takes_all_pairs(problem.graph):
        return problem.XZ[left, right]
    return gathered_dots(problem.graph.features, left, problem.Z, right)


def _neighbour_effects(
    problem: Problem, field: FarField, a: Array, owner: Ints, xz_neighbour: Array, xx_self: Array
) -> Array:
    """For each directed edge k→m: ``2 Σ_columns a_k (z'_k − z_k)·G_k`` when another edge at m goes."""
    graph = problem.graph
    m = graph.adjacency.indices
    beta = graph.degrees[owner] ** -0.5 * ((graph.degrees[m] - 1.0) ** -0.5 - graph.degrees[m] ** -0.5)
    new_squared = problem.lengths[owner] ** 2 + 2 * beta * xz_neighbour + beta**2 * xx_self[m]
    new_inverse = inverse_sqrt(new_squared)
    moved = (field.z_dot[owner] + beta[:, None] * field.neighbour_dot) * new_inverse[:, None]
    moved -= field.z_dot[owner] * problem.inverse_lengths[owner][:, None]
    return 2.0 * np.sum(a[owner] * moved, axis=1)


def choose_cap(graph: Graph, hops: int) -> int:
    """The largest cap whose blocks cost at most the work budget: |S|² inner products and a |S|³/3 factorisation."""
    large = not takes_all_pairs(graph)
    degrees = graph.degrees - 1
    width = 25.0 + (0.5 * min(graph.n_features, _REDUCED_WIDTH) if large else 0.0)
    i, j = graph.edges[:, 0], graph.edges[:, 1]
    for cap in _CAPS[hops] if hops == 2 or not large else _CAPS_OF_LARGE_GRAPHS:
        size = np.minimum(degrees[i], cap) + np.minimum(degrees[j], cap) + 2
        if hops == 2:
            size = np.full(len(size), 2.0 * cap + 2)
        if float((width * size**2 + size**3 / 3).sum()) <= _WORK_BUDGET[hops]:
            return cap
    return _CAPS[hops][-1]


def most_important_neighbours(graph: Graph, a: Array, inverse_lengths: Array, cap: int) -> tuple[Ints, Ints]:
    """Of each node's neighbours, the CSR positions of the ``cap`` whose rows move most where ``a`` is large.

    Row k moves by ``d_k^-1/2 δ_i ‖X_i‖ / ‖Z_k‖`` when an edge at i goes: the order of the k does not depend on i.
    """
    weight = np.abs(a).sum(axis=1) * graph.degrees**-0.5 * inverse_lengths
    indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
    owner = np.repeat(np.arange(graph.n_nodes), np.diff(indptr))
    order = np.lexsort((indices, -weight[indices], owner))
    rank = np.arange(len(indices)) - indptr[owner]
    taken = order[rank < cap]
    start = np.concatenate([[0], np.cumsum(np.minimum(np.diff(indptr), cap))])
    return start.astype(np.int64), taken.astype(np.int64)


@numba.njit(parallel=True, cache=True)
def _score_edges(
    edges, xx_edge, indptr, indices, degrees, inverse_length, products, list_start, list_position, cap, fill,
    a, z_dot, x_dot, dot_from, xx_self, effect_from, at_node, ridge, curvature, shared,
):  # fmt: skip
    """``dot_from`` and ``effect_from`` hold, at the place of i→k, what belongs to k→i: an edge then reads them in one
    place, the list of its endpoint, instead of in the lists of all its neighbours."""
    scores = np.empty(len(edges))
    for e in numba.prange(len(edges)):
        i, j = edges[e, 0], edges[e, 1]
        S, alpha, beta, gamma = collect_block(i, j, indptr, indices, degrees, list_start, list_position, cap, fill)
        inner, xz_i, xz_j = inner_products(i, j, S, inverse_length, products)
        new_inverse = moved_lengths(i, j, S, alpha, beta, gamma, inverse_length, xz_i, xz_j, xx_self, xx_edge[e])
        before, row_moved, after = block_cosines(
            i, j, S, alpha, beta, gamma, inverse_length, new_inverse, xz_i, xz_j, inner, xx_self, xx_edge[e]
        )
        i_to_j, j_to_i = find(indptr, indices, i, j), find(indptr, indices, j, i)
        scores[e] = at_node[i] - effect_from[i_to_j] + at_node[j] - effect_from[j_to_i]
        field, own = np.zeros((len(S), a.shape[1])), a[S]
        step = np.empty(len(S))
        for t in range(len(S)):
            if beta[t] == 0.0 and gamma[t] == 0.0:
                continue
            k = S[t]
            at_i = -1 if t == 0 else (i_to_j if t == 1 else find(indptr, indices, i, k))
            at_j = -1 if t == 1 else (j_to_i if t == 0 else find(indptr, indices, j, k))
            if t > 1:  # what the block treats exactly is taken out of the hub's shared sum
                scores[e] -= (effect_from[at_i] if at_i >= 0 else 0.0) + (effect_from[at_j] if at_j >= 0 else 0.0)
            own_part(t, before[t], row_moved[t], curvature.flat, step)
            at_edge = j_to_i if t == 0 else i_to_j
            u = alpha[t] * new_inverse[t] - inverse_length[k]
            v_i, v_j = beta[t] * new_inverse[t], gamma[t] * new_inverse[t]
            for column in range(a.shape[1]):
                x_i = x_dot[k, column] if t == 0 else (dot_from[at_i, column] if at_i >= 0 else 0.0)
                x_j = x_dot[k, column] if t == 1 else (dot_from[at_j, column] if at_j >= 0 else 0.0)
                moved = (alpha[t] * z_dot[k, column] + beta[t] * x_i + gamma[t] * x_j) * new_inverse[t]
                field[t, column] = moved - z_dot[k, column] * inverse_length[k]
                field[t, column] += second_order(t, k, at_i, at_j, at_edge, column, curvature, u, v_i, v_j)
                for q in range(len(S)):  # and out of the far field
                    field[t, column] -= own[q, column] * step[q]
        K, K_new = kernel_matrix(before, ridge, shared), kernel_matrix(after, ridge, shared)
        factor_in_place(K_new)
        rhs = np.empty(len(S))
        for column in range(a.shape[1]):
            for p in range(len(S)):
                rhs[p] = 0.0
                for q in range(len(S)):
                    rhs[p] += K[p, q] * own[q, column]
                scores[e] += own[p, column] * rhs[p]
                rhs[p] -= field[p, column]
                for q in range(len(S)):
                    rhs[p] -= shared * (row_moved[p, q] - before[p, q]) * own[q, column]
            scores[e] -= inverse_form(K_new, rhs)
    return scores
