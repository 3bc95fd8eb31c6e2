"""What two terms leave of the kernel, between nodes that are not alike: inner products of some hundred numbers a node.

``k(c) = c/4 + c²/2π + rest(c)``. The rest is a kernel of its own, since all terms of its expansion are positive, and
between nodes that are not alike it is smooth: it is nearly the same for all nodes of a block of similar ones. Through
the centers u of such blocks (Nyström), ``rest(z·z') ≈ φ(z)·φ(z')`` with ``φ(z) = L⁻¹ rest(u·z)``, ``L Lᵀ = rest(u·u)``.
Seen as matrices, what that leaves is again positive semidefinite.
"""

from __future__ import annotations

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import single_kernel_value
from kces.engines.in_groups import GROUPS, in_groups
from kces.engines.similarity_blocks import similarity_blocks
from kces.types import Features, Singles

__all__ = ["CENTERS", "LINEAR", "QUADRATIC", "far_features"]

LINEAR, QUADRATIC = np.float32(0.25), np.float32(0.5 / np.pi)
CENTERS = 512
"""Blocks that have a center, at most so many."""
_JITTER = 1e-4
"""Added to the rest of a center with itself, 0.09: centers may be nearly equal."""
_ROWS = 1_024


def far_features(unit: Singles, seed: int = 0) -> Singles:
    """φ of unit rows (N, F): shape (N, centers).

    >>> rows = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    >>> found = far_features(rows)  # every node is a center: the rest, 0.0908 with itself
    >>> (found @ found.T).astype(float).round(3).tolist()
    [[0.091, 0.004], [0.004, 0.091]]
    """
    with threadpool_limits(1, user_api="blas"):  # so that the rounding does not depend on the threads
        centers = _centers(unit, seed)
        between = centers @ centers.T
        _to_rest(between)
        gram = between.astype(np.float64)
        gram[np.diag_indices_from(gram)] += _JITTER
        inverse = np.linalg.inv(np.linalg.cholesky(gram)).T.astype(np.float32)
    found = np.empty((len(unit), len(centers)), dtype=np.float32)

    def fill(group: int) -> None:
        for start in range(group * _ROWS, len(unit), GROUPS * _ROWS):
            rest = unit[start : start + _ROWS] @ centers.T
            _to_rest(rest)
            np.matmul(rest, inverse, out=found[start : start + _ROWS])

    in_groups(fill)
    return found


def _centers(unit: Features, seed: int) -> Singles:
    """Unit rows: the mean of each block."""
    blocks = similarity_blocks(unit, -(-unit.shape[0] // CENTERS), seed)
    means = np.stack([unit[nodes].mean(axis=0) for nodes in blocks])
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    return np.ascontiguousarray(means[lengths[:, 0] > 0] / lengths[lengths > 0][:, None], dtype=np.float32)


@numba.njit(nogil=True, fastmath=True, cache=True)
def _to_rest(cosines: Singles) -> None:
    """Cosines to the rest of the kernel, in place."""
    for p in range(cosines.shape[0]):
        for q in range(cosines.shape[1]):
            c = cosines[p, q]
            cosines[p, q] = single_kernel_value(c) - LINEAR * c - QUADRATIC * c * c
