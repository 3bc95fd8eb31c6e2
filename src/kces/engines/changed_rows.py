"""The rows of the kernel that removing an edge changes, as the exact engine makes them (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from kces.engines.fast_kernel import precise_kernel_value
from kces.engines.supports import Supports
from kces.types import Array, Ints, Singles

__all__ = ["Changed", "RowFormulas", "Unchanged", "fill_differences", "fill_moved", "row_formulas"]


class Unchanged(NamedTuple):
    """What no edge removal changes.

    Attributes
    ----------
    ZZ, XZ, H : (N, N), ``Z Zᵀ``, ``X Zᵀ`` and the Gram matrix.
    whitener : (N, N), upper triangular ``L⁻ᵀ`` with ``L Lᵀ = H + λI``: ``P = (H + λI)⁻¹`` is its product with its
        transpose, so that ``x P yᵀ`` is the product of the *white* rows ``x L⁻ᵀ`` and ``y L⁻ᵀ``.
    single_whitener : the same in single precision; without a row where that is not used.
    xx : (N,), ``X_k·X_k``.
    a : (N, columns), ``P y``.
    inverse_length : (N,), ``1 / ‖Z_k‖``.
    """

    ZZ: Array
    XZ: Array
    H: Array
    whitener: Array
    single_whitener: Singles
    xx: Array
    a: Array
    inverse_length: Array

    @property
    def in_double(self) -> bool:
        """Whether white rows are in double precision."""
        return len(self.single_whitener) == 0

    @property
    def white(self) -> Array | Singles:
        """What makes rows white, in the precision they shall have."""
        return self.whitener if self.in_double else self.single_whitener


class Changed(NamedTuple):
    """The changed rows of E edges, L in all.

    Attributes
    ----------
    edges : (E, 2).
    xx : (E,), ``X_i·X_j``.
    start : (E + 1,), the rows of the e-th edge are ``start[e]:start[e + 1]``.
    node : (L,), whose row it is.
    row : (L,), which of the distinct rows (see :class:`kces.engines.supports.Supports`).
    coefficients : (L, 4), α, β, γ and ``1 / ‖Z'_k‖``.
    """

    edges: Ints
    xx: Array
    start: Ints
    node: Ints
    row: Ints
    coefficients: Array

    @classmethod
    def of(cls, edges: Ints, xx: Array, supports: Supports, inverse_length: Array) -> Changed:
        coefficients = np.stack((supports.alpha, supports.beta, supports.gamma, inverse_length), axis=1)
        return cls(edges, xx, supports.start, supports.node, supports.row, coefficients)

    def sizes(self, edges: Ints) -> Ints:
        """``|S|`` of each of ``edges`` (e,)."""
        return self.start[edges + 1] - self.start[edges]

    def positions(self, edges: Ints) -> Ints:
        """Where the rows of ``edges`` stand, one edge behind the other."""
        sizes = self.sizes(edges)
        return np.arange(sizes.sum()) + np.repeat(self.start[edges] - np.cumsum(sizes) + sizes, sizes)


class RowFormulas(NamedTuple):
    """How to make R rows: whose they are (R,), for which edges (R, 2), with α, β, γ and the inverse length (R, 4)."""

    nodes: Ints
    edges: Ints
    coefficients: Array


def row_formulas(changed: Changed, which: Ints, edge_of: Ints) -> RowFormulas:
    """Of the changed rows ``which`` (R,), each one of the edge ``edge_of`` (R,)."""
    return RowFormulas(changed.node[which], changed.edges[edge_of], changed.coefficients[which])


@numba.njit(nogil=True, cache=True, error_model="numpy")
def _fill_row(kernel, formulas, t, row):
    """``k(z'_k·z_r) − k(z_k·z_r)`` of every node r, as if r itself did not change."""
    k, i, j = formulas.nodes[t], formulas.edges[t, 0], formulas.edges[t, 1]
    alpha, beta, gamma, inverse = formulas.coefficients[t]
    zz, xz_i, xz_j, h = kernel.ZZ[k], kernel.XZ[i], kernel.XZ[j], kernel.H[k]
    for r in range(len(row)):
        c = alpha * zz[r] + beta * xz_i[r] + gamma * xz_j[r]
        row[r] = precise_kernel_value(c * inverse * kernel.inverse_length[r]) - h[r]


@numba.njit(nogil=True, cache=True)
def fill_differences(kernel, formulas, start, stop, R, Ra):
    """Rows ``start`` to ``stop`` of R (rows, N), in whatever precision that has, and of R a (rows, columns) in double.

    A row is made in a place of its own, which stays in the cache, and kept once it is multiplied.
    """
    row = np.empty(R.shape[1])
    for t in range(start, stop):
        _fill_row(kernel, formulas, t, row)
        Ra[t] = np.dot(row, kernel.a)
        R[t] = row


@numba.njit(nogil=True, cache=True)
def fill_moved(kernel, formulas, start, at_nodes, at_rows, moved):
    """``v = E_Sᵀ p + Rᵀ q`` of each of e edges into ``moved`` (e, N); rows, p and q of each begin at ``start``."""
    row = np.empty(moved.shape[1])
    moved[:] = 0.0
    for e in range(len(moved)):
        for t in range(start[e], start[e + 1]):
            _fill_row(kernel, formulas, t, row)
            moved[e] += at_rows[t] * row
            moved[e, formulas.nodes[t]] += at_nodes[t]
