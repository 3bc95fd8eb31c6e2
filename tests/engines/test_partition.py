"""The solve of the largest graphs."""

from __future__ import annotations

import numpy as np

from kces.datasets.builtin import synthetic
from kces.engines.partition import similarity_blocks
from kces.engines.solve import solve_codes
from problems import in_regime, problem_for


def test_partitioned_solve_with_one_block_is_exact() -> None:
    problem = problem_for(synthetic(n=300, seed=1))
    direct = solve_codes(in_regime(problem, solver="direct")).a
    np.testing.assert_allclose(solve_codes(in_regime(problem, solver="partition")).a, direct, rtol=0.02, atol=0.02)


def test_similarity_blocks_cover_every_node_once() -> None:
    problem = problem_for(synthetic(n=500, seed=1))
    blocks = similarity_blocks(problem.unit, 60)
    assert max(map(len, blocks)) <= 60
    assert np.array_equal(np.sort(np.concatenate(blocks)), np.arange(500))
