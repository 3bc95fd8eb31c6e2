"""Pro-GNN's dense adjacency S: its gradient in factors, its steps in blocks of rows.

An N x N matrix of a graph like Pubmed has 1.6 GB, and a fresh one costs more in page faults than in arithmetic. So
nothing of that size is made while learning: the gradient of the classification loss is kept as a product of two thin
matrices, and the step goes over S a few megabytes at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from kces.lab.defenses.defense import Task
from kces.lab.defenses.nuclear_norm import shrink_largest_singular_values, shrink_singular_values
from kces.lab.defenses.row_blocks import row_blocks
from kces.lab.defenses.weighted_adjacency import Adjacency, LowRank, Operator
from kces.types import Features, is_sparse

__all__ = ["AdjacencySettings", "LearnedAdjacency"]

_MOMENTUM = 0.9

#: Keeps the Laplacian's degree roots finite, as in the released code.
_SMALL_DEGREE = 1e-3

#: Pairs of thin matrices ``(L, R)``; the sum of all ``L Rᵀ`` is a gradient.
Factors = list[tuple[Tensor, Tensor]]


class AdjacencySettings(Protocol):
    """What of ProGNN's settings concerns S."""

    adjacency_rate: float
    sparsity: float
    nuclear: float
    gamma: float
    smoothness: float
    nuclear_every: int
    symmetric: bool


class _Product(torch.autograd.Function):
    """``S x``, noting the factors ``(gradient, x)`` of the gradient by S instead of their N x N product.

    ``stand_in`` is a scalar that takes the place of S among the variables of the derivative.
    """

    @staticmethod
    def forward(ctx: Any, stand_in: Tensor, matrix: Tensor, columns: Tensor, factors: Factors) -> Tensor:
        ctx.save_for_backward(columns)
        ctx.matrix, ctx.factors = matrix, factors
        return _wide_product(matrix, columns)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = gradients
        (columns,) = ctx.saved_tensors
        ctx.factors.append((gradient, columns))
        back = _wide_product(ctx.matrix.T, gradient) if ctx.needs_input_grad[2] else None
        return gradient.new_zeros(()), None, back, None


class LearnedAdjacency:
    """The matrix S with its momentum. ``rank`` limits the nuclear step to the largest singular values."""

    def __init__(self, task: Task, settings: AdjacencySettings, rank: int | None = None) -> None:
        self.settings = settings
        self.rank = rank
        self.given = torch.from_numpy(_dense(task.adjacency))
        self.S = self.given.clone()
        self.momentum = torch.zeros_like(self.given)
        self.steps = 0
        self._left: int | None = None
        self.smoothness = settings.smoothness if task.graph.has_features else 0.0
        if self.smoothness > 0:
            self.similarity = torch.from_numpy(_inner_products(task.graph.features))
        self._factors: Factors = []
        self._stand_in = torch.zeros((), requires_grad=True)

    def operator(self, *, trainable: bool) -> Operator:
        """``D^-1/2 (S + I) D^-1/2`` as a product; applied factor by factor, no normalized copy of S is made.

        ``trainable`` lets the loss be given to :meth:`step`.
        """
        self._factors.clear()

        def times(columns: Tensor) -> Tensor:
            if not trainable:
                return _wide_product(self.S, columns)
            product: Tensor = _Product.apply(self._stand_in, self.S, columns, self._factors)
            return product

        root = (times(torch.ones(len(self.S), 1)) + 1.0).rsqrt()

        def multiply(columns: Tensor) -> Tensor:
            scaled = root * columns
            return root * (times(scaled) + scaled)

        return multiply

    def step(self, classification_loss: Tensor) -> None:
        """A gradient step on the smooth terms, then the proximal steps of the others."""
        settings = self.settings
        torch.autograd.grad(settings.gamma * classification_loss, self._stand_in)
        with torch.no_grad():
            self._descend()
            self.steps += 1
            if settings.nuclear > 0 and self.steps % settings.nuclear_every == 0:
                self._lower_the_rank(settings.nuclear_every * settings.adjacency_rate * settings.nuclear)
            for rows in self._blocks():
                # The L1 norm's step (soft threshold) and the projection on [0, 1] in one.
                self.S[rows].sub_(settings.adjacency_rate * settings.sparsity).clamp_(0.0, 1.0)

    def _descend(self) -> None:
        """``S -= rate * momentum`` with the gradient of all smooth terms added to the momentum, block by block."""
        factors = list(self._factors)
        if self.smoothness > 0:
            root, by_degree = self._roughness_gradient()
            half = (self.smoothness / 2) * by_degree
            ones = torch.ones_like(half)
            factors += [(half[:, None], ones[:, None]), (ones[:, None], half[:, None])]
        if self.settings.symmetric:
            factors = [pair for left, right in factors for pair in ((left / 2, right), (right, left / 2))]
        left = torch.cat([pair[0] for pair in factors], dim=1)
        right = torch.cat([pair[1] for pair in factors], dim=1).T.contiguous()
        pull = 1.0 / max(self._distance(), 1e-12)
        for rows in self._blocks():
            gradient = left[rows] @ right
            gradient.add_(self.S[rows] - self.given[rows], alpha=pull)
            if self.smoothness > 0:
                weighted = self.similarity[rows] * (self.smoothness * root)
                gradient.sub_(weighted.mul_(root[rows, None]))
            self.momentum[rows].mul_(_MOMENTUM).add_(gradient)
            self.S[rows].sub_(self.momentum[rows], alpha=self.settings.adjacency_rate)

    def _distance(self) -> float:
        """The Frobenius norm of ``S - A``, whose gradient is ``(S - A) / norm``."""
        return sum(float((self.S[rows] - self.given[rows]).square().sum()) for rows in self._blocks()) ** 0.5

    def _roughness_gradient(self) -> tuple[Tensor, Tensor]:
        """Of ``tr(Xᵀ L X) = Σ d_i r_i² k_ii - Σ r_i S_ij k_ij r_j``: r, and the derivative by the degrees d.

        L is the normalized Laplacian, k the inner products of features, ``r = (d + small)^-1/2``. By the entry
        S_ij the derivative is the mean of those by d_i and d_j, less ``r_i r_j k_ij``.
        """
        degrees = torch.zeros(len(self.S))
        for rows in self._blocks():
            degrees[rows] += self.S[rows].sum(dim=1) / 2
            degrees += self.S[rows].sum(dim=0) / 2
        root = (degrees + _SMALL_DEGREE).rsqrt()
        along = torch.zeros_like(root)
        for rows in self._blocks():
            weighted = self.S[rows] * self.similarity[rows]
            along[rows] += weighted @ root
            along += weighted.T @ root[rows]
        root_by_degree = -0.5 * root**3
        own = self.similarity.diagonal()
        by_degree = own * (root**2 + 2 * degrees * root * root_by_degree) - root_by_degree * along
        return root, by_degree

    def _lower_the_rank(self, threshold: float) -> None:
        if self.rank is None:
            # Each step leaves fewer singular values than the one before, or hardly more.
            self._left = shrink_singular_values(self.S, threshold, about=self._left)
        else:
            shrink_largest_singular_values(self.S, threshold, self.rank)

    def _blocks(self) -> Iterator[slice]:
        yield from row_blocks(*self.S.shape)


def _wide_product(matrix: Tensor, columns: Tensor) -> Tensor:
    """``matrix @ columns`` with zeros up to a multiple of 16 columns: BLAS is twice as slow for 7 of them as for 16."""
    missing = -columns.shape[1] % 16 if columns.shape[1] > 1 else 0
    return matrix @ columns if missing == 0 else (matrix @ functional.pad(columns, (0, missing)))[:, :-missing]


def _dense(adjacency: Adjacency) -> npt.NDArray[np.float32]:
    if not isinstance(adjacency, LowRank):
        return np.clip(adjacency.astype(np.float32).toarray(), 0.0, 1.0)
    full = adjacency.left.astype(np.float32) @ adjacency.right.T.astype(np.float32)
    return np.clip(full, 0.0, 1.0, out=full)


def _inner_products(features: Features) -> npt.NDArray[np.float32]:
    narrow = features.astype(np.float32)
    if is_sparse(narrow) and narrow.shape[1] < narrow.shape[0]:
        narrow = narrow.toarray()  # smaller than the product, which is hardly sparse: BLAS makes it far faster
    product = narrow @ narrow.T
    return product.toarray() if is_sparse(product) else np.asarray(product)
