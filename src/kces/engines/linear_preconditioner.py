"""A preconditioner for the kernel: its linear part, which couples all nodes, inverted in O(N F²) time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

from kces.engines.moments import second_moment
from kces.types import Array, Singles

__all__ = ["linear_preconditioner"]


def linear_preconditioner(unit: Singles, ridge: float) -> Callable[[Array], Array]:
    """``(w Z Zᵀ + μ I)⁻¹`` by Woodbury; w and μ from the kernel's expansion k(c) = c/4 + c²/2π + …, k(1) = 1/2.

    >>> rows = np.eye(2, 3, dtype=np.float32)
    >>> linear_preconditioner(rows, 0.0)(np.ones((2, 1))).round(3).tolist()  # of half the identity
    [[2.0], [2.0]]
    """
    weight, rest = 0.25 + 0.5 / np.pi, 0.5 - 0.25 - 0.5 / np.pi + ridge
    inner = second_moment(unit).astype(np.float64)
    inner[np.diag_indices_from(inner)] += rest / weight
    factor = scipy.linalg.cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

    def apply(vectors: Array) -> Array:
        projected = scipy.linalg.cho_solve(factor, (unit.T @ vectors.astype(np.float32)).astype(np.float64))
        return (vectors - unit @ projected.astype(np.float32)) / rest

    return apply
