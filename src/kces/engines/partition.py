"""The solve of graphs too large for any N x N matrix: O(N (F² + block²)) time and O(N F) memory.

The kernel is replaced by its linear term for all pairs of nodes plus the exact rest within blocks of similar nodes.
"""

from __future__ import annotations

import numba
import numpy as np
import scipy.linalg

from kces.engines.fast_kernel import NEAR, kernel_value, near_cosine, single_kernel_value
from kces.engines.regime import WIDE
from kces.types import Array, Features, Ints, Singles

__all__ = ["partition_memory", "similarity_blocks", "solve_partitioned"]

_BLOCK = 1_024
_ROUNDING = 1e-5
"""Added to the diagonal of blocks made in single precision, so that twins do not make them indefinite."""


def partition_memory(n_nodes: int) -> int:
    """Bytes of the solve at its peak.

    >>> partition_memory(100_000) < 2**30
    True
    """
    return 8 * n_nodes * WIDE + 8 * 4 * _BLOCK**2


def solve_partitioned(unit: Singles, codes: Array, ridge: float, seed: int = 0, block: int = _BLOCK) -> Array:
    """``(H + λI)⁻¹ codes``, shape (N, columns), for unit rows (N, F).

    ``H ≈ V Vᵀ + blockdiag(H − V Vᵀ)`` with the kernel's linear term ``V Vᵀ = Z Zᵀ / 4``; solved by Woodbury.

    All terms of ``k(c) = c/4 + c²/2π + …`` are positive, so what is left in the blocks is positive definite. On Pubmed
    this came closer to the true solution than blocks alone and than a Nyström part on landmarks.
    """
    shared = np.float32(0.5) * unit if unit.shape[1] <= WIDE else np.zeros((len(unit), 1), np.float32)
    solved_shared = np.empty_like(shared)
    solved_codes = np.empty_like(codes)
    for nodes in similarity_blocks(unit, block, seed):
        rows, part = unit[nodes], shared[nodes]
        local = rows @ rows.T
        _kernel_in_place(local, rows)
        local = (local - part @ part.T).astype(np.float64)
        local[np.diag_indices_from(local)] += ridge + _ROUNDING
        factor = scipy.linalg.cho_factor(local, lower=True, overwrite_a=True, check_finite=False)
        solved_shared[nodes] = scipy.linalg.cho_solve(factor, part.astype(np.float64), check_finite=False)
        solved_codes[nodes] = scipy.linalg.cho_solve(factor, codes[nodes], check_finite=False)
    core = np.eye(shared.shape[1]) + (shared.T @ solved_shared).astype(np.float64)
    weights = scipy.linalg.solve(core, shared.T.astype(np.float64) @ solved_codes, assume_a="pos")
    return solved_codes - solved_shared @ weights


def similarity_blocks(unit: Features, size: int, seed: int = 0) -> list[Ints]:
    """Split the nodes into blocks of at most ``size`` by halving along the direction of largest spread.

    Nodes that the kernel couples strongly have similar aggregated features; the graph is already in these.
    """
    generator = np.random.default_rng(seed)
    pending, blocks = [np.arange(unit.shape[0])], []
    while pending:
        nodes = pending.pop()
        if len(nodes) <= size:
            blocks.append(np.sort(nodes))
            continue
        rows = unit[nodes]
        direction = generator.standard_normal(unit.shape[1])
        for _ in range(4):  # power iteration: the leading direction of the centred rows
            along = rows @ direction
            along = along - along.mean()
            direction = rows.T @ along
            direction /= np.linalg.norm(direction) + 1e-300
        order = np.argsort(rows @ direction, kind="stable")
        middle = len(nodes) // 2
        pending += [nodes[order[:middle]], nodes[order[middle:]]]
    return blocks


@numba.njit(parallel=True, fastmath=True, cache=True)
def _kernel_in_place(cosines, rows):
    """Cosines of single-precision unit rows to kernel values, those near 1 by way of the rows' difference."""
    for p in numba.prange(len(cosines)):
        for q in range(len(cosines)):  # a loop of its own, so that it is vectorised
            cosines[p, q] = single_kernel_value(cosines[p, q])
        for q in range(len(cosines)):
            if cosines[p, q] > NEAR:
                cosines[p, q] = kernel_value(near_cosine(rows[p], rows[q]))
