"""The functions that people call first: one default, the same answer from each."""

from __future__ import annotations

import numpy as np
import pytest

import kces
from kces.cut import AlphaChoice, cut_at
from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph


def test_other_libraries_graphs_are_accepted() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    assert kces.score_edges(graph).shape == (graph.number_of_edges(),)
    with pytest.raises(InvalidGraphError, match="cannot read a graph from list"):
        kces.score_edges([1, 2, 3])


def test_one_default_everywhere() -> None:
    graph = synthetic(n=200, seed=0)
    scores = kces.score_edges(graph, preset="robust")
    model = kces.KCES().fit(graph)
    assert np.array_equal(kces.score_edges(graph), scores)
    assert np.array_equal(model.scores_, scores)
    assert np.array_equal(kces.find_suspicious_edges(graph), ~model.kept_)
    table = kces.rank_edges(graph)
    assert int(table["suspicious"].sum()) == int((~model.kept_).sum())
    assert table["score"].tolist() == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "option",
    [
        {"engine": "local"},
        {"engine_options": {"hops": 2}},
        {"clusters": 3},
        {"ridge": 0.1},
        {"encoding": "onehot"},
        {"signed": False},
        {"labels": "kmeans"},
        {"labels": [0] * 10},
    ],
    ids=str,
)
def test_robust_refuses_what_only_paper_has(option: dict) -> None:
    with pytest.raises(InvalidParameterError, match="preset robust"):
        kces.score_edges(barbell(), **option)


def test_a_misspelt_option_is_caught_when_called() -> None:
    with pytest.raises(TypeError, match="prest"):
        kces.score_edges(barbell(), prest="paper")
    with pytest.raises(TypeError, match="cluster"):
        kces.rank_edges(barbell(), preset="paper", cluster=3)


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, True])
def test_seeds_that_no_library_takes(seed: float) -> None:
    with pytest.raises(InvalidParameterError, match="seed must be a whole number"):
        kces.score_edges(barbell(), seed=seed)


@pytest.mark.parametrize("features", [np.ones((6, 1)), np.ones((6, 3)), np.zeros((6, 2))], ids=["one", "same", "zero"])
def test_features_that_tell_nothing_cut_nothing(features: np.ndarray) -> None:
    graph = Graph.from_edges([[i, i + 1] for i in range(5)] + [[0, 5]], features)
    with pytest.warns(kces.errors.GraphWarning, match="the same score"):
        assert not kces.find_suspicious_edges(graph, alpha=0.5).any()
    assert not kces.find_suspicious_edges(graph).any()


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(InvalidParameterError, match="unknown preset 'magic'; there are: robust, paper"):
        kces.score_edges(barbell(), preset="magic")


def test_dir_shows_the_public_names() -> None:
    assert {"KCES", "Graph", "rank_edges", "explain", "score_edges"} <= set(dir(kces))


def test_equal_scores_are_not_parted_by_an_automatic_cut() -> None:
    cut = cut_at(np.array([3.0, 2.0, 2.0, 2.0, 1.0]), AlphaChoice(0.4, "test", verdict="noisy"))
    assert cut.kept.tolist() == [False, True, True, True, True]


def test_all_edges_go_when_all_are_asked_for() -> None:
    ring = Graph.from_edges([[i, (i + 1) % 6] for i in range(6)])
    assert kces.find_suspicious_edges(ring, alpha=1).all()


@pytest.mark.parametrize("alpha", ["0.1", True, -1, 2])
def test_a_wrong_alpha_is_refused_before_any_work(alpha: object) -> None:
    with pytest.raises(InvalidParameterError, match="alpha must"):
        kces.sanitize(object(), alpha=alpha)


def test_a_graph_without_edges_is_checked_too_and_passes() -> None:
    networkx = pytest.importorskip("networkx")
    empty = networkx.empty_graph(3)
    assert kces.sanitize(empty).number_of_nodes() == 3
    assert kces.score_edges(empty).shape == kces.find_suspicious_edges(empty).shape == (0,)
    with pytest.raises(InvalidParameterError, match="unknown preset"):
        kces.sanitize(empty, preset="nope")
    with pytest.raises(InvalidGraphError, match="nothing to explain"):
        kces.explain(empty, 0, 1)


def test_the_table_of_a_graph_without_edges_has_all_columns_and_no_row() -> None:
    networkx = pytest.importorskip("networkx")
    none, some = kces.rank_edges(networkx.empty_graph(3)), kces.rank_edges(networkx.path_graph(4))
    assert len(none) == 0
    assert none.columns.tolist() == some.columns.tolist()
    assert [none[name].dtype for name in ("score", "rank", "suspicious")] == [
        some[name].dtype for name in ("score", "rank", "suspicious")
    ]


def test_constant_features_are_no_reason() -> None:
    graph = barbell()
    features = np.hstack([graph.features, np.full((10, 1), 7.0)])
    named = Graph.from_edges(graph.edges, features, feature_names=("age", "income", "constant"))
    table = kces.rank_edges(named)
    assert not table["why"].str.contains("constant").any()
    assert "constant (" not in str(kces.explain(named, 4, 5)).partition("speak against it")[2]
