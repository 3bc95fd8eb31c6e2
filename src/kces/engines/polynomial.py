"""Polynomials for compiled loops, made from documented tables of coefficients."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numba
import numpy as np

__all__ = ["compiled_polynomial"]


def compiled_polynomial(
    coefficients: Sequence[float], precision: type[np.floating] = np.float64
) -> Callable[..., np.floating]:
    """``p_0 + p_1 x + p_2 x² + …`` by Horner's rule, as a function for other compiled functions.

    One small function per coefficient, each inlined into the next: the loop is unrolled before the compiler sees it,
    so that loops around the polynomial are vectorized.

    >>> compiled_polynomial([1.0, 0.0, 2.0])(3.0)
    19.0
    """
    first, rest = precision(coefficients[0]), coefficients[1:]
    if not len(rest):

        @numba.njit(inline="always", fastmath=True)
        def constant(x):  # type: ignore[no-untyped-def]
            return first

        return constant
    higher = compiled_polynomial(rest, precision)

    @numba.njit(inline="always", fastmath=True)
    def value(x):  # type: ignore[no-untyped-def]
        return higher(x) * x + first

    return value
