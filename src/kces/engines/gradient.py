"""The gradient engine: first order only, all edges at once. The cheapest: O(E F) after the solve and the far field."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kces.engines.inner import gathered_dots, inverse_sqrt
from kces.engines.local import LocalEngine, compact, first_order, x_dot_z
from kces.engines.parameters import whole_number
from kces.engines.problem import Problem
from kces.progress import Progress, silent
from kces.types import Array

__all__ = ["GradientEngine"]


class GradientEngine:
    """``(2/N) aᵀ Δ a`` with every moved row followed along the gradient of the far field."""

    name = "gradient"

    def __init__(self, seed: int = 0) -> None:
        self.seed = whole_number("seed", seed, least=0)

    def memory_needed(self, problem: Problem) -> int:
        """As the local engine, whose solve and far field it shares."""
        return LocalEngine(seed=self.seed).memory_needed(problem)

    def score(self, problem: Problem, progress: Progress = silent) -> Array:
        problem = compact(problem, self.seed)
        graph = problem.graph
        order = first_order(problem, self.seed, progress=progress)
        edges = graph.edges
        forward = _positions(graph.adjacency.indptr, graph.adjacency.indices, graph.n_nodes)
        backward = order.reverse[forward]
        xz = [x_dot_z(problem, edges[:, 1 - end], edges[:, end]) for end in (0, 1)]
        xz_own = x_dot_z(problem, np.arange(graph.n_nodes), np.arange(graph.n_nodes))
        xx_edge = gathered_dots(graph.features, edges[:, 0], graph.features, edges[:, 1])
        total = order.at_node[edges].sum(axis=1) - order.neighbour[forward] - order.neighbour[backward]
        for end, position in ((0, forward), (1, backward)):
            own, other = edges[:, end], edges[:, 1 - end]
            degree, rest = graph.degrees[own], graph.degrees[own] - 1.0
            alpha, beta = (degree / rest) ** 0.5, rest**-0.5 * (rest**-0.5 - degree**-0.5)
            gamma = -((rest * graph.degrees[other]) ** -0.5)
            squared = (
                (alpha * problem.lengths[own]) ** 2
                + 2 * alpha * (beta * xz_own[own] + gamma * xz[end])
                + beta**2 * order.xx_self[own]
                + gamma**2 * order.xx_self[other]
                + 2 * beta * gamma * xx_edge
            )
            new_inverse = inverse_sqrt(squared)
            field = order.field
            moved = alpha[:, None] * field.z_dot[own] + beta[:, None] * field.x_dot[own]
            moved += gamma[:, None] * field.neighbour_dot[position]
            moved = moved * new_inverse[:, None] - field.z_dot[own] * problem.inverse_lengths[own][:, None]
            total += 2.0 * np.sum(order.a[own] * moved, axis=1)
        return 2.0 / graph.n_nodes * total


def _positions(indptr: npt.NDArray, indices: npt.NDArray, n_nodes: int) -> npt.NDArray[np.int64]:
    """CSR positions of the entries i→j with i < j, in the order of ``graph.edges``."""
    owner = np.repeat(np.arange(n_nodes), np.diff(indptr))
    return np.flatnonzero(owner < indices)
