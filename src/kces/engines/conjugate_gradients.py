"""Conjugate gradients for a symmetric positive definite operator, all right-hand sides side by side."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kces.types import Array

__all__ = ["TINY", "Operator", "conjugate_gradients"]

Operator = Callable[[Array], Array]

TINY = 1e-300
"""Below any energy that is not zero: a column that is solved, or was zero, takes steps of size zero."""


def _identity(vectors: Array) -> Array:
    return vectors


def conjugate_gradients(
    operator: Operator, right: Array, *, tolerance: float, steps: int, precondition: Operator = _identity
) -> Array:
    """``operator⁻¹ right``, shape (N, columns) as ``right``.

    Stops when every column's residual is at most ``tolerance`` of its right-hand side, or after ``steps`` steps.

    >>> matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> conjugate_gradients(lambda v: matrix @ v, np.array([[3.0], [4.0]]), tolerance=1e-9, steps=9).round(6).tolist()
    [[1.0], [1.0]]
    """
    x = np.zeros_like(right)
    residual = right
    direction = preconditioned = precondition(residual)
    energy = np.sum(residual * preconditioned, axis=0)
    wanted = tolerance * np.linalg.norm(right, axis=0)
    for _ in range(steps):
        image = operator(direction)
        step = energy / np.maximum(np.sum(direction * image, axis=0), TINY)
        x += step * direction
        residual = residual - step * image
        if (np.linalg.norm(residual, axis=0) <= wanted).all():
            break
        preconditioned = precondition(residual)
        new_energy = np.sum(residual * preconditioned, axis=0)
        direction = preconditioned + (new_energy / np.maximum(energy, TINY)) * direction
        energy = new_energy
    return x
