"""The one conjugate-gradient solver."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.conjugate_gradients import conjugate_gradients


@pytest.fixture
def system() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    factor = generator.standard_normal((40, 40))
    scale = np.logspace(0, 2, 40)
    return np.diag(scale) + 0.01 * factor @ factor.T, generator.standard_normal((40, 3))


def test_solves_all_columns_to_the_tolerance(system: tuple[np.ndarray, np.ndarray]) -> None:
    matrix, right = system
    x = conjugate_gradients(lambda v: matrix @ v, right, tolerance=1e-8, steps=200)
    residual = np.linalg.norm(matrix @ x - right, axis=0)
    assert (residual <= 1.1e-8 * np.linalg.norm(right, axis=0)).all()


def test_a_preconditioner_saves_steps(system: tuple[np.ndarray, np.ndarray]) -> None:
    matrix, right = system
    inverse = 1.0 / np.diag(matrix)[:, None]
    taken = {}
    for name, precondition in (("plain", lambda v: v), ("diagonal", lambda v: inverse * v)):
        steps = []

        def operator(v: np.ndarray, steps: list[int] = steps) -> np.ndarray:
            steps.append(1)
            return matrix @ v

        conjugate_gradients(operator, right, tolerance=1e-6, steps=200, precondition=precondition)
        taken[name] = len(steps)
    assert taken["diagonal"] < taken["plain"] / 2


def test_zero_columns_stay_zero_and_the_input_is_kept(system: tuple[np.ndarray, np.ndarray]) -> None:
    matrix, right = system
    right[:, 1] = 0.0
    before = right.copy()
    x = conjugate_gradients(lambda v: matrix @ v, right, tolerance=1e-8, steps=200)
    assert np.array_equal(x[:, 1], np.zeros(40))
    assert np.array_equal(right, before)


def test_stops_after_the_steps_it_is_given(system: tuple[np.ndarray, np.ndarray]) -> None:
    matrix, right = system
    assert np.array_equal(conjugate_gradients(lambda v: matrix @ v, right, tolerance=0.0, steps=0), 0.0 * right)
