"""The exact meta-gradient of Metattack, without an autograd graph over N x N matrices.

Notation: ``T`` is the propagation matrix, ``P = (T²X)[train]``. The surrogate ``T²X W₁ W₂`` is trained by
gradient descent with momentum on the training nodes, which sees the graph only through ``P``. So

1. reverse mode through the training steps runs on small dense matrices. Gradient descent moves ``W₁`` only
   within the row space of ``P``: ``W₁ = W₁⁰ + Pᵀ C``, and training needs just ``P Pᵀ`` and ``P W₁⁰``;
2. with ``G = ∂L/∂logits``, ``V = X W₁ W₂`` and ``K = ∂L/∂P · Xᵀ``, the loss has the gradient
   ``R = G Vᵀ + E_train K`` in ``T²``, hence ``H = R T + T R`` in ``T``: sparse times dense;
3. ``T_ij = A_ij / sqrt(d_i d_j)`` gives the gradient in the undirected pair (i, j):
   ``(H_ij + H_ji) / sqrt(d_i d_j) + r_i + r_j`` with ``r_i = −Σ_k (H_ik + H_ki) T_ik / 2 d_i``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from kces.graph import Features
from kces.lab.attacks.pair_gradient import degree_terms
from kces.lab.attacks.surrogate import FloatArray, propagation

__all__ = [
    "InnerTraining",
    "MetaProblem",
    "cross_entropy_gradient",
    "meta_gradient",
    "training_inputs",
    "training_path",
]


@dataclass(frozen=True)
class InnerTraining:
    """How the surrogate is trained inside the attack; the defaults are the published ones."""

    steps: int = 100
    lr: float = 0.1
    momentum: float = 0.9


@dataclass(frozen=True, eq=False)
class MetaProblem:
    """What stays the same while edges flip.

    ``labels`` are the true ones on ``train`` and the self-training ones on ``unlabelled``, where the
    attacker's loss is measured.
    """

    features: Features
    labels: npt.NDArray[np.int64]
    train: npt.NDArray[np.int64]
    unlabelled: npt.NDArray[np.int64]
    inner: InnerTraining


def meta_gradient(problem: MetaProblem, adjacency: sp.csr_array, weights: list[FloatArray]) -> FloatArray:
    """Gradient of the loss after training, in every undirected pair: a symmetric N x N array.

    ``weights`` are the initial weights of the two layers; their dtype is the precision of everything.
    """
    dtype = weights[0].dtype
    step = propagation(adjacency, dtype)
    in_square = _gradient_in_square(problem, step, weights)  # R + Rᵀ
    half = step @ in_square
    in_step = half + half.T  # H + Hᵀ
    del in_square, half
    degrees = np.diff(adjacency.indptr).astype(dtype) + 1
    row = np.repeat(np.arange(len(degrees)), np.diff(step.indptr))
    on_edges = sp.csr_array((in_step[row, step.indices], step.indices, step.indptr), shape=step.shape)
    through_degrees = degree_terms(np.asarray(on_edges.multiply(step).sum(axis=1)), degrees)
    scale = 1 / np.sqrt(degrees)
    in_step *= scale[:, None]
    in_step *= scale[None, :]
    in_step += through_degrees[:, None]
    in_step += through_degrees[None, :]
    return in_step


def _gradient_in_square(problem: MetaProblem, step: sp.csr_array, weights: list[FloatArray]) -> FloatArray:
    """``R + Rᵀ``, the symmetrised gradient in ``T²``."""
    features, train = problem.features, problem.train
    inputs = training_inputs(problem, step).requires_grad_()
    path = training_path(inputs, torch.from_numpy(problem.labels[train]), weights, problem.inner)
    coefficients, last = deque(path, maxlen=1).pop()
    trained = [torch.from_numpy(weights[0]) + inputs.T @ coefficients, last]
    first, second = (w.detach().numpy() for w in trained)

    projected = features @ first
    hidden = step @ (step @ projected)
    error = cross_entropy_gradient(hidden @ second, problem.labels, problem.unlabelled)  # G
    smoothed = step @ (step @ error)
    seeds = [torch.from_numpy(features.T @ (smoothed @ second.T)), torch.from_numpy(hidden.T @ error)]
    (in_inputs,) = torch.autograd.grad(trained, [inputs], grad_outputs=seeds)

    outer = error @ (projected @ second).T
    outer[train] += (features @ in_inputs.numpy().T).T  # K, on the rows of the training nodes
    return outer + outer.T


def training_inputs(problem: MetaProblem, step: sp.csr_array) -> torch.Tensor:
    """``P``: the aggregated features of the training nodes, dense."""
    aggregated = (step[problem.train] @ step) @ problem.features
    return torch.from_numpy(aggregated.toarray() if sp.issparse(aggregated) else aggregated)


def training_path(
    inputs: torch.Tensor, classes: torch.Tensor, weights: list[FloatArray], inner: InnerTraining
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """``C`` and ``W₂`` after each training step, differentiable in ``inputs``; ``W₁ = W₁⁰ + Pᵀ C``."""
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
        yield coefficients, second


def cross_entropy_gradient(
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
