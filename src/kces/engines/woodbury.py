"""The exact change of GKC of a batch of edges: changed rows of the kernel, and Woodbury's identity on them.

The formula is in the docstring of ``exact.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.fast_kernel import precise_kernel_value
from kces.engines.supports import Supports
from kces.kernel import arc_cosine
from kces.types import Array, Ints

__all__ = ["Changed", "Unchanged", "changed_cosines", "difference_rows", "woodbury"]


class Unchanged(NamedTuple):
    """What no edge removal changes.

    Attributes
    ----------
    ZZ, XZ, H : (N, N), ``Z Zᵀ``, ``X Zᵀ`` and the Gram matrix.
    P : (N, N), ``(H + λI)⁻¹``.
    xx : (N,), ``X_k·X_k``.
    a : (N, columns), ``P y``.
    inverse_length : (N,), ``1 / ‖Z_k‖``.
    """

    ZZ: Array
    XZ: Array
    H: Array
    P: Array
    xx: Array
    a: Array
    inverse_length: Array


class Changed(NamedTuple):
    """The changed rows of E edges, L in all.

    Attributes
    ----------
    edges : (E, 2).
    xx : (E,), ``X_i·X_j``.
    supports : which rows, and their coefficients.
    inverse_length : (L,), ``1 / ‖Z'_k‖``.
    """

    edges: Ints
    xx: Array
    supports: Supports
    inverse_length: Array


class _Rows(NamedTuple):
    """Rows to make: whose they are (R,), for which edges (R, 2), with α, β, γ and the inverse length (R, 4)."""

    nodes: Ints
    edges: Ints
    coefficients: Array


def difference_rows(kernel: Unchanged, changed: Changed, which: Ints, edges: Ints) -> Array:
    """``k(z'_k·z_r) − k(z_k·z_r)`` for the changed rows ``which`` (R,), of ``edges`` (R, 2), and every node r; (R, N).

    As if r itself did not change.
    """
    supports = changed.supports
    columns = (supports.alpha, supports.beta, supports.gamma, changed.inverse_length)
    rows = _Rows(supports.node[which], edges, np.stack([column[which] for column in columns], axis=1))
    found: Array = _difference_rows(kernel, rows)
    return found


@numba.njit(parallel=True, cache=True)
def _difference_rows(kernel, rows):
    n = len(kernel.H)
    R = np.empty((len(rows.nodes), n))
    for t in numba.prange(len(rows.nodes)):
        k, i, j = rows.nodes[t], rows.edges[t, 0], rows.edges[t, 1]
        alpha, beta, gamma, inverse = rows.coefficients[t]
        for r in range(n):
            c = alpha * kernel.ZZ[k, r] + beta * kernel.XZ[i, r] + gamma * kernel.XZ[j, r]
            R[t, r] = precise_kernel_value(c * inverse * kernel.inverse_length[r]) - kernel.H[k, r]
    return R


def changed_cosines(kernel: Unchanged, changed: Changed, batch: Ints, flat: Ints) -> Array:
    """``z'_k · z'_l`` for k, l in S, for a batch (B,) of edges with equal |S|, whose rows are ``flat`` (B, |S|);
    (B, |S|, |S|)."""
    supports = changed.supports
    i, j, xx_ij = changed.edges[batch, 0][:, None], changed.edges[batch, 1][:, None], changed.xx[batch][:, None]
    S = supports.node[flat]
    alpha, beta, gamma = supports.alpha[flat], supports.beta[flat], supports.gamma[flat]
    # Z'_k·Z'_l = α_k α_l Z_k·Z_l + α_k p_l·Z_k + α_l p_k·Z_l + p_k·p_l, with p = β X_i + γ X_j.
    with_i, with_j = alpha * kernel.XZ[i, S], alpha * kernel.XZ[j, S]
    half_i = with_i + 0.5 * (beta * kernel.xx[i] + gamma * xx_ij)
    half_j = with_j + 0.5 * (beta * xx_ij + gamma * kernel.xx[j])
    cross = half_i[:, :, None] * beta[:, None, :] + half_j[:, :, None] * gamma[:, None, :]
    inner = (alpha[:, :, None] * alpha[:, None, :]) * kernel.ZZ[S[:, :, None], S[:, None, :]]
    inner += cross
    inner += cross.transpose(0, 2, 1)
    inverse = changed.inverse_length[flat]
    return inner * inverse[:, :, None] * inverse[:, None, :]


def woodbury(kernel: Unchanged, S: Ints, cosine: Array, R: Array, W: Array, Ra: Array) -> Array:
    """``uᵀ M⁻¹ u`` for a batch of B edges with equal |S|, summed over the code columns; (B,).

    ``S`` and ``Ra`` are (B, |S|) and (B, |S|, columns), ``cosine`` is (B, |S|, |S|), ``R`` and ``W`` are (B, |S|, N).
    """
    size = S.shape[1]
    pair = (S[:, :, None], S[:, None, :])
    columns = (np.arange(len(S))[:, None, None], np.arange(size)[None, :, None], S[:, None, :])
    P_SS = kernel.P[pair]
    W_S = W[columns]
    # R holds the S columns as if only the row had changed; D puts half of the true difference there.
    D = 0.5 * (arc_cosine(cosine) - kernel.H[pair]) - R[columns]
    D_T = D.transpose(0, 2, 1)
    BP_S = W_S + D @ P_SS
    BPB = W @ R.transpose(0, 2, 1)
    DW = D @ W_S.transpose(0, 2, 1)
    BPB += DW + DW.transpose(0, 2, 1) + D @ P_SS @ D_T
    M = np.empty((len(S), 2 * size, 2 * size))
    M[:, :size, :size] = P_SS
    M[:, size:, :size] = BP_S
    M[:, :size, size:] = BP_S.transpose(0, 2, 1)
    M[:, size:, size:] = BPB
    diagonal = np.arange(size)
    M[:, diagonal, size + diagonal] += 1.0
    M[:, size + diagonal, diagonal] += 1.0
    a_S = kernel.a[S]
    u = np.concatenate([a_S, Ra + D @ a_S], axis=1)
    return np.sum(u * np.linalg.solve(M, u), axis=(1, 2))
