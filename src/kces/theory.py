"""The bounds of the paper as functions that can be checked (paper, section 3 and appendix B)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg

from kces.errors import InvalidParameterError, SingularKernelError
from kces.kernel import RIDGE, check_ridge, complexity
from kces.types import Array

__all__ = [
    "ErrorBound",
    "edge_bound",
    "error_bound",
    "sampling_error",
    "simulate_training",
    "smallest_eigenvalue",
    "training_curve",
]


@dataclass(frozen=True)
class ErrorBound:
    """The parts of Theorem 3.2. ``value`` is their sum, with the hidden constant of O(·) taken as 1."""

    root_gkc: float
    epsilon: float
    smallest_eigenvalue: float

    @property
    def value(self) -> float:
        return self.root_gkc + self.epsilon


def smallest_eigenvalue(H: Array) -> float:
    """``λ_min(H)``, the λ₀ of Assumption B.1.

    >>> round(smallest_eigenvalue(np.diag([0.5, 0.25])), 6)
    0.25
    """
    return float(scipy.linalg.eigh(H, eigvals_only=True, subset_by_index=[0, 0])[0])


def sampling_error(n_nodes: int, smallest: float, delta: float = 0.05) -> float:
    """``ε_N = sqrt(log(N / (λ₀ δ)) / N)``, the constant of O(·) taken as 1.

    >>> round(sampling_error(100, 0.1), 3)
    0.315
    """
    if not 0 < delta < 1:
        raise InvalidParameterError(f"delta must lie in (0, 1), got {delta}")
    if smallest <= 0:
        raise SingularKernelError("the bound needs a positive smallest eigenvalue; use a ridge > 0")
    return float(np.sqrt(max(np.log(n_nodes / (smallest * delta)), 0.0) / n_nodes))


def error_bound(H: Array, codes: Array, *, ridge: float = RIDGE, delta: float = 0.05) -> ErrorBound:
    """Theorem 3.2: ``√GKC + ε_N``. The ridge counts towards λ₀, because it is part of our GKC.

    >>> bound = error_bound(0.5 * np.eye(4), np.ones((4, 1)))
    >>> round(bound.root_gkc, 3), bound.value > bound.root_gkc
    (1.998, True)
    """
    smallest = max(smallest_eigenvalue(H), 0.0) + check_ridge(ridge)
    return ErrorBound(
        root_gkc=float(np.sqrt(complexity(H, codes, ridge))),
        epsilon=sampling_error(len(H), smallest, delta),
        smallest_eigenvalue=smallest,
    )


def edge_bound(bound: ErrorBound, kc: Array) -> Array:
    """Corollary 4.1, for every edge: ``√GKC + √KC(i, j) + ε_N`` bounds the test error after its removal.

    >>> edge_bound(ErrorBound(1.0, 0.5, 0.1), np.array([0.0, 4.0])).tolist()
    [1.5, 3.5]
    """
    return bound.value + np.sqrt(np.abs(kc))


def training_curve(H: Array, codes: Array, *, step: float, steps: int) -> Array:
    """Theorem 3.1: the predicted residual ``‖(I − ηH)ᵗ y‖`` for t = 0 … steps.

    >>> training_curve(np.eye(1), np.ones(1), step=0.5, steps=2).tolist()
    [1.0, 0.5, 0.25]
    """
    values, vectors = scipy.linalg.eigh(H)
    if step <= 0 or step * values[-1] >= 2:
        raise InvalidParameterError(
            f"step must lie in (0, {2 / values[-1]:.3g}) for gradient descent to converge, got {step}"
        )
    weights = ((vectors.T @ codes.reshape(len(H), -1)) ** 2).sum(axis=1)
    powers = (1.0 - step * values) ** (2 * np.arange(steps + 1)[:, None])
    return np.sqrt(powers @ weights)


def simulate_training(
    inputs: Array, targets: Array, *, width: int, step: float, steps: int, kappa: float = 0.01, seed: int = 0
) -> Array:
    """Residual ``‖y − f(X)‖`` of a two-layer ReLU network under full gradient descent, for t = 0 … steps.

    First layer trained from ``N(0, κ²)``, second layer fixed at ±1, as in Assumption B.1; ``inputs`` are unit
    rows. The wider the network, the closer the curve to :func:`training_curve`.

    >>> curve = simulate_training(np.eye(2), np.ones(2), width=64, step=0.5, steps=20)
    >>> len(curve), bool(curve[-1] < curve[0])
    (21, True)
    """
    generator = np.random.default_rng(seed)
    W = kappa * generator.standard_normal((inputs.shape[1], width))
    outer = generator.choice([-1.0, 1.0], size=width) / np.sqrt(width)
    residuals = np.empty(steps + 1)
    for t in range(steps + 1):
        hidden = inputs @ W
        residual = np.maximum(hidden, 0.0) @ outer - targets
        residuals[t] = np.linalg.norm(residual)
        W -= step * inputs.T @ ((hidden > 0) * residual[:, None] * outer)
    return residuals
