"""The subgraph engines."""

from __future__ import annotations

import numpy as np

from kces.datasets.toys import star
from kces.engines import choose_engine
from oracle import oracle_changes
from problems import problem_for


def test_subgraph_is_the_complexity_of_the_surroundings() -> None:
    """On a star every edge's surroundings are the whole graph, so the subgraph form is exact there."""
    problem = problem_for(star(7))
    found = choose_engine("subgraph", problem)[0].score(problem)
    np.testing.assert_allclose(found, oracle_changes(problem.graph, problem.codes, problem.ridge), atol=1e-6)
