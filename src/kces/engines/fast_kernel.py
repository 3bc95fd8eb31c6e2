"""The kernel and its slope for compiled loops, with an arccosine that the compiler can vectorize.

``arccos x = sqrt(1 − x) · p(x)`` on [0, 1] with a polynomial p of degree 7 (Abramowitz and Stegun 4.4.46) is right to
2e-8, and exact where it matters most, at x = 1. The exact engine uses one that is right to the last digits instead.

Loops around a function that divides by what is computed take ``error_model="numpy"``: the check for a division by zero,
which never happens here, would keep the compiler from vectorizing them, and cost them a factor of five to fifteen.
"""

from __future__ import annotations

import numba
import numpy as np

from kces.engines.polynomial import compiled_polynomial
from kces.kernel import COSINE_NOISE, slope_at_angle, value_at_angle

__all__ = [
    "ARCCOS",
    "CURVATURE_CAP",
    "NEAR",
    "NEAR_COSINE",
    "SLOPE_CAP",
    "fast_gram",
    "fill_precise_gram",
    "kernel_curvature",
    "kernel_slope",
    "kernel_value",
    "near_cosine",
    "precise_kernel_value",
    "single_kernel_slope",
    "single_kernel_value",
]

SLOPE_CAP = 0.99
"""The kernel's slope is infinite at c = 1. Between nodes more alike than this the slope at 0.99 is used."""

CURVATURE_CAP = 0.8
"""As for the slope; the second order of an expansion fails much earlier than the first."""

NEAR = 0.45
"""Kernel value (of a cosine of 0.94) above which a single-precision dot product is too coarse: near 1 the kernel is
steep, and whether two nodes are twins or nearly so is a difference that the ridge can tell."""
NEAR_COSINE = np.float32(0.94)


ARCCOS = (
    1.5707963050,
    -0.2145988016,
    0.0889789874,
    -0.0501743046,
    0.0308918810,
    -0.0170881256,
    0.0066700901,
    -0.0012624911,
)
"""p_0 … p_7 of ``arccos x ≈ sqrt(1 − x) (p_0 + p_1 x + … + p_7 x⁷)`` for 0 ≤ x ≤ 1 (Abramowitz and Stegun 4.4.46)."""

ARCSIN = (
    (
        1.66666666666666657415e-01,
        -3.25565818622400915405e-01,
        2.01212532134862925881e-01,
        -4.00555345006794114027e-02,
        7.91534994289814532176e-04,
        3.47933107596021167570e-05,
    ),
    (
        1.0,
        -2.40339491173441421878e00,
        2.02094576023350569471e00,
        -6.88283971605453293030e-01,
        7.70381505559019352791e-02,
    ),
)
"""P and Q of ``arcsin s ≈ s + s³ P(s²) / Q(s²)`` for 0 ≤ s ≤ 1/2, right to the last digits of a double (fdlibm)."""

_factor = compiled_polynomial(ARCCOS)
_above, _below = compiled_polynomial(ARCSIN[0]), compiled_polynomial(ARCSIN[1])
_single_factor = compiled_polynomial(ARCCOS, np.float32)
_value_at_angle = numba.njit(inline="always", fastmath=True)(value_at_angle)
_slope_at_angle = numba.njit(inline="always", fastmath=True)(slope_at_angle)


@numba.njit(inline="always", fastmath=True)
def _arccos(x):
    y = abs(x)
    angle = np.sqrt(1.0 - y) * _factor(y)
    return angle if x >= 0.0 else np.pi - angle


@numba.njit(inline="always", fastmath=True)
def _snapped(c):
    """As ``kces.kernel.snap_cosine``, for one number."""
    c = 1.0 if c > 1.0 - COSINE_NOISE else c
    return -1.0 if c < COSINE_NOISE - 1.0 else c


@numba.njit(inline="always", fastmath=True)
def kernel_value(c):
    """``c (π − arccos c) / 2π`` with c clipped to [-1, 1]."""
    c = _snapped(c)
    return _value_at_angle(c, _arccos(c))


@numba.njit(inline="always")
def _precise_arccos(x):
    """``π/2 − arcsin x``, above 1/2 ``2 arcsin sqrt((1 − x) / 2)``; without a branch, so that loops are vectorized."""
    y = abs(x)
    squared = 0.5 * (1.0 - y) if y > 0.5 else y * y
    s = np.sqrt(squared)
    angle = s + s * (squared * _above(squared) / _below(squared))
    angle = 2.0 * angle if y > 0.5 else 0.5 * np.pi - angle
    return angle if x >= 0.0 else np.pi - angle


@numba.njit(inline="always")
def precise_kernel_value(c):
    """The same right to the last digits: for the exact engine."""
    c = _snapped(c)
    return _value_at_angle(c, _precise_arccos(c))


_SINGLE = np.float32(1.0)
_SINGLE_PI = np.float32(np.pi)
_SINGLE_TURN = np.float32(2.0 * np.pi)
_SINGLE_CAP = np.float32(SLOPE_CAP)


@numba.njit(inline="always", fastmath=True)
def single_kernel_value(c):
    """``kernel_value`` for a single-precision c with no step in double precision: twice as many at a time."""
    c = min(max(c, -_SINGLE), _SINGLE)
    y = abs(c)
    angle = np.sqrt(_SINGLE - y) * _single_factor(y)
    return c * (_SINGLE_PI - angle if c >= 0 else angle) / _SINGLE_TURN


@numba.njit(inline="always", fastmath=True)
def single_kernel_slope(c):
    """``kernel_slope`` for a single-precision c, likewise."""
    c = min(max(c, -_SINGLE_CAP), _SINGLE_CAP)
    y = abs(c)
    angle = np.sqrt(_SINGLE - y) * _single_factor(y)
    return ((_SINGLE_PI - angle if c >= 0 else angle) + c / np.sqrt(_SINGLE - c * c)) / _SINGLE_TURN


@numba.njit(fastmath=True, cache=True)
def near_cosine(first, second):
    """The cosine of two unit vectors from their difference, which keeps its digits where they are nearly equal."""
    gap = 0.0
    for f in range(len(first)):
        difference = np.float64(first[f]) - np.float64(second[f])
        gap += difference * difference
    return 1.0 - 0.5 * gap


@numba.njit(inline="always", fastmath=True)
def kernel_slope(c):
    """``k'(c)``, capped near ±1."""
    c = min(max(c, -SLOPE_CAP), SLOPE_CAP)
    return _slope_at_angle(c, _arccos(c))


@numba.njit(inline="always", fastmath=True)
def kernel_curvature(c):
    """``k''(c) = (2 − c²) / 2π (1 − c²)^(3/2)``, which is 1/π at 0, capped near ±1."""
    c = min(max(c, -CURVATURE_CAP), CURVATURE_CAP)
    rest = 1.0 - c * c
    return (1.0 + rest) / (2.0 * np.pi * rest * np.sqrt(rest))


@numba.njit(parallel=True, fastmath=True, cache=True)
def fast_gram(ZZ, inverse_lengths):
    """The Gram matrix H from ``Z Zᵀ``, on all threads."""
    H = np.empty_like(ZZ)
    for p in numba.prange(len(ZZ)):
        for q in range(len(ZZ)):
            H[p, q] = kernel_value(ZZ[p, q] * inverse_lengths[p] * inverse_lengths[q])
    return H


@numba.njit(parallel=True, cache=True, error_model="numpy")
def fill_precise_gram(ZZ, inverse_lengths, H):
    """The same right to the last digits, into H."""
    for p in numba.prange(len(ZZ)):
        zz, own, row = ZZ[p], inverse_lengths[p], H[p]
        for q in range(len(ZZ)):
            row[q] = precise_kernel_value(zz[q] * own * inverse_lengths[q])
