"""The gradient engine: first order only, all edges at once. The cheapest: O(E F) after the solve and the far field."""

from __future__ import annotations

import numpy as np

from kces.engines.adjacency import adjacency_of, owners
from kces.engines.block_kernel import SMALLEST_PIVOT
from kces.engines.compact import compact
from kces.engines.first_order import FirstOrder, first_order, first_order_memory, x_dot_z
from kces.engines.inner import gathered_dots, row_by_row
from kces.engines.parameters import whole_number
from kces.engines.problem import Problem
from kces.engines.removal import endpoint_coefficients, inverse_lengths, squared_length
from kces.progress import Progress, silent
from kces.types import Array, Bools, Ints

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

    def score(self, problem: Problem, progress: Progress = silent) -> Array:
        """``GKC(G) − GKC(G−e)`` to first order for each edge, in the order of ``graph.edges``."""
        problem = compact(problem, self.seed)
        edges, X = problem.graph.edges, problem.graph.features
        order = first_order(problem, self.seed, progress=progress)
        adjacency = adjacency_of(problem.graph)
        forward = np.flatnonzero(owners(adjacency) < adjacency.indices)  # i→j with i < j, in the order of the edges
        backward = order.reverse[forward]
        xx_edge = gathered_dots(X, edges[:, 0], X, edges[:, 1])
        total = order.at_node[edges].sum(axis=1) - order.neighbour[forward] - order.neighbour[backward]
        total += _endpoint_effects(problem, order, edges[:, 0], edges[:, 1], forward, xx_edge)
        total += _endpoint_effects(problem, order, edges[:, 1], edges[:, 0], backward, xx_edge)
        return 2.0 / problem.graph.n_nodes * total


def _endpoint_effects(
    problem: Problem, order: FirstOrder, own: Ints, other: Ints, position: Ints, xx_edge: Array
) -> Array:
    """What the rows of the ends ``own`` contribute when their edges to ``other``, at these positions, go; (E,)."""
    degrees, field = problem.graph.degrees, order.field
    alpha, beta, gamma = endpoint_coefficients(degrees[own], degrees[other])
    xz = x_dot_z(problem, own, own), x_dot_z(problem, other, own)
    xx = order.xx[own], order.xx[other], xx_edge
    squared, terms = squared_length((alpha, beta, gamma), problem.lengths[own] ** 2, xz, xx)
    new_inverse = inverse_lengths(squared, terms)
    moved = alpha[:, None] * field.z_dot[own] + beta[:, None] * field.x_dot[own]
    moved += gamma[:, None] * field.neighbour_dot[position]
    moved = moved * new_inverse[:, None] - field.z_dot[own] * problem.inverse_lengths[own][:, None]
    effects: Array = 2.0 * np.sum(order.a[own] * moved, axis=1)
    emptied: Bools = (new_inverse == 0) & (problem.lengths[own] > 0)
    effects[emptied] = _effect_of_emptying(problem, order.a, own[emptied])
    return effects


def _effect_of_emptying(problem: Problem, a: Array, nodes: Ints) -> Array:
    """``a·y − y·y/λ``: the change when a node's row becomes zero; (nodes,).

    For a block of this node alone ``vᵀ K v = a (y − p)`` with p what the other nodes predict of y, here taken as 0.
    """
    y = problem.codes[nodes]
    return row_by_row(a[nodes], y) - row_by_row(y, y) / max(problem.ridge, SMALLEST_PIVOT)
