"""The solve of the largest graphs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.engines.partition import descend, solve_partitioned
from kces.engines.solve import solve_codes
from kces.engines.split_kernel import SplitKernel, similarity_blocks
from kces.engines.streamed_kernel import KeptKernel, StreamedKernel
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


def single_rows(n: int) -> np.ndarray:
    return problem_for(synthetic(n=n, seed=1)).unit_singles


def test_the_streamed_kernel_is_the_kernel() -> None:
    problem = problem_for(synthetic(n=700, seed=1))
    vectors = np.random.default_rng(0).standard_normal((700, 2))
    np.testing.assert_allclose(StreamedKernel(problem.unit_singles) @ vectors, problem.gram() @ vectors, atol=1e-3)


def test_the_kept_kernel_is_the_streamed_one() -> None:
    rows = single_rows(1_500)  # more than one tile on either side
    vectors = np.random.default_rng(0).standard_normal((1_500, 2))
    np.testing.assert_array_equal(KeptKernel(rows) @ vectors, StreamedKernel(rows) @ vectors)


def test_the_split_kernel_differs_outside_its_blocks_only_and_little() -> None:
    rows = single_rows(400)
    kernel = StreamedKernel(rows) @ np.eye(400)
    whole, parted = (SplitKernel(rows, block=block) @ np.eye(400) for block in (400, 50))
    np.testing.assert_allclose(whole, kernel, atol=1e-5)
    blocks = similarity_blocks(rows, 50)
    same = np.zeros((400, 400), dtype=bool)
    for nodes in blocks:
        same[np.ix_(nodes, nodes)] = True
    np.testing.assert_allclose(parted[same], kernel[same], atol=1e-5)
    assert 1e-4 < np.abs(parted - kernel).max() < 0.091


def test_corrections_approach_the_solution_on_the_true_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kces.engines.split_kernel._BLOCK", 64)
    problem = problem_for(synthetic(n=600, seed=1))
    truth = np.linalg.solve(problem.gram() + problem.ridge * np.eye(600), problem.codes)
    errors = [
        np.linalg.norm(solve_partitioned(problem.unit_singles, problem.codes, problem.ridge, 0, times)[0] - truth)
        for times in (0, 2, 3)
    ]
    assert errors[2] < errors[1] < errors[0]


def test_no_step_of_the_descent_makes_the_error_larger() -> None:
    """Even where the proposed directions are those of another matrix, along which plain corrections would diverge."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 40))
    matrix, right = rows @ rows.T, rng.normal(size=(30, 2))
    truth = np.linalg.solve(matrix, right)

    def error(steps: int) -> float:
        rest = descend(lambda v: matrix @ v, right, lambda v: v / 3.0, steps)[0] - truth
        return float(np.sum(rest * (matrix @ rest)))

    errors = [error(steps) for steps in range(8)]
    assert all(after < before for before, after in pairwise(errors))
