"""The kernel's slope read off the stored kernel: a straight line that serves most pairs, and the rest of the others.

The far field needs ``k'(c)`` for all pairs of nodes. A straight line ``s₀ + s₁ c`` costs nothing, since sums over all
nodes then factor; fitted to the pairs that a graph has it is nearly right for all of them but those most alike. These,
often a few percent, are looked up one by one, in tables by stored value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import SLOPE_CAP
from kces.engines.triangle import SCALE, STRIP, KernelTriangle
from kces.kernel import arc_cosine, slope_at_angle
from kces.types import Array, Ints, Singles

__all__ = ["TAYLOR", "SlopeLine", "SlopeTables", "sampled_line", "stored_slopes"]

_ERROR = 1e-3
"""Of the line, at most; the slope of pairs with nothing in common is 0.25."""
_SHARES = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64)
"""Of all pairs, those most alike, whose slope is looked up: the least with which the line is as good as that."""
_ROWS = 128
"""Of the kernel, from which the shares are counted, or a line is fitted."""
_BELOW_ALL = -int(SCALE) // 10
"""Less than any stored value."""
_LOWEST = -0.65
"""Cosine down to which the kernel falls with it; the few pairs below are taken for pairs at it."""


class SlopeLine(NamedTuple):
    """``k'(c) ≈ at_zero + rise · c``."""

    at_zero: float
    rise: float


TAYLOR = SlopeLine(0.25, 1.0 / np.pi)
"""The first two terms of the slope's expansion: right for pairs that are not alike."""


class SlopeTables(NamedTuple):
    """What the line leaves out, by stored value from ``first`` on: the ``rest`` of the slope, and the rest times c."""

    line: SlopeLine
    first: int
    rest: Singles
    along: Singles


def stored_slopes(triangle: KernelTriangle) -> SlopeTables:
    """The line through the slopes of all pairs but those most alike, as few as will do, and tables for these.

    >>> stored_slopes(KernelTriangle(np.eye(3, dtype=np.float32))).line == TAYLOR  # no two rows are alike
    True
    """
    values, counts = _sampled_values(triangle)
    cosines = _cosines(values)
    order = np.cumsum(counts) / counts.sum()
    for share in _SHARES:
        served = order <= 1.0 - share
        line = _fitted_line(cosines[served], counts[served])
        if np.abs(_left_out(line, cosines[served])).max(initial=0.0) <= _ERROR:
            break
    else:
        served = np.zeros_like(served)
    first = int(values[served].max(initial=_BELOW_ALL)) + 1
    looked_up = _cosines(np.arange(first, int(SCALE) // 2 + 1))
    rest = _left_out(line, looked_up)
    return SlopeTables(line, first, rest.astype(np.float32), (rest * looked_up).astype(np.float32))


def sampled_line(unit: Singles) -> SlopeLine:
    """The line through the slopes of all pairs, for unit rows (N, F) whose kernel is not stored.

    >>> sampled_line(np.eye(3, dtype=np.float32)) == TAYLOR  # no two rows are alike
    True
    """
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        rows = [unit[:k] @ unit[k] for k in _sampled_rows(len(unit))]
    cosines, counts = np.unique(np.concatenate(rows).astype(np.float64), return_counts=True)
    return _fitted_line(cosines, counts)


def _sampled_rows(n: int) -> range:
    return range(0, n, max(1, n // _ROWS))


def _sampled_values(triangle: KernelTriangle) -> tuple[Ints, Ints]:
    """Stored values between different nodes, and how often they occur in a sample of the rows."""
    n = int(triangle.bounds[-1])
    rows = [triangle.strip(k // STRIP)[k % STRIP, :k] for k in _sampled_rows(n)]
    values, counts = np.unique(np.concatenate(rows), return_counts=True)
    return values.astype(np.int64), counts


def _cosines(values: Ints) -> Array:
    """Of stored values, by interpolation."""
    angles = np.linspace(np.arcsin(_LOWEST), np.pi / 2, 20_001)  # even in the angle: dense where the kernel is steep
    cosines = np.sin(angles)
    return np.interp(values / np.float64(SCALE), arc_cosine(cosines), cosines)


def _fitted_line(cosines: Array, counts: Ints) -> SlopeLine:
    """By least squares; the expansion's first terms where there is nothing to fit."""
    if len(cosines) < 2:
        return TAYLOR
    at_zero, rise = np.polynomial.polynomial.polyfit(cosines, _slopes(cosines), 1, w=np.sqrt(counts))
    return SlopeLine(float(at_zero), float(rise))


def _left_out(line: SlopeLine, cosines: Array) -> Array:
    return _slopes(cosines) - line.at_zero - line.rise * cosines


def _slopes(cosines: Array) -> Array:
    capped = np.minimum(cosines, SLOPE_CAP)
    slopes: Array = slope_at_angle(capped, np.arccos(capped))
    return slopes
