"""Sums for the far field that are made beside the products of the solve."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.far_field import far_field
from kces.engines.slope_correction import stored_slope_sums
from kces.engines.solve import Solution, solve_codes
from kces.engines.streamed_field import FieldKernel
from kces.engines.streamed_kernel import StreamedKernel
from kces.engines.triangle import KernelTriangle
from problems import alike_nodes, in_regime, problem_for


def test_products_are_those_of_the_streamed_kernel() -> None:
    unit = problem_for(alike_nodes(700)).unit_singles
    vectors = np.random.default_rng(0).standard_normal((700, 2))
    np.testing.assert_array_equal(FieldKernel(unit) @ vectors, StreamedKernel(unit) @ vectors)


def test_sums_of_the_steps_are_those_of_the_solution() -> None:
    """Against sums from the stored kernel for the combined vector, on more than one tile either way."""
    unit = problem_for(alike_nodes(1_400)).unit_singles
    rng = np.random.default_rng(0)
    kernel, steps = FieldKernel(unit), [np.array([0.5, 2.0]), np.array([-1.0, 0.25])]
    vectors = [rng.standard_normal((1_400, 2)) for _ in steps]
    for each in vectors:
        kernel @ each
    found = kernel.slope_sums(steps)
    combined = sum(step * each for step, each in zip(steps, vectors, strict=True))
    stored = stored_slope_sums(unit, KernelTriangle(unit), np.asarray(combined))
    np.testing.assert_allclose(found.slopes.line, stored.slopes.line, rtol=1e-3)
    assert abs(found.slopes.first - stored.slopes.first) < 100
    size = np.abs(stored.totals.fields).max()
    np.testing.assert_allclose(found.totals.fields, stored.totals.fields, atol=0.03 * size)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_partitioned_solve_takes_the_field_of_all_pairs(columns: int) -> None:
    problem = problem_for(alike_nodes(700), columns)
    parted = in_regime(problem, solver="partition", far_field="series", corrections=2)
    solution = solve_codes(parted)
    expected = far_field(in_regime(problem, far_field="pairs"), solution)
    found = far_field(parted, solution)
    plain = far_field(parted, Solution(solution.a))
    for name in ("z_dot", "x_dot", "neighbor_dot"):
        right, left, without = (getattr(field, name) for field in (expected, found, plain))
        assert np.abs(left - right).max() < 3e-3 * np.abs(right).max()
        assert np.abs(left - right).max() < 0.1 * np.abs(without - right).max()


def test_the_field_does_not_depend_on_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    parted = in_regime(problem_for(alike_nodes(700)), solver="partition", far_field="series", corrections=2)
    fields = []
    for threads in ("1", "2"):
        monkeypatch.setenv("KCES_NUM_THREADS", threads)
        fields.append(far_field(parted, solve_codes(parted)))
    np.testing.assert_array_equal(fields[0].x_dot, fields[1].x_dot)
