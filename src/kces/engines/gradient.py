"""The gradient engine: first order only, all edges at once. The cheapest: O(E F) after the solve and the far field."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kces.engines.adjacency import adjacency_of, owners
from kces.engines.block_kernel import SMALLEST_PIVOT
from kces.engines.compact import compact
from kces.engines.first_order import FirstOrder, first_order, first_order_memory
from kces.engines.inner import gathered_dots, row_by_row
from kces.engines.parameters import whole_number
from kces.engines.parts import Parts, one_after_another
from kces.engines.problem import Problem
from kces.engines.removal import endpoint_coefficients, inverse_lengths, squared_length
from kces.progress import Progress, silent
from kces.types import Array, Bools, Features, Ints

__all__ = ["GradientEngine"]


class GradientEngine:
    """``(2/N) aᵀ Δ a`` with every moved row followed along the gradient of the far field.

    An endpoint that is left without features is beyond any expansion: GKC jumps by its ``y²/λ``. Its row is taken as a
    block of one node (see ``local.py``).
    """

    name = "gradient"

    def __init__(self, seed: int = 0) -> None:
        self.seed = whole_number("seed", seed, least=0)

    def memory_needed(self, problem: Problem) -> int:
        """As the local engine, whose solve and far field it shares."""
        return first_order_memory(problem)

    def score(self, problem: Problem, progress: Progress = silent, parts: Parts = one_after_another) -> Array:
        """``GKC(G) − GKC(G−e)`` to first order for each edge, in the order of ``graph.edges``."""

        def make_state() -> GradientState:
            small = compact(problem, self.seed)
            return _shared_state(small, first_order(small, self.seed, progress=progress))

        return 2.0 / problem.graph.n_nodes * parts(score_part, make_state, problem.graph.n_edges, progress)


class GradientState(NamedTuple):
    """What every edge reads, for codes of c columns.

    Attributes
    ----------
    ends : (E, 2) the edges.
    forward, backward : (E,) places of i→j and j→i among the 2E directed edges.
    X, Z : (N, F) features, own and aggregated.
    XZ : (N, N) their products where these were made for all pairs, else empty.
    degrees, lengths, inverse_lengths, xx : (N,) of each node; of its row of Z; ``X_k·X_k``.
    a, codes, z_dot, x_dot : (N, c) the solution, its right-hand side, ``Z_k·G_k`` and ``X_k·G_k``.
    neighbor_dot : (2E, c) ``X_m·G_k`` at k→m.
    neighbor, at_node : (2E,) and (N,) what row k contributes when another edge at m goes, and its sums.
    ridge : λ.
    """

    ends: Ints
    forward: Ints
    backward: Ints
    X: Features
    Z: Features
    XZ: Array
    degrees: Array
    lengths: Array
    inverse_lengths: Array
    xx: Array
    a: Array
    codes: Array
    z_dot: Array
    x_dot: Array
    neighbor_dot: Array
    neighbor: Array
    at_node: Array
    ridge: float


def _shared_state(problem: Problem, order: FirstOrder) -> GradientState:
    adjacency, field, graph = adjacency_of(problem.graph), order.field, problem.graph
    forward = np.flatnonzero(owners(adjacency) < adjacency.indices)  # i→j with i < j, in the order of the edges
    return GradientState(
        graph.edges,
        forward,
        order.reverse[forward],
        graph.features,
        problem.Z,
        problem.XZ if problem.regime.all_pairs else np.empty((0, 0)),
        graph.degrees,
        problem.lengths,
        problem.inverse_lengths,
        order.xx,
        order.a,
        problem.codes,
        field.z_dot,
        field.x_dot,
        field.neighbor_dot,
        order.neighbor,
        order.at_node,
        problem.ridge,
    )


def score_part(state: GradientState, start: int, stop: int) -> Array:
    """Scores of a range of edges, but for the factor 2 / N."""
    ends, forward, backward = (part[start:stop] for part in (state.ends, state.forward, state.backward))
    first, second = ends[:, 0], ends[:, 1]
    xx_edge = gathered_dots(state.X, first, state.X, second)
    total = state.at_node[ends].sum(axis=1) - state.neighbor[forward] - state.neighbor[backward]
    total += _endpoint_effects(state, first, second, forward, xx_edge)
    total += _endpoint_effects(state, second, first, backward, xx_edge)
    return np.asarray(total)


def _endpoint_effects(state: GradientState, own: Ints, other: Ints, position: Ints, xx_edge: Array) -> Array:
    """What the rows of the ends ``own`` contribute when their edges to ``other``, at these positions, go; (E,)."""
    alpha, beta, gamma = endpoint_coefficients(state.degrees[own], state.degrees[other])
    xz = _x_dot_z(state, own, own), _x_dot_z(state, other, own)
    xx = state.xx[own], state.xx[other], xx_edge
    squared, terms = squared_length((alpha, beta, gamma), state.lengths[own] ** 2, xz, xx)
    new_inverse = inverse_lengths(squared, terms)
    moved = alpha[:, None] * state.z_dot[own] + beta[:, None] * state.x_dot[own]
    moved += gamma[:, None] * state.neighbor_dot[position]
    moved = moved * new_inverse[:, None] - state.z_dot[own] * state.inverse_lengths[own][:, None]
    effects: Array = 2.0 * np.sum(state.a[own] * moved, axis=1)
    emptied: Bools = (new_inverse == 0) & (state.lengths[own] > 0)
    effects[emptied] = _effect_of_emptying(state, own[emptied])
    return effects


def _x_dot_z(state: GradientState, left: Ints, right: Ints) -> Array:
    """``X[left] · Z[right]`` row by row: looked up where all pairs are at hand, else computed."""
    return state.XZ[left, right] if state.XZ.size else gathered_dots(state.X, left, state.Z, right)


def _effect_of_emptying(state: GradientState, nodes: Ints) -> Array:
    """``a·y − y·y/λ``: the change when a node's row becomes zero; (nodes,).

    For a block of this node alone ``vᵀ K v = a (y − p)`` with p what the other nodes predict of y, here taken as 0.
    """
    y = state.codes[nodes]
    return row_by_row(state.a[nodes], y) - row_by_row(y, y) / max(state.ridge, SMALLEST_PIVOT)
