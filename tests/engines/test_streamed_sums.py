"""Sums over all pairs without a stored kernel, against those from it and against the sum as written."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.far_field import far_field
from kces.engines.slope_correction import stored_slope_sums, streamed_slope_sums
from kces.engines.solve import Solution, solve_codes
from kces.engines.streamed_sums import streamed_pair_sums
from kces.engines.triangle import KernelTriangle
from kces.kernel import slope_at_angle
from problems import alike_nodes, in_regime, problem_for


def test_the_sums_are_those_over_all_pairs() -> None:
    """On more than one tile either way; the slope is capped at a cosine of 0.99."""
    unit = problem_for(alike_nodes(1_400)).unit_singles
    a = np.random.default_rng(0).standard_normal((1_400, 2))
    stored = stored_slope_sums(unit, KernelTriangle(unit), a)
    found = streamed_pair_sums(unit, stored.line, a, unit)
    cosines = unit.astype(np.float64) @ unit.T
    capped = np.minimum(cosines, 0.99)
    rest = slope_at_angle(capped, np.arccos(capped)) - stored.line.at_zero - stored.line.rise * cosines
    np.fill_diagonal(rest, 0.0)
    fields = np.stack([rest @ (column[:, None] * unit) for column in a.T])
    np.testing.assert_allclose(found.along, (rest * cosines @ a).T, atol=1e-4 * np.abs(found.along).max())
    np.testing.assert_allclose(found.fields, fields, atol=1e-4 * np.abs(fields).max())
    np.testing.assert_allclose(stored.totals.fields, fields, atol=0.03 * np.abs(fields).max())


@pytest.mark.parametrize("columns", [1, 3])
def test_a_partitioned_solve_takes_the_field_of_all_pairs(columns: int) -> None:
    problem = problem_for(alike_nodes(700), columns)
    parted = in_regime(problem, solver="partition", far_field="series", products=1)
    solution = solve_codes(parted)
    expected = far_field(in_regime(problem, far_field="pairs"), solution)
    found = far_field(parted, solution)
    plain = far_field(parted, Solution(solution.a))
    for name in ("z_dot", "x_dot", "neighbor_dot"):
        right, left, without = (getattr(field, name) for field in (expected, found, plain))
        assert np.abs(left - right).max() < 3e-3 * np.abs(right).max()
        assert np.abs(left - right).max() < 0.1 * np.abs(without - right).max()


def test_too_many_columns_or_no_product_leave_the_sums_out(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(alike_nodes(300))
    parted = in_regime(problem, solver="partition", far_field="series", products=1)
    assert solve_codes(parted).slope_sums(problem.unit_singles) is not None
    assert solve_codes(parted, corrected=False).slope_sums(problem.unit_singles) is None
    monkeypatch.setattr("kces.engines.solve._SUMS_WORK", 1.0)
    assert solve_codes(parted).slope_sums(problem.unit_singles) is None


def test_the_field_does_not_depend_on_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(alike_nodes(700))
    a, totals = np.ones((700, 1)), []
    for threads in ("1", "2"):
        monkeypatch.setenv("KCES_NUM_THREADS", threads)
        totals.append(streamed_slope_sums(problem.unit_singles, a).totals)
    np.testing.assert_array_equal(totals[0].fields, totals[1].fields)
    np.testing.assert_array_equal(totals[0].along, totals[1].along)
