"""What the far nodes explain of a block."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.explained import explained_linear_part
from problems import alike_nodes, problem_for


def test_explained_part_is_the_mean_of_what_others_predict() -> None:
    problem = problem_for(alike_nodes(300))
    G = problem.unit @ problem.unit.T
    ratio = 1.0 + 4.0 * problem.ridge
    freedom = np.trace(G @ np.linalg.inv(G + ratio * np.eye(300)))
    assert explained_linear_part(problem) == pytest.approx(0.25 * (1 - freedom / 300), abs=0.003)
