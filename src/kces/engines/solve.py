"""One global solve ``a = (H + λI)⁻¹ y``, in the way that fits the number of nodes (``regime.py``).

- ``direct``: Cholesky in double precision;
- ``iterative``: conjugate gradients on H, of which one triangle is kept in 16 bits;
- ``partition``: conjugate gradients on a kernel close to H, corrected on H, which is never kept (``partition.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_limits

from kces.engines.conjugate_gradients import conjugate_gradients
from kces.engines.fast_kernel import fast_gram
from kces.engines.linear_preconditioner import linear_preconditioner
from kces.engines.partition import partition_memory, solve_partitioned
from kces.engines.problem import Problem
from kces.engines.slope_correction import DIRECTIONS, SlopeSums, stored_slope_sums, streamed_slope_sums
from kces.engines.triangle import KernelTriangle, triangle_memory
from kces.errors import SingularKernelError
from kces.kernel import ridge_factor
from kces.progress import Progress, silent
from kces.types import Array, Singles

__all__ = ["Solution", "solve_codes", "solve_memory"]


_TOLERANCE = 3e-2
"""Of the residual; on Pubmed it leaves some two percent of error in ``a``, below what the ranking feels."""
_MAX_ITERATIONS = 200
_SAFE_RIDGE = 1e-4
"""Above the rounding of ``fast_gram`` (2e-8 an entry) on the largest graph solved directly: H + λI is then definite."""


_SUMS_WORK = 4e12
"""Multiplications that the far field's sums over all pairs may cost: some half a minute."""


@dataclass(frozen=True, eq=False)
class Solution:
    """``a`` (N, columns), and what the far field may know of all pairs.

    Attributes
    ----------
    a : the solution.
    triangle : the kernel, where all of it was stored on the way.
    sees_pairs : without it, whether all pairs may be looked at for the far field.
    """

    a: Array
    triangle: KernelTriangle | None = None
    sees_pairs: bool = False

    def slope_sums(self, unit: Singles) -> SlopeSums | None:
        """The sums for the far field over all pairs, for unit rows (N, F); None where they would cost too much."""
        if self.triangle is not None:
            return stored_slope_sums(unit, self.triangle, self.a)
        return streamed_slope_sums(unit, self.a) if self.sees_pairs else None


def solve_codes(problem: Problem, *, seed: int = 0, corrected: bool = True, progress: Progress = silent) -> Solution:
    """Solve for the codes with the regime's solver; ``seed`` and ``corrected`` are of the partition."""
    solver = problem.regime.solver
    if solver == "direct":
        progress("solve the kernel", 0, 1)
        solution = Solution(_solve_directly(problem))
        progress("solve the kernel", 1, 1)
        return solution
    if problem.ridge == 0:
        n = problem.graph.n_nodes
        raise SingularKernelError(f"with {n} nodes the kernel is solved approximately, which needs a ridge > 0")
    # A row without features is coupled to no other: its part of the solution is known.
    empty = problem.lengths == 0
    right = np.where(empty[:, None], 0.0, problem.codes)
    unit = problem.unit_singles
    triangle = _store(unit, progress) if solver == "iterative" else None
    progress("solve the kernel", 0, 1)
    if triangle is not None:
        a, products = _solve_iteratively(triangle, unit, right, problem.ridge), 0
    else:
        products = problem.regime.products if corrected else 0
        a = solve_partitioned(unit, right, problem.ridge, seed, products)
    a[empty] = problem.codes[empty] / problem.ridge
    progress("solve the kernel", 1, 1)
    sums_work = 0.5 * float(len(unit)) ** 2 * min(unit.shape[1], DIRECTIONS) * a.shape[1]
    return Solution(a, triangle, sees_pairs=products > 0 and sums_work <= _SUMS_WORK)


def solve_memory(problem: Problem) -> int:
    """Bytes that the solve needs at its peak, with the inner products kept beside it on small graphs."""
    regime = problem.regime
    if regime.solver == "direct":
        return 5 * 8 * regime.nodes**2
    return (
        triangle_memory(regime.nodes) if regime.solver == "iterative" else partition_memory(regime.nodes, regime.width)
    )


def _solve_directly(problem: Problem) -> Array:
    H = fast_gram(problem.ZZ, problem.inverse_lengths)
    if problem.ridge < _SAFE_RIDGE:
        factor = ridge_factor(H, problem.ridge)
    else:  # in place: two copies of H would cost as much as the factorization of a small graph
        H[np.diag_indices_from(H)] += problem.ridge
        factor = scipy.linalg.cho_factor(H.T, lower=True, overwrite_a=True, check_finite=False)
    return scipy.linalg.cho_solve(factor, problem.codes, check_finite=False)


def _store(unit: Singles, progress: Progress) -> KernelTriangle:
    progress("store the kernel", 0, 1)
    triangle = KernelTriangle(unit)
    progress("store the kernel", 1, 1)
    return triangle


def _solve_iteratively(triangle: KernelTriangle, unit: Singles, right: Array, ridge: float) -> Array:
    with threadpool_limits(1, user_api="blas"):  # few products, whose rounding would depend on the threads
        return conjugate_gradients(
            lambda vectors: triangle @ vectors + ridge * vectors,
            right,
            tolerance=_TOLERANCE,
            steps=_MAX_ITERATIONS,
            precondition=linear_preconditioner(unit, ridge),
        )
