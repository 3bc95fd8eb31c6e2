"""The functions that people call first: one default, the same answer from each."""

from __future__ import annotations

import numpy as np
import pytest

import kces
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
