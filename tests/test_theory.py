"""The paper's theorems, checked on small graphs."""

from __future__ import annotations

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.engines.exact import ExactEngine
from kces.engines.problem import Problem
from kces.errors import InvalidParameterError, SingularKernelError
from kces.kernel import aggregate, gram, normalize_rows
from kces.theory import (
    edge_bound,
    error_bound,
    sampling_error,
    simulate_training,
    smallest_eigenvalue,
    training_curve,
)
from oracle import oracle_gkc


def test_training_follows_the_predicted_curve_closer_with_width() -> None:
    """Theorem 3.1: the residual of gradient descent is ‖(I − ηH)ᵗ y‖ up to an error that shrinks with the width."""
    graph = synthetic(n=24, degree=4, features=8, seed=0)
    inputs, _ = normalize_rows(aggregate(graph))
    targets = np.where(graph.labels % 2 == 0, 1.0, -1.0)
    H = gram(inputs)
    step = 0.5 / np.linalg.eigvalsh(H)[-1]
    predicted = training_curve(H, targets, step=step, steps=100)
    gaps = []
    for width in (64, 1024, 65536):
        curves = [
            simulate_training(inputs, targets, width=width, step=step, steps=100, kappa=0.1, seed=seed)
            for seed in range(3)
        ]
        gaps.append(np.mean([np.abs(curve - predicted).max() for curve in curves]) / predicted[0])
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.05
    assert predicted[-1] < 0.8 * predicted[0]


def test_edge_bound_holds_on_every_edge() -> None:
    """Corollary 4.1: √GKC(G−e) ≤ √GKC(G) + √KC(e), with GKC(G−e) from the definition."""
    graph = synthetic(n=30, degree=5, features=6, seed=1)
    codes = np.where(graph.labels % 2 == 0, 1.0, -1.0)[:, None]
    kc = ExactEngine().score(Problem(graph, codes, 1e-3))
    bound = error_bound(gram(aggregate(graph)), codes, ridge=1e-3)
    adjacency = graph.adjacency.toarray()
    for e, (i, j) in enumerate(graph.edges):
        without = adjacency.copy()
        without[i, j] = without[j, i] = 0.0
        after = np.sqrt(oracle_gkc(without, graph.features, codes, 1e-3)) + bound.epsilon
        assert after <= edge_bound(bound, kc)[e] + 1e-9


def test_error_bound_is_the_sum_of_its_parts() -> None:
    H = 0.5 * np.eye(100)
    bound = error_bound(H, np.ones((100, 1)), ridge=0.0, delta=0.1)
    assert bound.smallest_eigenvalue == pytest.approx(0.5)
    assert bound.root_gkc == pytest.approx(2.0)
    assert bound.epsilon == pytest.approx(np.sqrt(np.log(100 / 0.05) / 100))
    assert bound.value == pytest.approx(bound.root_gkc + bound.epsilon)


def test_sampling_error_shrinks_with_nodes_and_grows_with_confidence() -> None:
    assert sampling_error(10_000, 0.1) < sampling_error(100, 0.1)
    assert sampling_error(100, 0.1, delta=0.01) > sampling_error(100, 0.1, delta=0.1)


def test_bounds_refuse_what_they_cannot_say() -> None:
    with pytest.raises(InvalidParameterError, match="delta"):
        sampling_error(10, 0.1, delta=1.5)
    with pytest.raises(SingularKernelError, match="positive smallest eigenvalue"):
        sampling_error(10, 0.0)
    with pytest.raises(InvalidParameterError, match="step must lie in"):
        training_curve(np.eye(2), np.ones(2), step=3.0, steps=1)


def test_smallest_eigenvalue() -> None:
    H = gram(aggregate(synthetic(n=20, seed=1)))
    assert smallest_eigenvalue(H) == pytest.approx(np.linalg.eigvalsh(H)[0])
