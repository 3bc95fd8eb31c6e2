"""The solve of graphs too large for a stored kernel: on a kernel close to the true one, then corrected on that.

Conjugate gradients solve ``(H̃ + λI) a = y`` with the split kernel H̃. That solution is the first direction of a descent
on the true kernel, streamed and never kept; the next ones solve for what is left of y. Each goes as far as lowers the
error most, so that no step makes it worse, and there are as many as the size of the graph allows (``regime.py``).
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from kces.engines.conjugate_gradients import TINY, Operator, conjugate_gradients
from kces.engines.in_groups import GROUPS
from kces.engines.linear_preconditioner import linear_preconditioner
from kces.engines.slope_correction import DIRECTIONS, SlopeSums
from kces.engines.split_kernel import SplitKernel, block_size
from kces.engines.streamed_field import FieldKernel
from kces.types import Array, Singles

__all__ = ["descend", "partition_memory", "solve_partitioned"]

_TOLERANCE = 1e-2
_MAX_STEPS = 100


def partition_memory(n_nodes: int, width: int) -> int:
    """Bytes of the solve at its peak: the rest within blocks, rows in single precision, and sums over alike pairs.

    >>> partition_memory(100_000, 128) < 2**30
    True
    """
    sums = (GROUPS + 4) * 4 * n_nodes * min(width, DIRECTIONS)
    return 2 * n_nodes * block_size(n_nodes) + 3 * 4 * n_nodes * width + 32 * width**2 + sums


def solve_partitioned(
    unit: Singles, right: Array, ridge: float, seed: int = 0, corrections: int = 0
) -> tuple[Array, SlopeSums | None]:
    """``(H + λI)⁻¹ right``, shape (N, columns), for unit rows (N, F), and its sums for the far field; ``seed`` is of
    the blocks.

    ``corrections`` is the number of products with the true kernel; one finds the length of the solution and the sums,
    no more. Without products there are no sums.
    """
    close = SplitKernel(unit, seed)
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        precondition = linear_preconditioner(unit, ridge)

    def solve(wanted: Array) -> Array:
        return conjugate_gradients(
            lambda vectors: close @ vectors + ridge * vectors,
            wanted,
            tolerance=_TOLERANCE,
            steps=_MAX_STEPS,
            precondition=precondition,
        )

    if corrections == 0:
        return solve(right), None
    kernel = FieldKernel(unit)
    a, lengths = descend(lambda vectors: kernel @ vectors + ridge * vectors, right, solve, corrections)
    return a, kernel.slope_sums(lengths)


def descend(operator: Operator, right: Array, solve: Operator, steps: int) -> tuple[Array, list[Array]]:
    """``operator⁻¹ right`` in few steps along directions that ``solve``, an inverse of something close, proposes.

    As conjugate gradients, but with every direction made conjugate to all before it, because ``solve`` need not be
    linear. The error, measured by the operator, grows in no step. The second result is the length of each step, (c,),
    along the direction that the operator was given.

    >>> matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> descend(lambda v: matrix @ v, np.array([[3.0], [4.0]]), lambda v: v, steps=2)[0].round(6).tolist()
    [[1.0], [1.0]]
    """
    x, residual = np.zeros_like(right), right
    taken: list[tuple[Array, Array, Array]] = []
    lengths: list[Array] = []
    for _ in range(steps):
        direction = solve(residual)
        for earlier, image, energy in taken:
            direction = direction - np.sum(direction * image, axis=0) / energy * earlier
        image = operator(direction)
        energy = np.maximum(np.sum(direction * image, axis=0), TINY)
        step = np.sum(direction * residual, axis=0) / energy
        x, residual = x + step * direction, residual - step * image
        taken.append((direction, image, energy))
        lengths.append(step)
    return x, lengths
