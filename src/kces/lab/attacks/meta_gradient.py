"""The exact meta-gradient of Metattack, without an autograd graph over N x N matrices, nor the matrix itself.

Notation: ``T`` is the propagation matrix, ``P = (T²X)[train]``. The surrogate ``T²X W₁ W₂`` is trained by
gradient descent with momentum on the training nodes, which sees the graph only through ``P``. So

1. reverse mode through the training steps runs on small dense matrices. Gradient descent moves ``W₁`` only
   within the row space of ``P``: ``W₁ = W₁⁰ + Pᵀ C``, and training needs just ``P Pᵀ`` and ``P W₁⁰``;
2. with ``G = ∂L/∂logits``, ``V = X W₁ W₂`` and ``K = ∂L/∂P · Xᵀ``, the loss has the gradient
   ``R = G Vᵀ + E K`` in ``T²``, where the columns of ``E`` are the unit vectors of the training nodes;
3. hence ``H = R T + T R`` in ``T``: ``G (TV)ᵀ + (TG) Vᵀ``, of low rank, and ``E (KT) + (TE) K``, a sparse
   matrix times a wide one. Any block of rows can be had from these factors;
4. :mod:`kces.lab.attacks.pair_gradient` says what follows for the pairs (i, j).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from kces.lab.attacks.pair_gradient import PairGradient, degree_terms
from kces.lab.attacks.surrogate import FloatArray, surrogate_step
from kces.types import Features

__all__ = ["InnerTraining", "MetaGradient", "MetaProblem"]


@dataclass(frozen=True)
class InnerTraining:
    """How the surrogate is trained inside the attack; the defaults are the published ones."""

    steps: int = 100
    lr: float = 0.1
    momentum: float = 0.9


@dataclass(frozen=True, eq=False)
class MetaProblem:
    """What stays the same while edges flip.

    ``labels`` are the true ones on ``train`` and the self-training ones on ``unlabeled``, where the
    attacker's loss is measured.
    """

    features: Features
    labels: npt.NDArray[np.int64]
    train: npt.NDArray[np.int64]
    unlabeled: npt.NDArray[np.int64]
    inner: InnerTraining


class MetaGradient:
    """Gradient of the loss after training in every undirected pair, for any block of rows.

    Parameters
    ----------
    problem : what is attacked.
    adjacency : the graph at which the gradient is taken.
    weights : initial weights of the two layers; their dtype is the precision of everything.
    """

    def __init__(self, problem: MetaProblem, adjacency: sp.csr_array, weights: list[FloatArray]) -> None:
        step = surrogate_step(adjacency, weights[0].dtype)
        degrees = np.diff(adjacency.indptr).astype(step.dtype) + 1
        error, output, wide = _factors(problem, step, weights)
        left = np.hstack([error, step @ error])
        right = np.hstack([step @ output, output])
        self._low_rank = PairGradient(left, right, step, degrees)
        self._set_sparse_part(problem.train, step, degrees, wide)

    def _set_sparse_part(
        self, train: npt.NDArray[np.int64], step: sp.csr_array, degrees: FloatArray, wide: FloatArray
    ) -> None:
        """Keep ``E (KT) + (TE) K`` as ``thin @ wide``, scaled by the degrees, with its degree terms apart."""
        to_train = step[:, train]  # TE
        smoothed = (step @ wide.T).T  # KT
        through_both = 2 * _row_dots(to_train, smoothed.T)  # diagonal of T (R + Rᵀ) T
        twice = step @ to_train  # T²E
        through_one = _row_dots(twice, wide.T)  # diagonal of Rᵀ T²; that of R T² lives on the training nodes
        through_one[train] += _row_dots(sp.csr_array(twice.T), wide)
        self._degree_terms = degree_terms(through_both + through_one, degrees)
        scale = 1 / np.sqrt(degrees)
        unit = sp.csr_array((scale[train], (train, np.arange(len(train)))), shape=to_train.shape)
        self._thin = sp.csr_array(sp.hstack([sp.diags_array(scale) @ to_train, unit]), dtype=step.dtype)
        self._wide = np.vstack([wide, smoothed]) * scale

    def blocks(self, rows_per_block: int) -> Iterator[tuple[int, FloatArray]]:
        """``(start, block)``: the rows from ``start`` on, of the columns from ``start`` on."""
        for start, block in self._low_rank.blocks(rows_per_block):
            _add_sparse_part(block, start, self._thin.indptr, self._thin.indices, self._thin.data, self._wide)
            block += self._degree_terms[start : start + len(block), None]
            block += self._degree_terms[start:]
            yield start, block


@numba.njit(cache=True)
def _add_sparse_part(
    block: FloatArray,
    start: int,
    indptr: npt.NDArray[np.int32],
    indices: npt.NDArray[np.int32],
    data: FloatArray,
    wide: FloatArray,
) -> None:
    """Add ``thin @ wide`` and its transpose to a block, without copies of the wide matrix's columns."""
    for row in range(block.shape[0]):
        node = start + row
        for entry in range(indptr[node], indptr[node + 1]):
            block[row] += data[entry] * wide[indices[entry], start:]
        column_of_wide = wide[:, node].copy()
        for column in range(block.shape[1]):
            for entry in range(indptr[start + column], indptr[start + column + 1]):
                block[row, column] += data[entry] * column_of_wide[indices[entry]]


def _row_dots(sparse: sp.csr_array, dense: FloatArray) -> FloatArray:
    """The product of each row of ``sparse`` with the same row of ``dense``."""
    rows = np.repeat(np.arange(sparse.shape[0]), np.diff(sparse.indptr))
    products = sparse.data * dense[rows, sparse.indices]
    return np.bincount(rows, products, minlength=sparse.shape[0]).astype(dense.dtype)


def _factors(
    problem: MetaProblem, step: sp.csr_array, weights: list[FloatArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``G``, ``V`` and ``K`` of step 2."""
    features, train = problem.features, problem.train
    inputs = _training_inputs(problem, step).requires_grad_()
    trained = _train(inputs, torch.from_numpy(problem.labels[train]), weights, problem.inner)
    first, second = (w.detach().numpy() for w in trained)

    projected = features @ first
    hidden = step @ (step @ projected)
    error = _cross_entropy_gradient(hidden @ second, problem.labels, problem.unlabeled)
    smoothed = step @ (step @ error)
    seeds = [torch.from_numpy(features.T @ (smoothed @ second.T)), torch.from_numpy(hidden.T @ error)]
    (in_inputs,) = torch.autograd.grad(trained, [inputs], grad_outputs=seeds)
    return error, projected @ second, (features @ in_inputs.numpy().T).T


def _training_inputs(problem: MetaProblem, step: sp.csr_array) -> torch.Tensor:
    """``P``: the aggregated features of the training nodes, dense."""
    aggregated = (step[problem.train] @ step) @ problem.features
    return torch.from_numpy(aggregated.toarray() if sp.issparse(aggregated) else aggregated)


def _train(
    inputs: torch.Tensor, classes: torch.Tensor, weights: list[FloatArray], inner: InnerTraining
) -> list[torch.Tensor]:
    """Trained weights as differentiable functions of ``inputs``."""
    first, second = torch.from_numpy(weights[0]), torch.from_numpy(weights[1])
    gram, start = inputs @ inputs.T, inputs @ first
    coefficients = torch.zeros_like(start)
    velocity, velocity_second = torch.zeros_like(start), torch.zeros_like(second)
    wanted = torch.nn.functional.one_hot(classes, second.shape[1]).to(inputs.dtype)
    for _ in range(inner.steps):
        hidden = torch.addmm(start, gram, coefficients)
        error = (torch.softmax(hidden @ second, dim=1) - wanted) / len(classes)
        velocity = inner.momentum * velocity + error @ second.T
        velocity_second = inner.momentum * velocity_second + hidden.T @ error
        coefficients = coefficients - inner.lr * velocity
        second = second - inner.lr * velocity_second
    return [first + inputs.T @ coefficients, second]


def _cross_entropy_gradient(
    logits: FloatArray, labels: npt.NDArray[np.int64], nodes: npt.NDArray[np.int64]
) -> FloatArray:
    """Gradient of the mean cross-entropy over ``nodes`` in the logits; zero elsewhere."""
    chosen = logits[nodes]
    shares = np.exp(chosen - chosen.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(nodes)), labels[nodes]] -= 1
    gradient = np.zeros_like(logits)
    gradient[nodes] = shares / len(nodes)
    return gradient
