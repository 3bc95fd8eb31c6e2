"""The solve of the largest graphs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.engines.partition import descend, solve_partitioned
from kces.engines.similarity_blocks import similarity_blocks
from kces.engines.solve import solve_codes
from kces.engines.split_kernel import SplitKernel
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


def test_the_split_kernel_differs_outside_its_blocks_only_and_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kces.engines.far_features.CENTERS", 16)
    rows = single_rows(400)
    kernel = StreamedKernel(rows) @ np.eye(400)
    whole, parted = (SplitKernel(rows, block=block) @ np.eye(400) for block in (400, 50))
    np.testing.assert_allclose(whole, kernel, atol=1e-5)
    blocks = similarity_blocks(rows, 50)
    same = np.zeros((400, 400), dtype=bool)
    for nodes in blocks:
        same[np.ix_(nodes, nodes)] = True
    np.testing.assert_allclose(parted[same], kernel[same], atol=1e-5)
    assert 1e-4 < np.abs(parted - kernel).max() < 0.05


def test_more_centers_bring_the_split_kernel_closer(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = single_rows(600)
    kernel, errors = StreamedKernel(rows) @ np.eye(600), []
    for centers in (1, 16, 128):
        monkeypatch.setattr("kces.engines.far_features.CENTERS", centers)
        parted = SplitKernel(rows, block=32) @ np.eye(600)
        errors.append(np.linalg.norm(parted - kernel))
        assert np.linalg.eigvalsh(parted).min() > -1e-3  # positive semidefinite, up to rounding
    assert errors[2] < errors[1] < errors[0]


def test_products_approach_the_solution_on_the_true_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kces.engines.split_kernel._BLOCK", 64)
    monkeypatch.setattr("kces.engines.far_features.CENTERS", 16)
    problem = problem_for(synthetic(n=600, seed=1))
    truth = np.linalg.solve(problem.gram() + problem.ridge * np.eye(600), problem.codes)
    errors = [
        np.linalg.norm(solve_partitioned(problem.unit_singles, problem.codes, problem.ridge, 0, times) - truth)
        for times in (0, 1, 2)
    ]
    assert errors[2] < errors[1] < errors[0]


def test_no_step_of_the_descent_makes_the_error_larger() -> None:
    """Even where the proposed directions are those of another matrix, along which plain corrections would diverge."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 40))
    matrix, right = rows @ rows.T, rng.normal(size=(30, 2))
    truth = np.linalg.solve(matrix, right)

    def error(products: int) -> float:
        proposed = iter(products * [1.0] + [0.0])  # the last direction, whose length is a guess, is none
        rest = descend(lambda v: matrix @ v, right, lambda v: next(proposed) * v / 3.0, products) - truth
        return float(np.sum(rest * (matrix @ rest)))

    errors = [error(products) for products in range(8)]
    assert all(after < before for before, after in pairwise(errors))


def test_the_last_direction_goes_as_far_as_the_one_before_it() -> None:
    matrix, right = np.diag([1.0, 3.0]), np.ones((2, 1))
    ways = [descend(lambda v: matrix @ v, right, lambda v: v / 4.0, products).ravel().tolist() for products in (0, 1)]
    assert ways == [[0.25, 0.25], [0.875, 0.375]]  # two times (0.25, 0.25), then two times (0.1875, -0.0625)
