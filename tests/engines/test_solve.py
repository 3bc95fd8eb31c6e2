"""The solvers against each other."""

from __future__ import annotations

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.engines.solve import solve_codes
from problems import in_regime, problem_for


@pytest.mark.parametrize(("method", "tolerance"), [("iterative", 0.03), ("partition", 0.7)])
def test_solvers_for_large_graphs_approach_the_direct_one(method: str, tolerance: float) -> None:
    problem = problem_for(synthetic(n=1500, seed=1))
    direct = solve_codes(in_regime(problem, solver="direct")).a
    found = solve_codes(in_regime(problem, solver=method)).a
    assert np.linalg.norm(found - direct) <= tolerance * np.linalg.norm(direct)
