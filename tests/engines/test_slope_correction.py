"""What the series of the far field leaves out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.engines.dense import dense
from kces.engines.far_field import far_field
from kces.engines.slope_correction import slope_correction, stored_slope_sums
from kces.engines.solve import Solution, solve_codes
from kces.engines.triangle import KernelTriangle
from problems import alike_nodes, in_regime, problem_for


def test_neighbors_and_the_node_itself_are_taken_out_of_the_correction() -> None:
    """Their slope is in the series in full. With a code on one node, only that node's row is felt."""
    graph = synthetic(n=400, seed=3)
    problem = problem_for(replace(graph, features=np.random.default_rng(0).standard_normal((400, 2))))
    unit = dense(problem.unit, np.float32)
    touched = np.append(graph.adjacency[[0]].indices, 0)
    assert np.abs(unit[touched] @ unit[0]).max() > 0.9
    triangle, code = KernelTriangle(unit), np.eye(400)[:, :1]
    correction = slope_correction(problem, unit, stored_slope_sums(unit, triangle, code), code)
    np.testing.assert_allclose(correction.z_dot[touched], 0.0, atol=2e-3)
    np.testing.assert_allclose(correction.fields[0][touched], 0.0, atol=2e-3)
    assert np.abs(correction.fields[0]).max() > 0.1


def test_fewer_directions_take_most_of_the_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(alike_nodes(700))
    a = solve_codes(in_regime(problem, solver="direct")).a
    triangle = KernelTriangle(dense(problem.unit, np.float32))
    whole = far_field(in_regime(problem, far_field="series"), Solution(a, triangle))
    monkeypatch.setattr("kces.engines.slope_correction.DIRECTIONS", 8)
    short = far_field(in_regime(problem, far_field="series"), Solution(a, triangle))
    plain = far_field(in_regime(problem, far_field="series"), Solution(a))
    np.testing.assert_allclose(short.z_dot, whole.z_dot, rtol=1e-5, atol=1e-5)  # along z_k nothing is left out
    assert np.linalg.norm(short.x_dot - whole.x_dot) < 0.5 * np.linalg.norm(plain.x_dot - whole.x_dot)
