"""The far field against numerical differentiation and against itself."""

from __future__ import annotations

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.datasets.toys import thorny
from kces.engines.dense import dense
from kces.engines.far_field import far_field
from kces.engines.slope_correction import DIRECTIONS
from kces.engines.solve import Solution, solve_codes
from kces.engines.triangle import KernelTriangle
from kces.graph import Graph
from problems import alike_nodes, in_regime, problem_for


def test_far_field_is_the_gradient_of_f() -> None:
    """Against numerical differentiation of ``f(z) = Σ_r a_r k(z·z_r)`` along X_k, self term left out."""
    problem = problem_for(synthetic(n=60, seed=2))
    a = solve_codes(problem).a
    field = far_field(in_regime(problem, far_field="pairs"), Solution(a))
    unit, X = problem.unit, problem.graph.features
    nearest = (unit @ unit.T - 2 * np.eye(60)).max(axis=1)
    nodes = np.flatnonzero(nearest < 0.95)[:5]  # the slope is capped where nodes are more alike
    assert len(nodes) == 5
    for k in nodes:
        others = np.arange(60) != k

        def f(z: np.ndarray, others: np.ndarray = others) -> float:
            c = unit[others] @ z
            return float(a[others, 0] @ (c * (np.pi - np.arccos(c)) / (2 * np.pi)))

        step = 1e-5
        slope = (f(unit[k] + step * X[k]) - f(unit[k] - step * X[k])) / (2 * step)
        assert field.x_dot[k, 0] == pytest.approx(slope, rel=1e-2, abs=1e-3)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("graph", [alike_nodes(700), thorny()], ids=["alike", "thorny"])
def test_far_field_from_the_stored_kernel_is_that_of_all_pairs(graph: Graph, columns: int) -> None:
    """With as many directions as features nothing is left out, on graphs of one strip and of several."""
    problem = problem_for(graph)
    a = np.random.default_rng(1).standard_normal((graph.n_nodes, columns))
    triangle = KernelTriangle(dense(problem.unit, np.float32))
    assert graph.n_features <= DIRECTIONS
    expected = far_field(in_regime(problem, far_field="pairs"), Solution(a))
    found = far_field(in_regime(problem, far_field="series"), Solution(a, triangle))
    plain = far_field(in_regime(problem, far_field="series"), Solution(a))
    for name in ("z_dot", "x_dot", "neighbor_dot"):
        right, left, without = (getattr(field, name) for field in (expected, found, plain))
        size = np.abs(right).max()
        assert np.abs(left - right).max() < 2e-3 * size
        assert np.abs(left - right).max() < 0.1 * np.abs(without - right).max()
