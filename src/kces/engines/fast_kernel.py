"""The kernel and its slope for compiled loops, with an arccosine that the compiler can vectorise.

``arccos x = sqrt(1 − x) · p(x)`` on [0, 1] with a polynomial p of degree 7 (Abramowitz and Stegun 4.4.46) is right to
2e-8, and exact where it matters most, at x = 1. The exact engine uses the library's arccos instead.
"""

from __future__ import annotations

import numba
import numpy as np

from kces.kernel import COSINE_NOISE

__all__ = [
    "CURVATURE_CAP",
    "NEAR",
    "NEAR_COSINE",
    "SLOPE_CAP",
    "fast_gram",
    "kernel_curvature",
    "kernel_slope",
    "kernel_value",
    "near_cosine",
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


@numba.njit(inline="always", fastmath=True)
def _arccos(x):
    y = abs(x)
    p = -0.0012624911
    p = p * y + 0.0066700901
    p = p * y - 0.0170881256
    p = p * y + 0.0308918810
    p = p * y - 0.0501743046
    p = p * y + 0.0889789874
    p = p * y - 0.2145988016
    p = p * y + 1.5707963050
    angle = np.sqrt(1.0 - y) * p
    return angle if x >= 0.0 else np.pi - angle


@numba.njit(inline="always", fastmath=True)
def kernel_value(c):
    """``c (π − arccos c) / 2π`` with c clipped to [-1, 1]."""
    c = 1.0 if c > 1.0 - COSINE_NOISE else c
    c = -1.0 if c < COSINE_NOISE - 1.0 else c
    return c * (np.pi - _arccos(c)) / (2.0 * np.pi)


_SINGLE = np.float32(1.0)
_SINGLE_PI = np.float32(np.pi)
_SINGLE_TURN = np.float32(2.0 * np.pi)
_S0, _S1, _S2, _S3 = np.array([1.5707963050, -0.2145988016, 0.0889789874, -0.0501743046], dtype=np.float32)
_S4, _S5, _S6, _S7 = np.array([0.0308918810, -0.0170881256, 0.0066700901, -0.0012624911], dtype=np.float32)


@numba.njit(inline="always", fastmath=True)
def single_kernel_value(c):
    """``kernel_value`` for a single-precision c with no step in double precision: twice as many at a time."""
    c = min(max(c, -_SINGLE), _SINGLE)
    y = abs(c)
    p = ((((((_S7 * y + _S6) * y + _S5) * y + _S4) * y + _S3) * y + _S2) * y + _S1) * y + _S0
    angle = np.sqrt(_SINGLE - y) * p
    return c * (_SINGLE_PI - angle if c >= 0 else angle) / _SINGLE_TURN


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
    """``k'(c) = (π − arccos c + c / sqrt(1 − c²)) / 2π``, capped near ±1."""
    c = min(max(c, -SLOPE_CAP), SLOPE_CAP)
    return (np.pi - _arccos(c) + c / np.sqrt(1.0 - c * c)) / (2.0 * np.pi)


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
