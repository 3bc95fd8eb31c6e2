"""The gradients that attacks follow, against torch's autograd and against brute force."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch.nn.functional import cross_entropy

from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks.greedy import GreedyFlips
from kces.lab.attacks.meta_gradient import InnerTraining, MetaGradient, MetaProblem
from kces.lab.attacks.nettack import logits_after_flip
from kces.lab.attacks.pair_gradient import PairGradient
from kces.lab.attacks.surrogate import initial_weights, surrogate_step

N = 20
UPPER = np.triu(np.ones((N, N), dtype=bool), k=1)


def random_adjacency(seed: int = 0) -> np.ndarray:
    half = np.triu(np.random.default_rng(seed).random((N, N)) < 0.2, k=1)
    return (half + half.T).astype(float)


def dense_propagation(adjacency: torch.Tensor) -> torch.Tensor:
    with_loops = adjacency + torch.eye(N, dtype=adjacency.dtype)
    scale = with_loops.sum(1) ** -0.5
    return scale[:, None] * with_loops * scale[None, :]


def autograd_meta_gradient(adjacency, problem, weights) -> np.ndarray:
    """The textbook way: dense, with the whole training in the autograd graph."""
    variable = torch.tensor(adjacency, requires_grad=True)
    step, features = dense_propagation(variable), torch.tensor(np.asarray(problem.features))
    labels, inner = torch.tensor(problem.labels), problem.inner
    current = [torch.tensor(w, requires_grad=True) for w in weights]
    velocity = [torch.zeros_like(w) for w in current]
    for _ in range(inner.steps):
        logits = step @ step @ features @ current[0] @ current[1]
        loss = cross_entropy(logits[problem.train], labels[problem.train])
        grads = torch.autograd.grad(loss, current, create_graph=True)
        velocity = [inner.momentum * v + g for v, g in zip(velocity, grads, strict=True)]
        current = [w - inner.lr * v for w, v in zip(current, velocity, strict=True)]
    logits = step @ step @ features @ current[0] @ current[1]
    loss = cross_entropy(logits[problem.unlabeled], labels[problem.unlabeled])
    (gradient,) = torch.autograd.grad(loss, variable)
    return (gradient + gradient.T).numpy()


@pytest.mark.parametrize("rows_per_block", [N, 7, 1])
@pytest.mark.parametrize("sparse_features", [False, True])
def test_meta_gradient_equals_autograd(rows_per_block, sparse_features):
    rng = np.random.default_rng(1)
    adjacency, features = random_adjacency(), rng.random((N, 30)) * (rng.random((N, 30)) < 0.3)
    problem = MetaProblem(
        features=sp.csr_array(features) if sparse_features else features,
        labels=rng.integers(0, 3, N),
        train=np.array([2, 5, 6, 11, 19]),
        unlabeled=np.setdiff1d(np.arange(N), [2, 5, 6, 11, 19]),
        inner=InnerTraining(steps=25),
    )
    weights = [w.astype(float) for w in initial_weights(30, 4, 3, rng)]
    ours = np.zeros((N, N))
    for start, block in MetaGradient(problem, sp.csr_array(adjacency), weights).blocks(rows_per_block):
        ours[start : start + len(block), start:] = block
    dense = MetaProblem(features, problem.labels, problem.train, problem.unlabeled, problem.inner)
    expected = autograd_meta_gradient(adjacency, dense, weights)
    assert np.abs(expected[UPPER]).max() > 1e-3
    np.testing.assert_allclose(ours[UPPER], expected[UPPER], atol=1e-12)


def test_pair_gradient_equals_autograd_on_a_weighted_graph():
    rng = np.random.default_rng(2)
    half = np.triu(rng.random((N, N)) * (rng.random((N, N)) < 0.4), k=1)
    adjacency, left, right = half + half.T, rng.normal(size=(N, 3)), rng.normal(size=(N, 3))
    variable = torch.tensor(adjacency, requires_grad=True)
    # A loss that is linear in T has the gradient left @ right.T in it.
    loss = (dense_propagation(variable) * torch.tensor(left @ right.T)).sum()
    (gradient,) = torch.autograd.grad(loss, variable)
    expected = (gradient + gradient.T).numpy()
    matrix = sp.csr_array(adjacency)
    ours = PairGradient(left, right, surrogate_step(matrix, np.float64), adjacency.sum(1) + 1)
    pairs = np.argwhere(UPPER)
    np.testing.assert_allclose(ours.at(pairs), expected[UPPER], atol=1e-12)
    (start, block), *_ = ours.blocks(N)
    assert start == 0
    np.testing.assert_allclose(block[UPPER], expected[UPPER], atol=1e-12)


def test_nettack_s_incremental_logits_equal_recomputation():
    adjacency, target = random_adjacency(3), 4
    outputs = np.random.default_rng(4).normal(size=(N, 3))
    quick = logits_after_flip(sp.csr_array(adjacency), target, outputs)
    for partner in np.delete(np.arange(N), target):
        flipped = adjacency.copy()
        flipped[target, partner] = flipped[partner, target] = 1 - adjacency[target, partner]
        step = dense_propagation(torch.tensor(flipped)).numpy()
        np.testing.assert_allclose(quick[partner], (step @ step @ outputs)[target], atol=1e-12)


class TestGreedyFlips:
    path = Graph.from_edges([[0, 1], [1, 2], [2, 3]])

    def gradient(self, **entries: float) -> list[tuple[int, np.ndarray]]:
        matrix = np.zeros((4, 4))
        for name, value in entries.items():
            matrix[int(name[1]), int(name[2])] = value
        return [(0, matrix[:2]), (2, matrix[2:, 2:])]

    def test_takes_the_largest_gain_and_never_the_last_edge_of_a_node(self):
        state = GreedyFlips(self.path, np.empty((0, 2)))
        # Removing (0, 1) gains 9 but would cut off node 0; removing (1, 2) gains 5; adding (0, 2) gains 4.
        state.take(self.gradient(p01=-9, p12=-5, p02=4, p03=3), count=1)
        assert state.flips == [(1, 2)]

    def test_a_pair_is_flipped_once(self):
        state = GreedyFlips(self.path, np.array([[0, 2]]))
        state.take(self.gradient(p02=-9, p13=1), count=1)
        assert state.flips == [(0, 2), (1, 3)]

    def test_pairs_taken_together_share_no_node(self):
        state = GreedyFlips(Graph.from_edges([[0, 1], [1, 2], [2, 3], [0, 3]]), np.empty((0, 2)))
        state.take(self.gradient(p01=-9, p03=-8, p12=-7, p23=-0.5), count=2)
        assert state.flips == [(0, 1), (2, 3)]

    def test_nothing_left_to_flip_is_an_error(self):
        pair = Graph.from_edges([[0, 1]])
        with pytest.raises(InvalidParameterError, match="no pair of graph is left to flip"):
            GreedyFlips(pair, np.empty((0, 2))).take([(0, np.ones((2, 2)))], count=1)
