"""The solve of graphs too large for a stored kernel: on a kernel close to the true one, then corrected on that.

Conjugate gradients solve ``(H̃ + λI) a = y`` with the split kernel H̃. That solution is the first direction of a descent
on the true kernel, streamed and never kept; the next ones solve for what is left of y. Each goes as far as lowers the
error most, which takes one product with the true kernel; there are as many as the size of the graph allows
(``regime.py``). The last direction goes as far as the one before it, which is nearly all the way, and costs none.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from kces.engines.conjugate_gradients import TINY, Operator, conjugate_gradients
from kces.engines.far_features import CENTERS
from kces.engines.in_groups import GROUPS
from kces.engines.linear_preconditioner import linear_preconditioner
from kces.engines.slope_correction import DIRECTIONS
from kces.engines.split_kernel import SplitKernel, block_size
from kces.engines.streamed_kernel import StreamedKernel
from kces.types import Array, Singles

__all__ = ["descend", "partition_memory", "solve_partitioned"]

_TOLERANCE = 1e-2
_MAX_STEPS = 20
"""Of conjugate gradients: with more, directions get no better."""


def partition_memory(n_nodes: int, width: int) -> int:
    """Bytes of the solve at its peak: the rest within blocks, features of the far rest, rows in single precision; or
    of the sums of the far field after it, if they take more.

    >>> partition_memory(100_000, 128) < 2**30
    True
    """
    solve = 2 * n_nodes * block_size(n_nodes) + 4 * n_nodes * CENTERS
    sums = (GROUPS + 4) * 4 * n_nodes * min(width, DIRECTIONS)
    return max(solve, sums) + 3 * 4 * n_nodes * width + 32 * width**2


def solve_partitioned(unit: Singles, right: Array, ridge: float, seed: int = 0, products: int = 0) -> Array:
    """``(H + λI)⁻¹ right``, shape (N, columns), for unit rows (N, F), with that many products with the true kernel;
    ``seed`` is of the blocks.
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

    kernel = StreamedKernel(unit)
    return descend(lambda vectors: kernel @ vectors + ridge * vectors, right, solve, products)


def descend(operator: Operator, right: Array, solve: Operator, products: int) -> Array:
    """``operator⁻¹ right`` in few steps along directions that ``solve``, an inverse of something close, proposes.

    As conjugate gradients, but with every direction made conjugate to all before it, because ``solve`` need not be
    linear. The error, measured by the operator, grows in no step but the last, whose length is a guess.

    >>> matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> descend(lambda v: matrix @ v, np.array([[3.0], [4.0]]), lambda v: v, products=2).round(6).tolist()
    [[1.0], [1.0]]
    """
    x, residual, step = np.zeros_like(right), right, np.ones(right.shape[1])
    taken: list[tuple[Array, Array, Array]] = []
    for left in range(products, -1, -1):
        direction = solve(residual)
        for earlier, image, energy in taken:
            direction = direction - np.sum(direction * image, axis=0) / energy * earlier
        if left:
            image = operator(direction)
            energy = np.maximum(np.sum(direction * image, axis=0), TINY)
            step = np.sum(direction * residual, axis=0) / energy
            residual = residual - step * image
            taken.append((direction, image, energy))
        x = x + step * direction
    return x
