"""The kernel of a block and its small linear algebra (compiled)."""

from __future__ import annotations

import numba
import numpy as np

from kces.engines.fast_kernel import kernel_value

__all__ = ["SMALLEST_PIVOT", "factor_in_place", "inverse_form", "kernel_matrix"]

SMALLEST_PIVOT = 1e-12
"""Stands in for the square of a pivot that is not positive: a singular block then has a large, finite form."""


@numba.njit(cache=True, fastmath=True)
def kernel_matrix(cosines, ridge, shared=0.0):
    """``k(c) − shared·c + λ I``, (s, s)."""
    K = np.empty_like(cosines)
    for p in range(len(K)):
        for q in range(len(K)):
            K[p, q] = kernel_value(cosines[p, q]) - shared * cosines[p, q]
        K[p, p] += ridge
    return K


@numba.njit(cache=True, fastmath=True)
def factor_in_place(K):
    """Cholesky factor in the lower triangle; blocks are too small for LAPACK's call to pay inside a parallel loop."""
    for p in range(len(K)):
        for q in range(p + 1):
            total = K[p, q]
            for r in range(q):
                total -= K[p, r] * K[q, r]
            if p == q:
                K[p, p] = np.sqrt(max(total, SMALLEST_PIVOT))
            else:
                K[p, q] = total / K[q, q]


@numba.njit(cache=True, fastmath=True)
def inverse_form(L, q):
    """``qᵀ (L Lᵀ)⁻¹ q``; overwrites q."""
    total = 0.0
    for p in range(len(L)):
        value = q[p]
        for r in range(p):
            value -= L[p, r] * q[r]
        q[p] = value / L[p, p]
        total += q[p] * q[p]
    return total
