"""Products of tall arrays."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.moments import second_moment, tall_product


@pytest.mark.parametrize("n", [1, 1_023, 5_000])
def test_products_are_those_of_numpy(n: int) -> None:
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((n, 7)).astype(np.float32)
    weights = generator.standard_normal(n).astype(np.float32)
    matrix = generator.standard_normal((7, 3)).astype(np.float32)
    scale = np.sqrt(n)
    np.testing.assert_allclose(second_moment(rows, weights), (rows * weights[:, None]).T @ rows, atol=1e-4 * scale)
    np.testing.assert_allclose(second_moment(rows), rows.T @ rows, atol=1e-3 * scale)
    np.testing.assert_allclose(tall_product(rows, matrix), rows @ matrix, atol=1e-5)


def test_the_number_of_threads_does_not_change_a_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).standard_normal((9_000, 40)).astype(np.float32)
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("KCES_NUM_THREADS", threads)
        found.append(second_moment(rows))
    np.testing.assert_array_equal(*found)
