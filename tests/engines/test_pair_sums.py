"""Sums over alike pairs, against the sum over all pairs as written."""

from __future__ import annotations

import numpy as np
import pytest

from kces.engines.pair_sums import stored_pair_sums
from kces.engines.slope_tables import SlopeTables, stored_slopes
from kces.engines.triangle import STRIP, KernelTriangle
from kces.types import Array, Singles


def unit_rows(n: int, *, alike: bool) -> Singles:
    """All rows quite alike, or only those of the same of 150 groups."""
    rng = np.random.default_rng(0)
    if alike:
        rows = np.abs(rng.standard_normal((n, 80)))
    else:
        rows = rng.standard_normal((150, 1_000))[np.arange(n) % 150] + rng.standard_normal((n, 1_000))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def as_written(unit: Singles, triangle: KernelTriangle, slopes: SlopeTables, a: Array) -> tuple[Array, Array]:
    """By the stored values: a pair at the first of them may be looked up or not as rounding has it."""
    cosines = unit.astype(np.float64) @ unit.T
    above = np.full(cosines.shape, -1)
    for k in range(len(unit)):
        above[k, :k] = triangle.strip(k // STRIP)[k % STRIP, :k].astype(np.int64) - slopes.first
    above = np.maximum(above, above.T)
    rest = np.where(above >= 0, slopes.rest[np.maximum(above, 0)], 0.0)
    return (rest * cosines @ a).T, np.stack([rest @ (column[:, None] * unit) for column in a.T])


def looked_up_share(triangle: KernelTriangle, slopes: SlopeTables) -> float:
    rows = [triangle.strip(k // STRIP)[k % STRIP, :k] for k in range(int(triangle.bounds[-1]))]
    return float((np.concatenate(rows) >= slopes.first).mean())


@pytest.mark.parametrize("alike", [False, True], ids=["few pairs", "all pairs"])
def test_the_sums_are_those_over_all_pairs(alike: bool) -> None:
    """One by one where few pairs of a tile are alike, as products where many are."""
    unit = unit_rows(1_400, alike=alike)
    triangle = KernelTriangle(unit)
    slopes = stored_slopes(triangle)
    a = np.random.default_rng(1).standard_normal((len(unit), 2))
    found = stored_pair_sums(triangle, slopes, a, unit)
    assert (looked_up_share(triangle, slopes) > 0.5) == alike
    along, fields = as_written(unit, triangle, slopes, a)
    assert np.abs(along).max() > 0.01
    np.testing.assert_allclose(found.along, along, atol=1e-3 * np.abs(along).max())
    np.testing.assert_allclose(found.fields, fields, atol=1e-3 * np.abs(fields).max())
