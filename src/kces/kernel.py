"""The graph kernel: aggregation, Gram matrix and Graph Kernel Complexity (paper, sections 2.2 and 2.3)."""

from __future__ import annotations

import numpy as np
import scipy
import scipy.sparse as sp

from kces.blocked_cholesky import factor_in_place
from kces.errors import InvalidGraphError, InvalidParameterError, SingularKernelError
from kces.feature_range import row_exponents, shifted_rows
from kces.graph import Graph
from kces.types import Array, Features, is_sparse

__all__ = [
    "COSINE_NOISE",
    "RIDGE",
    "aggregate",
    "arc_cosine",
    "check_ridge",
    "complexity",
    "gram",
    "normalize_rows",
    "normalized_adjacency",
    "propagation",
    "ridge_factor",
    "slope_at_angle",
    "snap_cosine",
    "value_at_angle",
]


RIDGE = 1e-3
"""Default λ. The paper inverts H itself; twin nodes (equal z) make H singular, so λ > 0 is part of our GKC."""

COSINE_NOISE = 1e-12
"""Cosines closer to ±1 than this are ±1: the kernel's slope is infinite there, so that the rounding of a dot
product (1e-16) would otherwise become an error of 1e-8 in H for every pair of twins."""

_SMALLEST_SQUARE = 2.0**-900
"""Below this a squared length has lost digits to underflow."""


def propagation(graph: Graph) -> sp.csr_array:
    """``T = D^-1/2 (A + I) D^-1/2`` as CSR.

    >>> from kces.datasets.toys import path
    >>> propagation(path(2)).toarray().round(6).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    return normalized_adjacency(graph.adjacency)


def normalized_adjacency(adjacency: sp.csr_array, power: float = -0.5) -> sp.csr_array:
    """``D^p (A + I) D^p`` with D the row sums of ``A + I``; the adjacency may carry weights.

    >>> normalized_adjacency(sp.csr_array([[0.0, 0.5], [0.5, 0.0]]), power=-1.0).toarray().round(3).tolist()
    [[0.444, 0.222], [0.222, 0.444]]
    """
    with_loops = sp.csr_array(adjacency + sp.eye_array(adjacency.shape[0]))
    scale = sp.diags_array(np.asarray(with_loops.sum(axis=1)) ** power)
    return sp.csr_array(scale @ with_loops @ scale)


def aggregate(graph: Graph) -> Features:
    """``Z = T X``, dense or sparse as the features are."""
    Z = propagation(graph) @ graph.features
    return sp.csr_array(Z) if is_sparse(Z) else np.asarray(Z)


def normalize_rows(matrix: Features) -> tuple[Features, Array]:
    """Rows divided by their length, and the lengths; a zero row stays zero.

    Numbers whose squares leave the range of floating point are brought into it first, row by row.

    >>> unit, length = normalize_rows(np.array([[3.0, 4.0], [0.0, 0.0], [3e200, 0.0]]))
    >>> unit.round(6).tolist(), length.tolist()
    ([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]], [5.0, 0.0, 3e+200])
    """
    squares = _squared_lengths(matrix)
    exponents = np.zeros(len(squares), dtype=np.int64)
    extreme = np.flatnonzero((squares < _SMALLEST_SQUARE) | ~np.isfinite(squares))
    exponents[extreme] = row_exponents(matrix[extreme])
    if exponents.any():
        matrix = shifted_rows(matrix, -exponents)
        squares = _squared_lengths(matrix)
    length = np.sqrt(squares)
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    unit = sp.csr_array(sp.diags_array(inverse) @ matrix) if is_sparse(matrix) else matrix * inverse[:, None]
    with np.errstate(over="ignore"):
        length = np.ldexp(length, exponents)
    if not np.isfinite(length).all():
        raise InvalidGraphError("features are too large to measure; scale them down (for instance to unit rows)")
    return unit, length


def _squared_lengths(matrix: Features) -> Array:
    with np.errstate(over="ignore", under="ignore"):
        squares = matrix.multiply(matrix).sum(axis=1) if is_sparse(matrix) else (matrix * matrix).sum(axis=1)
    return np.asarray(squares).ravel()


def snap_cosine(cosine: Array) -> Array:
    """Clip to [-1, 1] in place and round what differs from ±1 only by floating-point noise."""
    np.copyto(cosine, 1.0, where=cosine > 1.0 - COSINE_NOISE)
    np.copyto(cosine, -1.0, where=cosine < COSINE_NOISE - 1.0)
    return cosine


def value_at_angle(cosine, angle):  # type: ignore[no-untyped-def]
    """``c (π − θ) / 2π``: the kernel of two unit vectors with cosine c and angle θ. Of arrays, or compiled of numbers.

    >>> value_at_angle(1.0, 0.0)
    0.5
    """
    return cosine * (np.pi - angle) / (2.0 * np.pi)


def slope_at_angle(cosine, angle):  # type: ignore[no-untyped-def]
    """``k'(c) = (π − θ + c / sqrt(1 − c²)) / 2π``, infinite at c = 1. Of arrays, or compiled of numbers.

    >>> float(slope_at_angle(0.0, np.pi / 2))
    0.25
    """
    return (np.pi - angle + cosine / np.sqrt(1.0 - cosine * cosine)) / (2.0 * np.pi)


def arc_cosine(cosine: Array) -> Array:
    """The paper's kernel of unit vectors with these inner products, which are overwritten by what is snapped.

    >>> arc_cosine(np.array([1.0, 0.0, -1.0])).tolist()
    [0.5, 0.0, -0.0]
    """
    cosine = snap_cosine(cosine)
    kernel: Array = value_at_angle(cosine, np.arccos(cosine))
    return kernel


def gram(Z: Features) -> Array:
    """The graph kernel Gram matrix H of aggregated features (paper, eq. 4), dense ``(N, N)``.

    >>> gram(np.array([[2.0, 0.0], [0.0, 1.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    unit, _ = normalize_rows(Z)
    cosine = unit @ unit.T
    return arc_cosine(cosine.toarray() if is_sparse(cosine) else cosine)


def check_ridge(ridge: float) -> float:
    if not (np.isfinite(ridge) and ridge >= 0):
        raise InvalidParameterError(f"ridge must be a number >= 0, got {ridge}")
    return float(ridge)


def ridge_factor(H: Array, ridge: float) -> tuple[Array, bool]:
    """Lower Cholesky factor of ``H + ridge I``, or a clear error when that is singular; as ``cho_solve`` takes it."""
    shifted = H.copy()
    shifted[np.diag_indices_from(shifted)] += ridge
    try:
        factor = factor_in_place(shifted)
    except scipy.linalg.LinAlgError:
        factor = None
    if factor is None or _is_degenerate(factor):
        raise SingularKernelError(
            f"the kernel matrix is singular at ridge {ridge:g} (nodes with equal or zero aggregated features);"
            f" use a larger ridge, for instance {RIDGE:g}"
        )
    return factor, True


def _is_degenerate(factor: Array) -> bool:
    """A pivot at rounding level means that the matrix has no usable inverse, though Cholesky went through."""
    pivots = np.diag(factor) ** 2
    return bool(pivots.min() <= len(pivots) * np.finfo(np.float64).eps)


def complexity(H: Array, codes: Array, ridge: float = RIDGE) -> float:
    """Graph Kernel Complexity ``2 yᵀ (H + λI)⁻¹ y / N`` (paper, eq. 5), summed over the columns of ``codes``.

    >>> round(complexity(0.5 * np.eye(2), np.array([1.0, -1.0]), ridge=0.0), 6)
    4.0
    """
    solution = scipy.linalg.cho_solve(ridge_factor(H, check_ridge(ridge)), codes, check_finite=False)
    return float(2.0 * np.sum(codes * solution) / len(H))
