"""Kernel, pseudo labels, scores, ranking and the estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import kces
from kces.classifier import sgc_accuracy
from kces.datasets.builtin import digits, load_builtin, synthetic
from kces.datasets.planted import inject_cross_class_edges
from kces.datasets.toys import barbell, path, thorny
from kces.errors import InvalidGraphError, InvalidParameterError, MemoryLimitError, SingularKernelError
from kces.graph import Graph
from kces.kernel import aggregate, complexity, gram, normalize_rows
from kces.pseudo_labels import CLUSTERINGS, encode, pseudo_labels
from kces.ranking import kept_edges, prune_count, rank_edges
from kces.sanitize import ALPHAS, KCES
from oracle import oracle_changes, oracle_gkc


def test_gram_has_half_on_the_diagonal_and_zero_for_featureless_nodes() -> None:
    # Without edges between them, nodes 13 and 14 of the thorny graph keep only their own features.
    graph = Graph.from_edges([[0, 1]], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], n_nodes=3)
    H = gram(aggregate(graph))
    assert np.diag(H).tolist() == [0.5, 0.5, 0.0]
    assert H[2].tolist() == [0.0, 0.0, 0.0]


def test_twins_have_exactly_the_same_kernel_rows() -> None:
    graph = thorny()
    H = gram(aggregate(graph))
    assert H[5, 6] == 0.5


def test_gkc_equals_the_definition() -> None:
    graph = barbell()
    codes = np.where(graph.labels == 0, -1.0, 1.0)[:, None]
    expected = oracle_gkc(graph.adjacency.toarray(), graph.features, codes, 1e-3)
    assert kces.gkc(graph, labels="given") == pytest.approx(expected, rel=1e-12)


def test_gkc_ignores_the_scale_of_features() -> None:
    graph = thorny()
    scaled = Graph.from_scipy(graph.adjacency, 1000 * graph.features)
    assert kces.gkc(scaled, clusters=3) == pytest.approx(kces.gkc(graph, clusters=3), rel=1e-9)


def test_paper_preset_is_algorithm_1() -> None:
    graph = barbell()
    unit, _ = normalize_rows(aggregate(graph))
    clusters = pseudo_labels(graph, unit).clusters
    codes = np.linspace(-1, 1, 2)[clusters][:, None]
    expected = np.abs(oracle_changes(graph, codes, 1e-3))
    np.testing.assert_allclose(kces.score_edges(graph, engine="exact"), expected, rtol=1e-6, atol=1e-12)


def test_signed_scores_are_absolute_ones_with_a_sign() -> None:
    graph = synthetic(n=80, seed=1)
    signed = kces.score_edges(graph, signed=True)
    assert (signed < 0).any()
    assert (signed > 0).any()
    np.testing.assert_array_equal(np.abs(signed), kces.score_edges(graph))


def test_sparse_and_dense_features_agree() -> None:
    graph = thorny()
    sparse = Graph.from_scipy(graph.adjacency, sp.csr_array(graph.features))
    np.testing.assert_allclose(
        kces.score_edges(sparse, clusters=3), kces.score_edges(graph, clusters=3), rtol=1e-6, atol=1e-9
    )


def test_overflowing_features_are_refused() -> None:
    graph = Graph.from_edges([[0, 1]], [[1e200], [1e200]])
    with np.errstate(over="ignore"), pytest.raises(InvalidGraphError, match="too large"):
        kces.score_edges(graph, clusters=2)


@pytest.mark.parametrize("method", CLUSTERINGS)
def test_clusterings_find_two_cliques_and_repeat(method: str) -> None:
    graph = barbell(8)
    unit, _ = normalize_rows(aggregate(graph))
    first = pseudo_labels(graph, unit, method, seed=3)
    assert first.k == 2
    assert len(set(first.clusters[:7])) == len(set(first.clusters[9:])) == 1
    assert first.clusters[0] != first.clusters[-1]
    assert np.array_equal(first.clusters, pseudo_labels(graph, unit, method, seed=3).clusters)


def test_k_is_chosen_by_silhouette_without_classes() -> None:
    graph = barbell(8)
    unlabelled = Graph.from_scipy(graph.adjacency, graph.features)
    found = pseudo_labels(unlabelled, normalize_rows(aggregate(graph))[0])
    assert found.k == 2
    assert "silhouette" in found.chosen_by


@pytest.mark.parametrize("identical", [True, False])
def test_degenerate_features(identical: bool) -> None:
    """All rows identical, or all zero: scores are finite and the run does not fail."""
    features = np.ones((6, 2)) if identical else np.zeros((6, 2))
    graph = Graph.from_edges([[i, i + 1] for i in range(5)], features)
    scores = kces.score_edges(graph, clusters=2)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": 1}, "clusters must lie in 2…10"),
        ({"clusters": 11}, "clusters must lie in 2…10"),
        ({"labels": "magic"}, "unknown pseudo labels 'magic'"),
        ({"labels": [0, 1]}, r"labels have shape \(2,\)"),
        ({"labels": [0] * 10}, "single class"),
        ({"encoding": "magic"}, "unknown encoding 'magic'"),
        ({"engine": "magic"}, "unknown engine 'magic'"),
        ({"preset": "magic"}, "unknown preset 'magic'"),
        ({"ridge": -1.0}, "ridge must be a number >= 0"),
        ({"ridge": float("nan")}, "ridge must be a number >= 0"),
    ],
)
def test_bad_parameters(options: dict, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        kces.score_edges(barbell(), **options)


def test_given_labels_need_labels() -> None:
    with pytest.raises(InvalidParameterError, match="has no labels"):
        kces.score_edges(path(4), labels="given")


def test_gkc_without_ridge_fails_clearly_on_twins() -> None:
    with pytest.raises(SingularKernelError, match="singular at ridge 0"):
        kces.gkc(thorny(), ridge=0.0, clusters=2)


def test_gkc_names_the_memory_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "100")
    with pytest.raises(MemoryLimitError, match=r"needs 2\.3 KiB of memory, 100\.0 B are available"):
        kces.gkc(barbell())


def test_codes_are_bounded() -> None:
    clusters = np.arange(7)
    assert np.abs(encode(clusters, 7)).max() == 1.0
    assert encode(clusters, 7, "onehot").sum(axis=1).tolist() == [1.0] * 7


def test_complexity_is_summed_over_columns() -> None:
    H = gram(aggregate(barbell()))
    codes = np.random.default_rng(0).random((10, 3))
    assert complexity(H, codes) == pytest.approx(sum(complexity(H, codes[:, [c]]) for c in range(3)))


# -- ranking ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "alpha", "count"), [(10, 0.0, 0), (10, 0.01, 1), (10, 0.7, 7), (10, 1.0, 10), (3, 0.5, 2)]
)
def test_ceil_of_alpha_times_edges(n: int, alpha: float, count: int) -> None:
    assert prune_count(n, alpha) == count


def test_ties_go_to_the_lower_edge_even_when_rounding_differs() -> None:
    scores = np.array([1.0, 1.0 + 1e-13, 1.0 - 1e-13, 2.0])
    assert rank_edges(scores).tolist() == [3, 0, 1, 2]


def test_equal_scores_are_cut_in_edge_order() -> None:
    assert kept_edges(np.zeros(4), 0.5).tolist() == [False, False, True, True]


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_alpha_outside_its_range(alpha: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"alpha must lie in \[0, 1\]"):
        kces.find_suspicious_edges(barbell(), alpha=alpha)


# -- estimator ----------------------------------------------------------------------------------------


def test_estimator_attributes() -> None:
    model = KCES(alpha=0.2).fit(barbell())
    assert model.scores_.shape == (21,)
    assert model.edge_index_.shape == (2, 21)
    assert int((~model.kept_).sum()) == 5
    assert model.scores_[~model.kept_].min() == model.threshold_
    assert model.scores_[model.kept_].max() <= model.threshold_
    assert model.labels_.shape == (10,)
    assert model.sanitize().n_edges == 16


def test_nothing_pruned_has_an_infinite_threshold() -> None:
    assert KCES(alpha=0.0).fit(barbell()).threshold_ == np.inf


def test_clone_and_pickle() -> None:
    model = KCES(alpha=0.2, ridge=0.01)
    assert clone(model).get_params() == model.get_params()
    fitted = pickle.loads(pickle.dumps(model.fit(barbell())))
    np.testing.assert_array_equal(fitted.kept_, model.kept_)
    assert not hasattr(clone(fitted), "kept_")


def test_parameters_are_checked_in_fit_and_not_before() -> None:
    model = KCES(alpha=7)
    with pytest.raises(InvalidParameterError):
        model.fit(barbell())
    with pytest.raises(NotFittedError):
        model.sanitize()


def test_select_alpha_scores_once_and_takes_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    model = KCES()
    fit = KCES.fit
    monkeypatch.setattr(KCES, "fit", lambda self, *a, **k: (calls.append(1), fit(self, *a, **k))[1])
    table = model.select_alpha(barbell(), evaluate=lambda graph: -abs(graph.n_edges - 16))
    assert len(calls) == 1
    assert table["alpha"].tolist() == list(ALPHAS)
    assert model.alpha == 0.2
    assert model.sanitize().n_edges == 16


def test_select_alpha_refuses_nonsense() -> None:
    with pytest.raises(InvalidParameterError, match="NaN"):
        KCES().select_alpha(barbell(), evaluate=lambda graph: float("nan"))
    with pytest.raises(InvalidParameterError, match="empty"):
        KCES().select_alpha(barbell(), alphas=[])
    with pytest.raises(InvalidGraphError, match="needs labels"):
        KCES(clusters=2).select_alpha(path(5))


def test_other_libraries_graphs_are_accepted() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    assert kces.score_edges(graph, clusters=2).shape == (graph.number_of_edges(),)
    with pytest.raises(InvalidGraphError, match="cannot read a graph from list"):
        kces.score_edges([1, 2, 3])


# -- built-in graphs and the training-free judge ------------------------------------------------------


def test_digits_is_the_same_everywhere() -> None:
    graph = digits()
    assert (graph.n_nodes, graph.n_edges, graph.n_classes) == (1797, 6309, 10)
    assert sgc_accuracy(graph, on="test") > 0.95


def test_synthetic_follows_its_seed_and_options() -> None:
    first, same, other = (load_builtin(f"synthetic:n=200,classes=4,seed={seed}") for seed in (1, 1, 2))
    assert np.array_equal(first.edges, same.edges)
    assert not np.array_equal(first.edges, other.edges)
    assert first.n_classes == 4


@pytest.mark.parametrize(
    "name", ["synthetic:n=abc", "synthetic:size=3", "synthetic:n=2", "synthetic:homophily=2", "digits:n=3", "other"]
)
def test_bad_builtin_names(name: str) -> None:
    with pytest.raises(InvalidParameterError):
        load_builtin(name)


def test_planted_edges_join_different_classes() -> None:
    noisy, injected = inject_cross_class_edges(barbell(), 0.5, seed=1)
    planted = noisy.edges[injected]
    assert len(planted) == 10
    assert (noisy.labels[planted[:, 0]] != noisy.labels[planted[:, 1]]).all()
    with pytest.raises(InvalidGraphError, match="free pairs"):
        inject_cross_class_edges(barbell(), 5.0)
