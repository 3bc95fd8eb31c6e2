"""How much of a block's kernel the nodes outside it explain.

Let S be an edge's block and R all other nodes. The exact change of GKC is that of a block whose kernel is not ``H_SS``
but what R leaves unexplained of it, Schur's complement ``H_SS − H_SR (H_RR + λI)⁻¹ H_RS``. The kernel begins with its
linear term, ``k(c) = c/4 + c²/2π + …``, and through that all nodes hang together: with ``H ≈ Z Zᵀ/4 + μI`` the
explained part is

    ``Z_S Q Z_Sᵀ``,  ``Q = (1/4) ZᵀZ (ZᵀZ + ρI)⁻¹``,  ``μ = 1/4 + λ``,  ``ρ = 4μ``.

Q is replaced by its mean over the nodes, a number: ``q = (1/4) (1 − tr(G (G + ρI)⁻¹)/N)`` with ``G = Z Zᵀ``, each node
predicted from the others. A block then works with ``k(c) − q c`` in place of k(c), at no cost.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from kces.engines.conjugate_gradients import conjugate_gradients
from kces.engines.dense import dense
from kces.engines.moments import second_moment
from kces.engines.problem import Problem
from kces.types import Array

__all__ = ["explained_linear_part"]

_PROBED = 20_000
"""Random signs drawn in all: the estimate of the trace is then right to a percent."""
_FEW_FEATURES, _FEW_ON_A_SMALL_GRAPH = 1_024, 256
"""Up to so many features or nodes the trace is computed; on a small graph an estimate is quicker, but depends on the
order of nodes that are alike, which rounding decides."""
_STEPS = 60
_TOLERANCE = 5e-2


def explained_linear_part(problem: Problem) -> float:
    """q: between 0, where no node tells anything about another, and 1/4.

    >>> from kces.datasets.builtin import synthetic
    >>> alike = Problem(synthetic(n=300, features=4, seed=0), np.ones((300, 1)), 1e-3)
    >>> different = Problem(synthetic(n=300, features=300, seed=0), np.ones((300, 1)), 1e-3)
    >>> 0.24 < explained_linear_part(alike) < 0.25 and explained_linear_part(different) < 0.2
    True
    """
    ratio = 1.0 + 4.0 * problem.ridge
    regime, n_nodes = problem.regime, problem.graph.n_nodes
    exactly = min(regime.width, n_nodes) <= (_FEW_ON_A_SMALL_GRAPH if regime.all_pairs else _FEW_FEATURES)
    freedom = _freedom(problem, ratio) if exactly else _estimated_freedom(problem, ratio)
    return 0.25 * float(np.clip(1.0 - freedom / n_nodes, 0.0, 1.0))


def _freedom(problem: Problem, ratio: float) -> float:
    """``tr(G (G + ρI)⁻¹)`` from the eigenvalues of ``ZᵀZ``, (F,), which are those of G but for zeros."""
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        values = np.linalg.eigvalsh(_small_products(problem))
    return float(np.sum(values / (values + ratio)))


def _small_products(problem: Problem) -> Array:
    """``ZᵀZ``, or G of a small graph with fewer nodes than features."""
    if not problem.regime.all_pairs:
        return second_moment(problem.unit_singles).astype(np.float64)
    unit = problem.unit
    return dense(unit.T @ unit if unit.shape[1] <= unit.shape[0] else unit @ unit.T)


def _estimated_freedom(problem: Problem, ratio: float) -> float:
    """The same by Hutchinson's estimate of ``tr(I − ρ (G + ρI)⁻¹)``, which needs products with Z only."""
    unit, n_nodes = problem.unit, problem.graph.n_nodes
    count = max(1, -(-_PROBED // max(n_nodes, 1)))
    probes = np.random.default_rng(0).choice([-1.0, 1.0], size=(n_nodes, count))
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        solved = conjugate_gradients(
            lambda vectors: unit @ (unit.T @ vectors) + ratio * vectors, probes, tolerance=_TOLERANCE, steps=_STEPS
        )
    return n_nodes - ratio * float(np.sum(probes * solved)) / count
