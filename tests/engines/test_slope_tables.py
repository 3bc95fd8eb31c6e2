"""The slope of the kernel, a line for most pairs and tables for the rest."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.slope_tables import TAYLOR, stored_slopes
from kces.engines.triangle import SCALE, KernelTriangle
from kces.kernel import arc_cosine, slope_at_angle
from kces.types import Array, Singles


def unit_rows(width: int, *, positive: bool, n: int = 700) -> Singles:
    rows = np.random.default_rng(0).standard_normal((n, width))
    rows = np.abs(rows) if positive else rows
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def slope(cosines: Array) -> Array:
    found: Array = slope_at_angle(cosines, np.arccos(cosines))
    return found


@pytest.mark.parametrize("width", [4, 40, 400])
@pytest.mark.parametrize("positive", [True, False])
def test_line_and_tables_are_the_slope_of_every_pair(width: int, positive: bool) -> None:
    unit = unit_rows(width, positive=positive)
    slopes = stored_slopes(KernelTriangle(unit))
    cosines = (unit @ unit.T)[np.tril_indices(700, -1)].astype(np.float64)
    cosines = cosines[(cosines > -0.5) & (cosines < 0.98)]  # beyond, the kernel does not tell, or the slope is capped
    values = np.rint(arc_cosine(cosines) * np.float64(SCALE)).astype(np.int64)
    above = values - slopes.first
    found = slopes.line.at_zero + slopes.line.rise * cosines
    found += np.where(above >= 0, slopes.rest[np.maximum(above, 0)], 0.0)
    np.testing.assert_allclose(found, slope(cosines), atol=3e-3)
    looked_up = above >= 0
    along = slopes.along[above[looked_up]]
    np.testing.assert_allclose(along, slopes.rest[above[looked_up]] * cosines[looked_up], atol=1e-4)


def test_where_features_are_many_few_pairs_are_looked_up() -> None:
    unit = unit_rows(400, positive=False)
    triangle = KernelTriangle(unit)
    assert np.mean(triangle.cells >= stored_slopes(triangle).first) < 0.05


def test_pairs_with_nothing_in_common_take_the_expansion() -> None:
    assert stored_slopes(KernelTriangle(np.eye(40, dtype=np.float32))).line == TAYLOR
