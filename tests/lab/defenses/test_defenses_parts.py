"""The parts of the defenses, checked against plain dense formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch_geometric.nn import GATConv

from kces.datasets.toys import barbell
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.kernel import normalized_adjacency
from kces.lab.defenses import make_defense
from kces.lab.defenses.airgnn import AirGNNNetwork
from kces.lab.defenses.defense import Task
from kces.lab.defenses.edge_attention import EdgeAttention
from kces.lab.defenses.gat import WeightedGATConv
from kces.lab.defenses.gnnguard import GNNGuard, GNNGuardNetwork
from kces.lab.defenses.jaccard import Jaccard
from kces.lab.defenses.learned_adjacency import LearnedAdjacency, RowsOfNodes
from kces.lab.defenses.nuclear_norm import shrink_largest_singular_values, shrink_singular_values
from kces.lab.defenses.prognn import GCNOnLearned, ProGNN
from kces.lab.defenses.similarity import cosine, jaccard
from kces.lab.defenses.svd import SVD
from kces.lab.defenses.weighted_adjacency import LowRank, gcn_operator, sparse_on_edges, weighted
from kces.lab.training import (
    DEEPROBUST,
    BestWeights,
    SparseOperator,
    Supervision,
    feature_input,
    seeded,
    training_preset,
)


def labeled_barbell() -> Graph:
    nodes = np.arange(10)
    graph = barbell()
    return Graph.from_edges(
        graph.edges, graph.features, labels=graph.labels, train=nodes[::2], val=nodes[1::2], test=nodes
    )


def dense_normalized(matrix: np.ndarray) -> np.ndarray:
    looped = matrix + np.eye(len(matrix))
    root = 1 / np.sqrt(looped.sum(axis=1))
    return root[:, None] * looped * root


# -- training --------------------------------------------------------------------------------------


def test_sparse_operator_has_the_gradient_of_a_dense_product() -> None:
    matrix = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
    dense = torch.arange(6.0).reshape(3, 2).requires_grad_()
    product = SparseOperator(sp.csr_array(matrix))(dense)
    np.testing.assert_allclose(product.detach().numpy(), matrix @ np.arange(6.0).reshape(3, 2))
    (product * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    np.testing.assert_allclose(dense.grad.numpy(), matrix.T @ np.array([[1.0, 2.0], [3.0, 4.0]]))


def test_sparse_dropout_drops_the_same_entries_forward_and_backward() -> None:
    matrix = sp.csr_array((np.arange(1, 13).reshape(3, 4) % 5).astype(float))
    weight = torch.eye(4, requires_grad=True)
    with seeded(0):
        dropped = feature_input(matrix).multiply(weight, dropout=0.5)
    seen = dropped.detach().numpy()
    assert set(np.round(np.unique(seen / np.where(matrix.toarray() == 0, 1, matrix.toarray())), 6)) == {0.0, 2.0}
    upstream = torch.randn(3, 4)
    dropped.backward(upstream)
    np.testing.assert_allclose(weight.grad.numpy(), seen.T @ upstream.numpy(), rtol=1e-5)


def test_best_weights_takes_either_measure() -> None:
    supervision = Supervision(torch.tensor([0, 1]), torch.tensor([0]), torch.tensor([0, 1]), 2)
    best = BestWeights()
    assert best.improved(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), supervision)
    assert not best.improved(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), supervision)
    # All right, but with a higher loss is impossible here; a lower loss with one error still counts.
    assert best.improved(torch.tensor([[9.0, 0.0], [0.1, 0.0]]), supervision)
    assert best.improved(torch.tensor([[0.01, 0.0], [0.0, 0.01]]), supervision)
    assert best.accuracy == 1.0


def test_presets() -> None:
    assert (DEEPROBUST.weight_decay, DEEPROBUST.dropout, DEEPROBUST.epochs) == (5e-4, 0.5, 200)
    assert training_preset("paper").weight_decay == 1e-5
    with pytest.raises(InvalidParameterError, match="unknown training preset"):
        training_preset("other")


# -- adjacencies -----------------------------------------------------------------------------------


def test_weighted_leaves_out_zeros_and_is_symmetric() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [0, 2]], np.eye(3))
    matrix = weighted(graph, np.array([0.5, 0.0, 2.0])).toarray()
    np.testing.assert_array_equal(matrix, [[0, 0.5, 0], [0.5, 0, 2.0], [0, 2.0, 0]])


@pytest.mark.parametrize("power", [-0.5, -1.0])
def test_normalized_is_the_formula(power: float) -> None:
    matrix = np.array([[0, 0.5, 0], [0.5, 0, 1], [0, 1, 0]])
    scale = np.diag((matrix + np.eye(3)).sum(axis=1) ** power)
    np.testing.assert_allclose(
        normalized_adjacency(sp.csr_array(matrix), power).toarray(), scale @ (matrix + np.eye(3)) @ scale
    )


def test_low_rank_operator_is_the_dense_one() -> None:
    generator = np.random.default_rng(0)
    factors = generator.random((6, 2))
    product = gcn_operator(LowRank(factors, factors))(torch.eye(6))
    np.testing.assert_allclose(product.numpy(), dense_normalized(factors @ factors.T), rtol=1e-5)


def test_low_rank_rows_with_negative_degree_are_cut_off() -> None:
    left = np.array([[-2.0], [1.0], [1.0]])
    product = gcn_operator(LowRank(left, np.ones((3, 1))))(torch.eye(3)).numpy()
    assert np.isfinite(product).all()
    assert not product[0].any()
    assert not product[:, 0].any()


def test_svd_of_full_rank_is_the_graph_itself() -> None:
    graph = barbell()
    purified = SVD(rank=9).purify(graph)
    np.testing.assert_allclose(purified.entries(graph.edges), 1.0, atol=0.1)
    edges = sparse_on_edges(graph, purified)
    assert edges.nnz == 2 * graph.n_edges


# -- similarities ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_similarities_on_edges(form) -> None:
    features = form(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]))
    pairs = np.array([[0, 1], [1, 2], [0, 0]])
    np.testing.assert_allclose(cosine(features, pairs), [1 / np.sqrt(10), 0.0, 1.0])
    np.testing.assert_allclose(jaccard(features, pairs), [1 / 3, 0.0, 1.0])


def test_jaccard_threshold_and_the_released_codes_strictness() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]))
    assert Jaccard(threshold=1 / 3).purify(graph).nnz == 0
    assert Jaccard(threshold=1 / 3, strict=True).purify(graph).nnz == 2
    assert Jaccard(threshold=0.0).purify(graph).nnz == 2


# -- models ----------------------------------------------------------------------------------------


def test_attention_with_ones_is_pygs_layer_and_has_its_gradients() -> None:
    generator = torch.Generator().manual_seed(0)
    # A hub, a triangle, a leaf, an isolated node, an edge one way only.
    edges = torch.tensor([[0, 1, 0, 2, 0, 3, 1, 2, 4], [1, 0, 2, 0, 3, 0, 2, 1, 0]])
    ours, theirs = WeightedGATConv(4, 2, heads=3), GATConv(4, 2, heads=3)
    theirs.load_state_dict(ours.state_dict())
    pull = torch.randn(6, 6, generator=generator)
    found = []
    for layer, arguments in ((ours, [EdgeAttention(edges, torch.ones(9), n_nodes=6)]), (theirs, [edges])):
        features = torch.randn(6, 4, generator=torch.Generator().manual_seed(1), requires_grad=True)
        output = layer(features, *arguments)
        (output * pull).sum().backward()
        found.append([output, features.grad, *(each.grad for each in layer.parameters())])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def test_weight_two_counts_like_two_parallel_edges() -> None:
    layer, features = WeightedGATConv(4, 2), torch.randn(3, 4)
    doubled = EdgeAttention(torch.tensor([[0, 0, 1], [2, 2, 2]]), torch.ones(3), n_nodes=3)
    weighted = EdgeAttention(torch.tensor([[0, 1], [2, 2]]), torch.tensor([2.0, 1.0]), n_nodes=3)
    torch.testing.assert_close(layer(features, weighted), layer(features, doubled))


def test_airgnn_without_residual_is_plain_propagation() -> None:
    class Fixed(torch.nn.Module):
        def forward(self) -> torch.Tensor:
            return torch.arange(20.0).reshape(10, 2)

    operator = gcn_operator(barbell().adjacency)
    state = AirGNNNetwork(Fixed(), operator, residual=0.0, steps=3)()
    torch.testing.assert_close(state, operator(operator(operator(Fixed()()))))


def test_airgnn_with_a_huge_residual_keeps_the_mlps_word() -> None:
    class Fixed(torch.nn.Module):
        def forward(self) -> torch.Tensor:
            return torch.arange(20.0).reshape(10, 2)

    state = AirGNNNetwork(Fixed(), gcn_operator(barbell().adjacency), residual=0.9999, steps=3)()
    torch.testing.assert_close(state, Fixed()())


def test_gnnguard_weights_of_a_node_sum_to_one() -> None:
    task = Task.of(labeled_barbell())
    network = GNNGuardNetwork(task, 4, GNNGuard(prune_below=0.5))
    edges, loops = network.first_weights
    np.testing.assert_allclose((network._sum_at_target(edges) + loops).numpy(), 1.0, rtol=1e-6)


def test_gnnguard_prunes_below_its_threshold() -> None:
    graph = labeled_barbell()
    network = GNNGuardNetwork(Task.of(graph), 4, GNNGuard(prune_below=0.8))
    pairs = torch.stack([network.source, network.target], dim=1).numpy()
    kept = network.first_weights[0].numpy() > 0
    np.testing.assert_array_equal(kept, cosine(graph.features, pairs) >= 0.8)
    assert 0 < kept.sum() < len(kept)


def test_shrinking_singular_values_is_the_nuclear_norms_proximal_step() -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.randn(8, 8, generator=generator)
    left, values, right = torch.linalg.svd(matrix)
    expected = left @ torch.diag((values - 1.0).clamp(min=0)) @ right
    shrink_singular_values(matrix, 1.0)
    torch.testing.assert_close(matrix, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("about", "is_projected"), [(4, True), (2, False), (40, False)])
def test_a_guess_of_the_rank_changes_the_work_not_the_result(
    about: int, is_projected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = torch.Generator().manual_seed(0)
    matrix = torch.randn(120, 4, generator=generator) @ torch.randn(4, 120, generator=generator)
    matrix += 0.01 * torch.randn(120, 120, generator=generator)
    if about == 2:  # more singular values above the threshold than the projection finds
        matrix += 50 * torch.eye(120)
    expected = matrix.clone()
    shrink_singular_values(expected, 1.0)
    calls = []
    eigh = torch.linalg.eigh
    monkeypatch.setattr(torch.linalg, "eigh", lambda square: calls.append(1) or eigh(square))
    torch.manual_seed(0)
    shrink_singular_values(matrix, 1.0, about=about)
    torch.testing.assert_close(matrix, expected, atol=2e-3, rtol=1e-3)
    assert calls == ([] if is_projected else [1])


def test_shrinking_the_largest_singular_values_drops_the_others() -> None:
    generator = torch.Generator().manual_seed(0)
    tall = torch.randn(40, 6, generator=generator)
    matrix = tall @ torch.randn(6, 40, generator=generator) + 0.01 * torch.randn(40, 40, generator=generator)
    left, values, right = torch.linalg.svd(matrix)
    expected = left[:, :4] @ torch.diag((values[:4] - 1.0).clamp(min=0)) @ right[:4]
    torch.manual_seed(0)
    shrink_largest_singular_values(matrix, 1.0, rank=4)
    torch.testing.assert_close(matrix, expected, atol=1e-2, rtol=1e-3)


def test_known_directions_find_the_singular_values_of_a_matrix_that_moved_a_little() -> None:
    generator = torch.Generator().manual_seed(0)
    tall, wide = torch.randn(60, 6, generator=generator), torch.randn(6, 60, generator=generator)
    torch.manual_seed(0)
    before = tall @ wide
    directions = shrink_largest_singular_values(before, 1.0, rank=4)
    matrix = tall @ wide + 0.02 * torch.randn(60, 60, generator=generator)
    left, values, right = torch.linalg.svd(matrix)
    expected = left[:, :4] @ torch.diag((values[:4] - 1.0).clamp(min=0)) @ right[:4]
    again = shrink_largest_singular_values(matrix, 1.0, rank=4, directions=directions)
    torch.testing.assert_close(matrix, expected, atol=2e-2, rtol=1e-3)
    assert again.shape == directions.shape


def test_prognns_gcn_is_a_gcn_on_the_nodes_asked_for() -> None:
    graph = labeled_barbell()
    task = Task.of(graph)
    learned = LearnedAdjacency(task, ProGNN())
    learned.S += 0.1 * torch.rand(10, 10, generator=torch.Generator().manual_seed(1))
    network = GCNOnLearned(task.features, learned.operator(trainable=False), (4, 2), 0.5).eval()
    network.aggregate(learned.operator(trainable=False))
    nodes = torch.tensor([7, 2, 3])
    part = RowsOfNodes(learned, nodes)
    torch.testing.assert_close(network.logits(part), network()[nodes])
    learned.S.mul_(0.5)
    part.read_again(learned)
    network.operator = learned.operator(trainable=False)
    network.aggregate(network.operator)
    torch.testing.assert_close(network.logits(part), network()[nodes])


def prognn_step_by_autograd(matrix: torch.Tensor, given: torch.Tensor, graph: Graph, settings: ProGNN) -> torch.Tensor:
    """One step on S as the paper writes it: every term on the dense matrix, the gradient by autograd."""
    variable = matrix.clone().requires_grad_()
    with_loops = variable + torch.eye(len(matrix))
    root = with_loops.sum(dim=1).rsqrt()
    normalized = root[:, None] * with_loops * root
    degrees = (variable.sum(dim=0) + variable.sum(dim=1)) / 2
    inverse = torch.diag((degrees + 1e-3).rsqrt())
    features = torch.tensor(np.asarray(graph.features), dtype=torch.float32)
    laplacian = inverse @ (torch.diag(degrees) - variable) @ inverse
    loss = settings.gamma * two_layer_loss(lambda columns: normalized @ columns, len(matrix))
    loss = loss + settings.smoothness * torch.trace(features.T @ laplacian @ features) + (variable - given).norm()
    (gradient,) = torch.autograd.grad(loss, variable)
    if settings.symmetric:
        gradient = (gradient + gradient.T) / 2
    stepped = matrix - settings.adjacency_rate * gradient
    left, values, right = torch.linalg.svd(stepped)
    threshold = settings.adjacency_rate * settings.nuclear
    stepped = left @ torch.diag((values - threshold).clamp(min=0)) @ right
    sparse = torch.sign(stepped) * (stepped.abs() - settings.adjacency_rate * settings.sparsity).clamp(min=0)
    return sparse.clamp(0, 1)


def two_layer_loss(operator: Callable[[torch.Tensor], torch.Tensor], n_nodes: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    hidden = operator(torch.randn(n_nodes, 4, generator=generator).requires_grad_()).relu()
    return operator(hidden @ torch.randn(4, 3, generator=generator)).square().sum()


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("away", [0.0, 0.25])  # the first step starts at S = A, where the norm has no gradient
def test_prognns_step_is_that_of_autograd_on_the_dense_matrix(symmetric: bool, away: float) -> None:
    graph = labeled_barbell()
    settings = ProGNN(nuclear_every=1, symmetric=symmetric, smoothness=0.3, sparsity=0.5, nuclear=0.4)
    learned = LearnedAdjacency(Task.of(graph), settings)
    noise = away * torch.rand(10, 10, generator=torch.Generator().manual_seed(1))
    learned.S += (noise + noise.T) / 2 if symmetric else noise
    expected = prognn_step_by_autograd(learned.S, learned.given, graph, settings)
    learned.step(two_layer_loss(learned.operator(trainable=True), 10))
    torch.testing.assert_close(learned.S, expected, atol=2e-5, rtol=1e-4)
    assert (learned.S - learned.given).abs().max() > 0.005


def test_prognn_leaves_smoothness_out_where_features_only_number_the_nodes() -> None:
    featureless = replace(labeled_barbell(), features=np.eye(10))
    assert LearnedAdjacency(Task.of(featureless), ProGNN()).smoothness == 0.0
    assert LearnedAdjacency(Task.of(labeled_barbell()), ProGNN()).smoothness == ProGNN().smoothness


def test_prognns_operator_is_the_normalized_adjacency() -> None:
    graph = labeled_barbell()
    product = LearnedAdjacency(Task.of(graph), ProGNN()).operator(trainable=False)(torch.eye(10))
    np.testing.assert_allclose(product.numpy(), dense_normalized(graph.adjacency.toarray()), rtol=1e-5)


def test_prognns_adjacency_stays_symmetric_and_in_range() -> None:
    learned = LearnedAdjacency(Task.of(labeled_barbell()), ProGNN(nuclear_every=1, symmetric=True))
    for _ in range(3):
        learned.step(learned.operator(trainable=True)(torch.randn(10, 2)).square().sum())
    matrix = learned.S
    torch.testing.assert_close(matrix, matrix.T)
    assert matrix.min() >= 0
    assert matrix.max() <= 1


@pytest.mark.parametrize("name", ["gcn", "gat", "rgcn"])
def test_glorot_starts_where_pyg_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = labeled_barbell()
    starts = []
    adam = torch.optim.Adam
    monkeypatch.setattr(
        torch.optim, "Adam", lambda parameters, **o: starts.append(kept := list(parameters)) or adam(kept, **o)
    )
    preset = replace(training_preset("glorot"), epochs=1, learning_rate=0.0)
    make_defense(name, preset=preset).fit(graph, seed=0)
    for parameter in starts[0]:
        if parameter.ndim == 2 and parameter.shape[0] > 1:
            assert 0 < parameter.abs().max() <= (6 / sum(parameter.shape)) ** 0.5
        elif parameter.ndim < 3:
            assert (parameter == 0).all()
