"""The paper's score: Algorithm 1 to the letter, its options and their refusals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import kces
from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, path, thorny
from kces.errors import GraphWarning, InvalidParameterError
from kces.graph import Graph
from kces.kernel import aggregate, normalize_rows
from kces.scorers.pseudo_labels import pseudo_labels
from oracle import oracle_changes


def test_paper_preset_is_algorithm_1() -> None:
    graph = barbell()
    unit, _ = normalize_rows(aggregate(graph))
    clusters = pseudo_labels(graph, unit).clusters
    codes = np.linspace(-1, 1, 2)[clusters][:, None]
    expected = np.abs(oracle_changes(graph, codes, 1e-3))
    np.testing.assert_allclose(kces.score_edges(graph, preset="paper", engine="exact"), expected, rtol=1e-6, atol=1e-12)


def test_signed_scores_are_absolute_ones_with_a_sign() -> None:
    graph = synthetic(n=80, seed=1)
    signed = kces.score_edges(graph, preset="paper", signed=True)
    assert (signed < 0).any()
    assert (signed > 0).any()
    np.testing.assert_array_equal(np.abs(signed), kces.score_edges(graph, preset="paper"))


def test_sparse_and_dense_features_agree() -> None:
    graph = thorny()
    sparse = Graph.from_scipy(graph.adjacency, sp.csr_array(graph.features))
    np.testing.assert_allclose(
        kces.score_edges(sparse, preset="paper", clusters=3),
        kces.score_edges(graph, preset="paper", clusters=3),
        rtol=1e-6,
        atol=1e-9,
    )


def test_features_whose_squares_overflow_have_scores() -> None:
    graph = Graph.from_edges([[0, 1]], [[1e200], [1e200]])
    assert np.isfinite(kces.score_edges(graph, preset="paper", clusters=2)).all()


@pytest.mark.parametrize("identical", [True, False])
def test_degenerate_features(identical: bool) -> None:
    """All rows identical, or all zero: scores are finite and the run does not fail."""
    features = np.ones((6, 2)) if identical else np.zeros((6, 2))
    graph = Graph.from_edges([[i, i + 1] for i in range(5)], features)
    scores = kces.score_edges(graph, preset="paper", clusters=2)
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
        ({"ridge": -1.0}, "ridge must be a number >= 0"),
        ({"ridge": float("nan")}, "ridge must be a number >= 0"),
    ],
)
def test_bad_parameters(options: dict, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        kces.score_edges(barbell(), preset="paper", **options)


def test_given_labels_need_labels() -> None:
    with pytest.raises(InvalidParameterError, match="has no labels"):
        kces.score_edges(path(4), preset="paper", labels="given")


def test_reasons_name_the_classes_and_the_change() -> None:
    graph = barbell()
    scored = kces.score(graph, preset="paper", labels="given")
    bridge = graph.edges.tolist().index([4, 5])
    change = scored.evidence.change[bridge]
    assert scored.reasons()[bridge] == f"joins pseudo classes 0 and 1; without it GKC falls by {change:.3g}"
    assert scored.reasons()[0].startswith("within pseudo class 0; without it GKC falls by")


def test_auto_says_that_the_paper_has_no_automatic_cut() -> None:
    cut = kces.score(barbell(), preset="paper").cut("auto")
    assert cut.alpha == 0.3
    assert "no automatic cut" in cut.choice.reason


@pytest.mark.parametrize(("per_node", "time"), [(3.0, "4 minutes"), (0.9, "a minute")])
def test_what_takes_minutes_is_said_before_the_work(
    per_node: float, time: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kces.engines.regime._SECONDS_PER_NODE", per_node)
    with pytest.warns(GraphWarning, match=f"preset paper takes about {time} on 80 nodes, preset robust far less"):
        kces.score_edges(synthetic(n=80, seed=1), preset="paper", engine="local")


def test_it_is_said_before_the_clusters_are_found_and_of_the_engine_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kces.engines.regime._EXACT_WORK_PER_SECOND", 1e5)
    monkeypatch.setattr("kces.scorers.paper.pseudo_labels", None)
    with pytest.warns(GraphWarning, match="minute"), pytest.raises(TypeError, match="not callable"):
        kces.score_edges(synthetic(n=80, seed=1), preset="paper", engine="exact")
