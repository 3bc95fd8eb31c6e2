"""The solve of graphs too large for a stored kernel: on a kernel close to the true one, then corrected on that.

Conjugate gradients solve ``(H̃ + λI) a = y`` with the split kernel H̃. What that leaves of y on the true kernel, streamed
and never kept, is solved for in the same way and added, as often as the size of the graph allows (``regime.py``).
"""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from kces.engines.conjugate_gradients import conjugate_gradients
from kces.engines.linear_preconditioner import linear_preconditioner
from kces.engines.split_kernel import SplitKernel, block_size
from kces.engines.streamed_kernel import StreamedKernel
from kces.types import Array, Singles

__all__ = ["partition_memory", "solve_partitioned"]

_TOLERANCE = 1e-2
_MAX_STEPS = 100


def partition_memory(n_nodes: int, width: int) -> int:
    """Bytes of the solve at its peak: the rest within blocks, and rows in single precision.

    >>> partition_memory(100_000, 128) < 2**30
    True
    """
    return 2 * n_nodes * block_size(n_nodes) + 3 * 4 * n_nodes * width + 32 * width**2


def solve_partitioned(unit: Singles, right: Array, ridge: float, seed: int = 0, corrections: int = 0) -> Array:
    """``(H + λI)⁻¹ right``, shape (N, columns), for unit rows (N, F); ``seed`` is of the blocks."""
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

    a = solve(right)
    kernel = StreamedKernel(unit)
    for _ in range(corrections):
        a = a + solve(right - (kernel @ a + ridge * a))
    return a
