"""The robust score: exact values, the leave-edge-out algebra against brute force, invariances, planted edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from kces.datasets.builtin import digits, synthetic
from kces.datasets.toys import barbell, path, star, thorny
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.kernel import RIDGE
from kces.scorers import ScoreOptions, make_scorer
from kces.scorers.robust import contrast_weights, gather_evidence, pair_complexity
from kces.scorers.views import standard_views


def robust_scores(graph: Graph, seed: int = 0) -> np.ndarray:
    return make_scorer(ScoreOptions(seed=seed)).score(graph).scores


def plant(graph: Graph, share: float, seed: int = 0) -> tuple[Graph, np.ndarray]:
    """The graph with ``share`` as many cross-class edges put in, and which of its edges those are."""
    generator = np.random.default_rng(seed)
    pairs = np.sort(generator.integers(graph.n_nodes, size=(10 * graph.n_edges, 2)), axis=1)
    pairs = pairs[graph.labels[pairs[:, 0]] != graph.labels[pairs[:, 1]]]
    keys = graph.edges @ [graph.n_nodes, 1]
    new = np.setdiff1d(pairs @ [graph.n_nodes, 1], keys)
    new = generator.permutation(new)[: round(share * graph.n_edges)]
    both = np.concatenate([keys, new])
    noisy = graph.with_edges(np.stack([both // graph.n_nodes, both % graph.n_nodes], axis=1))
    return noisy, np.isin(noisy.edges @ [graph.n_nodes, 1], new)


def test_complexity_of_a_pair_is_that_of_the_two_by_two_kernel() -> None:
    for kappa in (-1.0, -0.3, 0.0, 0.8, 1.0):
        H = np.array([[1.0, kappa], [kappa, 1.0]]) + RIDGE * np.eye(2)
        expected = np.ones(2) @ np.linalg.solve(H, np.ones(2))
        assert pair_complexity(np.array([kappa]))[0] == pytest.approx(expected, rel=1e-9)


def test_contrast_weights_by_hand() -> None:
    edges = np.array([[1.0, 0.0, 0.5], [1.0, 0.0, 0.5]])
    unlinked = np.array([[0.0, 1.0, 0.5], [0.5, 0.0, 0.5]])  # gaps .75, −.5, 0; variances 1/16, 1/4, 0
    assert contrast_weights(edges, unlinked).tolist() == [1.0, 0.0, 0.0]
    assert contrast_weights(edges, unlinked[:1]).tolist() == [1 / 3] * 3


def test_the_bridge_of_a_barbell_stands_out() -> None:
    graph = barbell(8)
    order = np.argsort(-robust_scores(graph))
    assert graph.edges[order[0]].tolist() == [7, 8]
    assert robust_scores(graph)[order[0]] > 2.0 > robust_scores(graph)[order[1]]


def test_sparse_and_dense_features_score_alike() -> None:
    graph = synthetic(n=300, seed=1)
    sparse = replace(graph, features=sp.csr_array(graph.features))
    np.testing.assert_allclose(robust_scores(graph), robust_scores(sparse), rtol=1e-6)


def test_feature_scale_does_not_matter() -> None:
    graph = synthetic(n=300, seed=1)
    scaled = replace(graph, features=graph.features * 1e3)
    np.testing.assert_allclose(robust_scores(graph), robust_scores(scaled), rtol=1e-6)


def test_relabeling_nodes_keeps_the_order() -> None:
    """Only the sample of random pairs depends on the numbering, so scores move by sampling error at most."""
    graph = synthetic(n=400, seed=3)
    new_name = np.random.default_rng(0).permutation(graph.n_nodes)
    features = np.empty_like(graph.features)
    features[new_name] = graph.features
    renamed = Graph.from_edges(new_name[graph.edges], features, n_nodes=graph.n_nodes)
    keys = np.sort(new_name[graph.edges], axis=1) @ [graph.n_nodes, 1]
    moved = robust_scores(renamed)[np.searchsorted(renamed.edges @ [graph.n_nodes, 1], keys)]
    assert spearmanr(robust_scores(graph), moved).statistic > 0.999


def test_same_seed_same_scores() -> None:
    graph = synthetic(n=300, seed=1)
    assert np.array_equal(robust_scores(graph, seed=4), robust_scores(graph, seed=4))


@pytest.mark.parametrize(
    "graph",
    [
        thorny(),
        star(6),
        path(2),
        replace(barbell(), features=np.ones((10, 3))),
        replace(barbell(), features=np.zeros((10, 3))),
        replace(barbell(), features=np.ones((10, 1))),
        Graph.from_edges([[0, 1], [0, 2], [1, 2]]),  # complete: no random pair to compare with
        Graph.from_edges([[0, 1], [1, 2], [2, 3]], n_nodes=6),  # identity features, isolated nodes
    ],
    ids=["thorny", "star", "pair", "constant", "zero", "one column", "complete", "isolated"],
)
def test_degenerate_graphs_get_finite_scores(graph: Graph) -> None:
    scores = robust_scores(graph)
    assert scores.shape == (graph.n_edges,)
    assert np.isfinite(scores).all()
    assert (scores > 0).all()


def test_identity_features_use_only_the_aggregated_view() -> None:
    graph = synthetic(n=300, seed=1, classes=2, degree=20, homophily=0.95)
    blind = replace(graph, features=sp.csr_array(sp.eye_array(graph.n_nodes)))
    found = gather_evidence(blind, standard_views())
    assert found.weights.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert found.columns[3] == "the two neighborhoods"
    assert gather_evidence(graph, standard_views()).weights.shape == (8,)


@pytest.mark.parametrize(
    ("graph", "at_least"),
    [(digits(), 0.95), (synthetic(n=1000, seed=0, homophily=0.95), 0.8)],
    ids=["digits", "blocks"],
)
def test_planted_cross_class_edges_are_found(graph: Graph, at_least: float) -> None:
    noisy, planted = plant(graph, 0.2)
    assert roc_auc_score(planted, robust_scores(noisy)) > at_least


def test_planted_edges_are_found_without_features() -> None:
    graph = synthetic(n=600, seed=0, classes=2, degree=30, homophily=0.95)
    noisy, planted = plant(replace(graph, features=sp.csr_array(sp.eye_array(600))), 0.2)
    assert roc_auc_score(planted, robust_scores(noisy)) > 0.9


def test_labels_are_never_read() -> None:
    graph = synthetic(n=300, seed=1)
    assert np.array_equal(robust_scores(graph), robust_scores(replace(graph, labels=None)))


def test_labels_are_refused_with_what_they_can_do() -> None:
    with pytest.raises(InvalidParameterError, match="known labels can choose the cut, as alpha labels"):
        make_scorer(ScoreOptions(labels="given"))
