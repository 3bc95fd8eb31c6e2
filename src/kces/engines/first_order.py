"""First-order effects of all changed rows: one solve, one far field, and sums that the edges of a node share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kces.engines.adjacency import Adjacency, adjacency_of, owners
from kces.engines.far_field import FarField, far_field
from kces.engines.inner import gathered_dots, row_by_row
from kces.engines.problem import Problem
from kces.engines.removal import inverse_lengths, neighbor_coefficient, squared_length
from kces.engines.solve import Solution, solve_codes, solve_memory
from kces.progress import Progress, silent
from kces.types import Array, Ints

__all__ = ["FirstOrder", "first_order", "first_order_memory", "x_dot_z"]


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """First-order effects of every changed row, and the pieces they are made of.

    Attributes
    ----------
    a : (N, columns), the solution ``(H + λI)⁻¹ y``.
    field : the far field around every node.
    reverse : (2E,), for the directed edge k→m the position of m→k.
    xx : (N,), ``X_k·X_k``.
    neighbor : (2E,), for the directed edge k→m what row k contributes when another edge at m goes.
    at_node : (N,), its sum over all neighbors k of m: the part that every edge of m shares.
    """

    a: Array
    field: FarField
    reverse: Ints
    xx: Array
    neighbor: Array
    at_node: Array


def first_order(
    problem: Problem,
    seed: int = 0,
    *,
    curved: bool = False,
    solution: Solution | None = None,
    progress: Progress = silent,
) -> FirstOrder:
    """Solve for a unless its ``solution`` is given, take the far field, and sum what neighbors add.

    ``curved`` is with corrections of the solution and with the second order of the field.
    """
    solution = solution or solve_codes(problem, seed=seed, corrected=curved, progress=progress)
    field = far_field(problem, solution, curved=curved, progress=progress)
    adjacency = adjacency_of(problem.graph)
    xx = row_by_row(problem.graph.features, problem.graph.features)
    neighbor = _neighbor_effects(problem, adjacency, field, solution.a, xx)
    at_node = np.bincount(adjacency.indices, weights=neighbor, minlength=problem.graph.n_nodes).astype(np.float64)
    return FirstOrder(solution.a, field, _reverse(adjacency), xx, neighbor, at_node)


def first_order_memory(problem: Problem) -> int:
    """Bytes at the peak: what the solve stores, and beside it the far field with copies of the features."""
    regime = problem.regime
    return solve_memory(problem) + 36 * regime.nodes * regime.width + 200 * regime.edges


def x_dot_z(problem: Problem, left: Ints, right: Ints) -> Array:
    """``X[left] · Z[right]`` row by row: looked up where all pairs are at hand, else computed."""
    if problem.regime.all_pairs:
        return problem.XZ[left, right]
    return gathered_dots(problem.graph.features, left, problem.Z, right)


def _reverse(adjacency: Adjacency) -> Ints:
    count, n = len(adjacency.indices), len(adjacency.degrees)
    positions = sp.csr_array((np.arange(count), adjacency.indices, adjacency.indptr), shape=(n, n))
    return sp.csr_array(positions.T).data.astype(np.int64)


def _neighbor_effects(problem: Problem, adjacency: Adjacency, field: FarField, a: Array, xx: Array) -> Array:
    """For each directed edge k→m: ``2 Σ_columns a_k (z'_k − z_k)·G_k`` when another edge at m goes."""
    k, m = owners(adjacency), adjacency.indices.astype(np.int64)
    beta = neighbor_coefficient(adjacency.degrees[k], adjacency.degrees[m])
    xz = x_dot_z(problem, m, k), 0.0
    squared, terms = squared_length((1.0, beta, 0.0), problem.lengths[k] ** 2, xz, (xx[m], 0.0, 0.0))
    moved = (field.z_dot[k] + beta[:, None] * field.neighbor_dot) * inverse_lengths(squared, terms)[:, None]
    moved -= field.z_dot[k] * problem.inverse_lengths[k][:, None]
    effects: Array = 2.0 * np.sum(a[k] * moved, axis=1)
    return effects
