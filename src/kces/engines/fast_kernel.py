"""The kernel and its slope for compiled loops, with an arccosine that the compiler can vectorise.

``arccos x = sqrt(1 − x) · p(x)`` on [0, 1] with a polynomial p of degree 7 (Abramowitz and Stegun 4.4.46) is right to
2e-8, and exact where it matters most, at x = 1. The exact engine uses the library's arccos instead.
"""

from __future__ import annotations

import numba
import numpy as np

from kces.kernel import COSINE_NOISE

__all__ = ["SLOPE_CAP", "fast_gram", "kernel_slope", "kernel_value"]

SLOPE_CAP = 0.99
"""The kernel's slope is infinite at c = 1. Between nodes more alike than this the slope at 0.99 is used."""


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


@numba.njit(inline="always", fastmath=True)
def kernel_slope(c):
    """``k'(c) = (π − arccos c + c / sqrt(1 − c²)) / 2π``, capped near ±1."""
    c = min(max(c, -SLOPE_CAP), SLOPE_CAP)
    return (np.pi - _arccos(c) + c / np.sqrt(1.0 - c * c)) / (2.0 * np.pi)


@numba.njit(parallel=True, fastmath=True, cache=True)
def fast_gram(ZZ, inverse_lengths):
    """The Gram matrix H from ``Z Zᵀ``, on all threads."""
    H = np.empty_like(ZZ)
    for p in numba.prange(len(ZZ)):
        for q in range(len(ZZ)):
            H[p, q] = kernel_value(ZZ[p, q] * inverse_lengths[p] * inverse_lengths[q])
    return H
