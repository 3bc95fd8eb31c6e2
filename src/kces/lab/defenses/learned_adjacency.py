"""Pro-GNN's dense adjacency S: products with it, its gradient in factors, its steps in few passes.

An N x N matrix of a graph like Pubmed has 1.6 GB, and reading it is what everything here costs. So the gradient of the
classification loss is kept as a product of two thin matrices, a step goes over S in compiled passes
(``learned_steps.py``), and what only some nodes are asked for is computed from their rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from kces.lab.defenses.defense import Task
from kces.lab.defenses.learned_steps import Descent, descend, sums_and_distance, weighted_sums
from kces.lab.defenses.nuclear_norm import shrink_largest_singular_values, shrink_singular_values
from kces.lab.defenses.weighted_adjacency import Adjacency, LowRank
from kces.types import Features, is_sparse

__all__ = ["AdjacencySettings", "LearnedAdjacency", "LearnedOperator", "RowsOfNodes"]

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


class RowsOfNodes:
    """The rows of S that belong to some nodes, copied out: a product with them reads nothing else."""

    def __init__(self, learned: LearnedAdjacency, nodes: Tensor) -> None:
        self.nodes = nodes
        self.rows = learned.S[nodes]

    def read_again(self, learned: LearnedAdjacency) -> None:
        """When S has changed; into the same memory, since fresh memory is slow."""
        torch.index_select(learned.S, 0, self.nodes, out=self.rows)


class _Product(torch.autograd.Function):
    """``S x``, or some rows of it, noting the factors ``(gradient, x)`` of the gradient by S instead of their product.

    ``stand_in`` is a scalar that takes the place of S among the variables of the derivative.
    """

    @staticmethod
    def forward(
        ctx: Any, stand_in: Tensor, matrix: Tensor, columns: Tensor, nodes: Tensor | None, factors: Factors
    ) -> Tensor:
        ctx.save_for_backward(columns)
        ctx.matrix, ctx.nodes, ctx.factors = matrix, nodes, factors
        return _wide_product(matrix, columns)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = gradients
        (columns,) = ctx.saved_tensors
        left = gradient
        if ctx.nodes is not None:
            left = gradient.new_zeros(len(columns), gradient.shape[1])
            left[ctx.nodes] = gradient
        ctx.factors.append((left, columns))
        back = _wide_product(ctx.matrix.T, gradient) if ctx.needs_input_grad[2] else None
        return gradient.new_zeros(()), None, back, None, None


@dataclass(frozen=True, eq=False)
class LearnedOperator:
    """``D^-1/2 (S + I) D^-1/2`` as a product; applied factor by factor, no normalized copy of S is made."""

    learned: LearnedAdjacency
    root: Tensor
    trainable: bool

    def __call__(self, columns: Tensor, part: RowsOfNodes | None = None) -> Tensor:
        """The product, or its rows of some nodes."""
        scaled = self.root * columns
        if part is None:
            return self.root * (self.learned.times(scaled, trainable=self.trainable) + scaled)
        product = self.learned.times(scaled, part, trainable=self.trainable)
        return self.root[part.nodes] * (product + scaled[part.nodes])


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
        self._directions: Tensor | None = None
        self.smoothness = settings.smoothness if task.graph.has_features else 0.0
        self.similarity = torch.from_numpy(_inner_products(task.graph.features)) if self.smoothness > 0 else None
        self._factors: Factors = []
        self._stand_in = torch.zeros((), requires_grad=True)

    def operator(self, *, trainable: bool) -> LearnedOperator:
        """The normalized adjacency of S as it is now; ``trainable`` lets the loss be given to :meth:`step`."""
        self._factors.clear()
        degrees = self.times(torch.ones(len(self.S), 1), trainable=trainable)
        return LearnedOperator(self, (degrees + 1.0).rsqrt(), trainable)

    def times(self, columns: Tensor, part: RowsOfNodes | None = None, *, trainable: bool) -> Tensor:
        """``S columns``, or its rows of some nodes."""
        matrix, nodes = (self.S, None) if part is None else (part.rows, part.nodes)
        if not trainable:
            return _wide_product(matrix, columns)
        product: Tensor = _Product.apply(self._stand_in, matrix, columns, nodes, self._factors)
        return product

    def step(self, classification_loss: Tensor) -> None:
        """A gradient step on the smooth terms, then the proximal steps of the others."""
        settings = self.settings
        torch.autograd.grad(settings.gamma * classification_loss, self._stand_in)
        self.steps += 1
        lower_the_rank = settings.nuclear > 0 and self.steps % settings.nuclear_every == 0
        shrink = settings.adjacency_rate * settings.sparsity
        with torch.no_grad():
            self._descend(-1.0 if lower_the_rank else shrink)
            if lower_the_rank:
                self._lower_the_rank(settings.nuclear_every * settings.adjacency_rate * settings.nuclear)
                # The L1 norm's step (soft threshold) and the projection on [0, 1] in one.
                self.S.sub_(shrink).clamp_(0.0, 1.0)

    def _descend(self, shrink: float) -> None:
        """``S -= rate * momentum`` with the gradient of all smooth terms added to the momentum."""
        S, given = self.S.numpy(), self.given.numpy()
        of_rows, of_columns, squared_distance = sums_and_distance(S, given)
        factors = list(self._factors)
        root = np.zeros_like(of_rows)
        if self.similarity is not None:
            root, by_degree = self._roughness_gradient(torch.from_numpy(of_rows + of_columns) / 2)
            half = (self.smoothness / 2) * by_degree
            ones = torch.ones_like(half)
            factors += [(half[:, None], ones[:, None]), (ones[:, None], half[:, None])]
        if self.settings.symmetric:
            factors = [pair for left, right in factors for pair in ((left / 2, right), (right, left / 2))]
        left, right = (torch.cat([pair[side] for pair in factors], dim=1) for side in range(2))
        spare = -left.shape[1] % 4
        step = Descent(
            functional.pad(left, (0, spare)).numpy(),
            functional.pad(right, (0, spare)).T.contiguous().numpy(),
            root,
            1.0 / max(squared_distance**0.5, 1e-12),
            self.smoothness,
            _MOMENTUM,
            self.settings.adjacency_rate,
            shrink,
        )
        descend(S, self.momentum.numpy(), given, None if self.similarity is None else self.similarity.numpy(), step)

    def _roughness_gradient(self, degrees: Tensor) -> tuple[npt.NDArray[np.float32], Tensor]:
        """Of ``tr(Xᵀ L X) = Σ d_i r_i² k_ii - Σ r_i S_ij k_ij r_j``: r, and the derivative by the degrees d.

        L is the normalized Laplacian, k the inner products of features, ``r = (d + small)^-1/2``. By the entry
        S_ij the derivative is the mean of those by d_i and d_j, less ``r_i r_j k_ij``.
        """
        if self.similarity is None:
            raise ValueError("without features there is no smoothness")
        root = (degrees + _SMALL_DEGREE).rsqrt()
        along = torch.from_numpy(weighted_sums(self.S.numpy(), self.similarity.numpy(), root.numpy()))
        root_by_degree = -0.5 * root**3
        own = self.similarity.diagonal()
        by_degree = own * (root**2 + 2 * degrees * root * root_by_degree) - root_by_degree * along
        return root.numpy(), by_degree

    def _lower_the_rank(self, threshold: float) -> None:
        if self.rank is None:
            # Each step leaves fewer singular values than the one before, or hardly more.
            self._left = shrink_singular_values(self.S, threshold, about=self._left)
        else:
            self._directions = shrink_largest_singular_values(self.S, threshold, self.rank, self._directions)


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
