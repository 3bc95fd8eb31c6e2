"""Factors by blocks are those of numpy, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from kces.blocked_cholesky import factor_in_place, invert_in_place, transpose_in_place


def _definite(size: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(size, size + 3))
    return rows @ rows.T + np.eye(size)


@pytest.mark.parametrize("block", [1, 3, 5, 13, 40])
def test_the_blocks_do_not_matter(block: int) -> None:
    matrix = _definite(13)
    expected = np.linalg.cholesky(matrix)
    factor = factor_in_place(matrix.copy(), block)
    np.testing.assert_allclose(np.tril(factor), expected, atol=1e-12)
    inverse = invert_in_place(factor, block)
    np.testing.assert_allclose(np.tril(inverse), np.linalg.inv(expected), atol=1e-12)
    np.testing.assert_allclose(transpose_in_place(inverse, block), np.linalg.inv(expected).T, atol=1e-12)


@pytest.mark.parametrize("block", [2, 7])
def test_what_is_not_definite_is_an_error(block: int) -> None:
    matrix = _definite(7)
    matrix[5, 5] = -1.0
    with pytest.raises(scipy.linalg.LinAlgError):
        factor_in_place(matrix, block)


@pytest.mark.parametrize("block", [2, 7])
def test_a_zero_pivot_is_an_error(block: int) -> None:
    factor = np.linalg.cholesky(_definite(7))
    factor[4, 4] = 0.0
    with pytest.raises(scipy.linalg.LinAlgError, match="pivot 4"):
        invert_in_place(factor, block)


@pytest.mark.slow
def test_seventeen_thousand_rows_have_a_factor() -> None:
    """LAPACK's own ends the process here."""
    size = 17_000
    matrix = np.full((size, size), 0.1)
    matrix[np.diag_indices(size)] += 2.0
    factor = factor_in_place(matrix)
    np.testing.assert_allclose(factor[-1] @ factor[-1], 2.1, rtol=1e-12)
