"""Passes over Pro-GNN's matrix against the same formulas on whole arrays; more than a tile of columns, odd numbers."""

from __future__ import annotations

import numpy as np
import pytest

from kces.lab.defenses.learned_steps import Descent, descend, sums_and_distance, weighted_sums

N = 1_037


@pytest.fixture(scope="module")
def matrices() -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    return [generator.random((N, N), dtype=np.float32) for _ in range(4)]


def test_sums_and_distance(matrices: list[np.ndarray]) -> None:
    S, given = matrices[:2]
    rows, columns, squares = sums_and_distance(S, given)
    np.testing.assert_allclose(rows, S.sum(axis=1), rtol=1e-4)
    np.testing.assert_allclose(columns, S.sum(axis=0), rtol=1e-4)
    assert squares == pytest.approx(((S - given) ** 2).sum(), rel=1e-4)


def test_weighted_sums(matrices: list[np.ndarray]) -> None:
    S, similarity = matrices[:2]
    root = matrices[2][0]
    weighted = S * similarity
    np.testing.assert_allclose(weighted_sums(S, similarity, root), weighted @ root + weighted.T @ root, rtol=1e-4)


@pytest.mark.parametrize("with_similarity", [True, False])
@pytest.mark.parametrize("shrink", [0.1, -1.0])
def test_descend(matrices: list[np.ndarray], with_similarity: bool, shrink: float) -> None:
    S, momentum, given, similarity = (each.copy() for each in matrices)
    generator = np.random.default_rng(1)
    left = generator.standard_normal((N, 8), dtype=np.float32)
    right = generator.standard_normal((8, N), dtype=np.float32)
    root = generator.random(N, dtype=np.float32)
    step = Descent(left, right, root, 0.5, 0.3, 0.9, 0.05, shrink)
    gradient = left @ right + 0.5 * (S - given)
    if with_similarity:
        gradient -= 0.3 * root[:, None] * similarity * root
    moved = 0.9 * momentum + gradient
    expected = S - 0.05 * moved
    if shrink >= 0:
        expected = np.clip(expected - shrink, 0.0, 1.0)
    descend(S, momentum, given, similarity if with_similarity else None, step)
    np.testing.assert_allclose(momentum, moved, atol=1e-4)
    np.testing.assert_allclose(S, expected, atol=1e-5)
