"""What removing one edge changes: the algebra that all engines share, written once.

Removing the edge ``(i, j)`` changes the aggregated rows of ``S = N[i] ∪ N[j]`` only, each to

    ``Z'_k = α_k Z_k + β_k X_i + γ_k X_j``

with coefficients that depend on degrees (self-loop included) alone. With ``δ_i = (d_i − 1)^-1/2 − d_i^-1/2``:

- the endpoint i has ``α = (d_i / (d_i − 1))^1/2``, ``β = (d_i − 1)^-1/2 δ_i``, ``γ = −((d_i − 1) d_j)^-1/2``, and j
  likewise with β and γ exchanged;
- another neighbor of i has ``α = 1`` and ``β = d_k^-1/2 δ_i``, one of j ``γ = d_k^-1/2 δ_j``, a common one both.

The functions here are plain arithmetic: they take arrays as they are, and numbers in compiled loops
(:func:`compiled`).

One rule tells a row that is left without features: its squared length, a sum of terms that cancel, is at most
``EMPTY`` of the sum of their squares. What is left below that is rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.types import Array, Features, Ints

__all__ = [
    "DELICATE",
    "EMPTY",
    "Rows",
    "compiled",
    "endpoint_coefficients",
    "explicit_rows",
    "inverse_lengths",
    "is_left_empty",
    "neighbor_coefficient",
    "squared_length",
]

EMPTY = 1e-12
"""Share of its terms' squares below which the squared length of a changed row is rounding: the row is empty."""

DELICATE = 1e-6
"""Share below which a squared length has lost so many digits that the exact engine sums the features anew."""


def compiled(formula: Callable[..., object]) -> Callable[..., object]:
    """The same arithmetic for numbers in compiled loops."""
    return numba.njit(inline="always")(formula)


def endpoint_coefficients(degree, other_degree):
    """α, the coefficient of its own X and that of the other end's X, for the row of an end of the removed edge.

    >>> endpoint_coefficients(2.0, 4.0)  # a leaf: only its own features are left, at weight one
    (1.4142135623730951, 0.2928932188134524, -0.5)
    """
    rest = degree - 1.0
    alpha = (degree / rest) ** 0.5
    return alpha, rest**-0.5 * (rest**-0.5 - degree**-0.5), -((rest * other_degree) ** -0.5)


def neighbor_coefficient(degree, end_degree):
    """The coefficient of an endpoint's X in the row of another neighbor of that endpoint.

    >>> neighbor_coefficient(4.0, 2.0)
    0.1464466094067262
    """
    return degree**-0.5 * ((end_degree - 1.0) ** -0.5 - end_degree**-0.5)


def squared_length(coefficients, zz, xz, xx):
    """``‖α Z_k + β X_i + γ X_j‖²``, and the sum of its terms' squares, against which :func:`is_left_empty` holds it.

    From (α, β, γ) and inner products: ``Z_k·Z_k``, those of X_i and X_j with Z_k, and ``X_i·X_i``, ``X_j·X_j`` and
    ``X_i·X_j``.

    >>> squared_length((1.0, 2.0, 0.0), 1.0, (-0.5, 0.0), (0.25, 0.0, 0.0))  # X_i = −Z_k / 2
    (0.0, 2.0)
    """
    alpha, beta, gamma = coefficients
    xz_i, xz_j = xz
    xx_i, xx_j, xx_ij = xx
    terms = (alpha * alpha) * zz + beta * beta * xx_i + gamma * gamma * xx_j
    return terms + 2.0 * alpha * (beta * xz_i + gamma * xz_j) + 2.0 * beta * gamma * xx_ij, terms


def is_left_empty(squared, terms):
    """Whether a changed row has no features left; a row that had none, and gets none, counts too.

    >>> is_left_empty(1e-17, 2.0), is_left_empty(0.0, 0.0), is_left_empty(1e-9, 2.0)
    (True, True, False)
    """
    return squared <= EMPTY * terms


def inverse_lengths(squared: Array, terms: Array) -> Array:
    """One over the length of each changed row; 0 for a row without features, so that its cosines are 0.

    >>> inverse_lengths(np.array([4.0, 1e-16]), np.array([5.0, 1.0])).tolist()
    [0.5, 0.0]
    """
    left = ~is_left_empty(squared, terms)
    return np.divide(
        1.0, np.sqrt(squared, where=left, out=np.ones_like(squared)), where=left, out=np.zeros_like(squared)
    )


class Rows(NamedTuple):
    """The part of a graph that its aggregated rows are made of.

    Attributes
    ----------
    adjacency : symmetric 0/1 matrix without self-loops.
    degrees : (N,), with the self-loop.
    features : (N, F).
    """

    adjacency: sp.csr_array
    degrees: Array
    features: Features


def explicit_rows(graph: Graph | Rows, edge: Ints, nodes: Ints) -> Array:
    """The rows ``Z'_k`` of ``nodes`` after removing ``edge``, summed from the features themselves: (nodes, F).

    Slower than the coefficients, but free of cancellation: a node left without any feature gets an exact zero.
    """
    i, j = int(edge[0]), int(edge[1])
    degrees = graph.degrees.copy()
    degrees[[i, j]] -= 1.0
    rows = sp.csr_array(graph.adjacency[nodes] + sp.eye_array(len(degrees), format="csr")[nodes])
    owner = np.repeat(nodes, np.diff(rows.indptr))
    gone = ((owner == i) & (rows.indices == j)) | ((owner == j) & (rows.indices == i))
    rows.data = np.where(gone, 0.0, (degrees[owner] * degrees[rows.indices]) ** -0.5)
    product = rows @ graph.features
    return product.toarray() if sp.issparse(product) else np.asarray(product)
