"""The kernel of compiled loops."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.fast_kernel import (
    kernel_curvature,
    kernel_slope,
    kernel_value,
    precise_kernel_value,
    single_kernel_value,
)
from kces.kernel import arc_cosine, slope_at_angle


def test_curvature_of_the_kernel() -> None:
    c, step = 0.3, 1e-4
    slope = (kernel_slope(c + step) - kernel_slope(c - step)) / (2 * step)
    assert kernel_curvature(c) == pytest.approx(slope, rel=1e-4)
    assert kernel_curvature(0.0) == pytest.approx(1 / np.pi)


def test_compiled_kernels_are_the_kernel() -> None:
    cosines = np.concatenate([np.linspace(-1.0, 1.0, 201), [1.0 - 1e-13, 1.0 + 1e-13, -1.0 - 1e-13]])
    expected = arc_cosine(cosines.copy())
    np.testing.assert_allclose([precise_kernel_value(c) for c in cosines], expected, atol=1e-15)
    np.testing.assert_allclose([kernel_value(c) for c in cosines], expected, atol=1e-8)
    np.testing.assert_allclose([single_kernel_value(np.float32(c)) for c in cosines], expected, atol=2e-7)
    inside = cosines[np.abs(cosines) < 0.99]
    np.testing.assert_allclose([kernel_slope(c) for c in inside], slope_at_angle(inside, np.arccos(inside)), atol=1e-7)
