"""The estimator: scikit-learn's manners on graphs."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline

from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, path
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.estimator import ALPHAS, KCES
from kces.graph import Graph


def test_estimator_attributes() -> None:
    model = KCES(alpha=0.2, preset="paper").fit(barbell())
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
    model = KCES(alpha=0.2, preset="paper", ridge=0.01)
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
    model = KCES(ties="index")
    fit = KCES.fit
    monkeypatch.setattr(KCES, "fit", lambda self, *a, **k: (calls.append(1), fit(self, *a, **k))[1])
    table = model.select_alpha(barbell(), evaluate=lambda graph: -abs(graph.n_edges - 16))
    assert len(calls) == 1
    assert table["alpha"].tolist() == list(ALPHAS)
    assert (model.alpha_, model.alpha) == (0.2, "auto")
    assert model.sanitize().n_edges == 16


def test_select_alpha_refuses_nonsense() -> None:
    with pytest.raises(InvalidParameterError, match="NaN"):
        KCES().select_alpha(barbell(), evaluate=lambda graph: float("nan"))
    with pytest.raises(InvalidParameterError, match="empty"):
        KCES().select_alpha(barbell(), alphas=[])
    with pytest.raises(InvalidGraphError, match="no labels to choose alpha by"):
        KCES().select_alpha(path(5))


def test_outliers_are_minus_one_as_in_scikit_learn() -> None:
    graph = barbell()
    model = KCES(alpha=0.1)
    said = model.fit_predict(graph)
    assert np.array_equal(said == -1, ~model.kept_)
    assert np.array_equal(model.decision_function(graph) < 0, said == -1)


def test_decision_function_is_nowhere_negative_when_nothing_is_pruned() -> None:
    graph = barbell()
    assert (KCES(alpha=0.0).fit(graph).decision_function(graph) >= 0).all()


def test_transform_of_another_graph_scores_that_graph_and_leaves_the_fit_alone() -> None:
    fitted, other = synthetic(n=80, seed=0), synthetic(n=90, seed=1)
    model = KCES(alpha=0.2).fit(fitted)
    before = model.kept_.copy()
    sanitized = model.transform(other)
    assert np.array_equal(sanitized.edges, KCES(alpha=0.2).fit(other).sanitize().edges)
    assert np.array_equal(model.kept_, before)


def test_a_step_of_a_pipeline_on_a_graph() -> None:
    class CountEdges(BaseEstimator):
        def fit(self, graph: Graph, y: None = None) -> CountEdges:
            self.n_edges_ = graph.n_edges
            return self

    graph = barbell()
    steps = Pipeline([("sanitize", KCES(alpha=0.1)), ("count", CountEdges())]).fit(graph)
    assert steps["count"].n_edges_ == graph.n_edges - 3


def test_random_state_is_a_seed_or_a_generator() -> None:
    graph = synthetic(n=80, seed=0)
    seeded = [KCES(random_state=3).fit(graph).scores_ for _ in range(2)]
    assert np.array_equal(*seeded)
    drawn = [KCES(random_state=np.random.RandomState(1)).fit(graph).scores_ for _ in range(2)]
    assert np.array_equal(*drawn)
    assert not np.array_equal(seeded[0], drawn[0])
    with pytest.raises(InvalidParameterError, match="seed must be a whole number"):
        KCES(random_state=-1).fit(graph)


def test_the_table_says_why() -> None:
    table = KCES(alpha=0.1).fit(barbell()).table()
    assert table.columns.tolist() == ["source", "target", "score", "rank", "suspicious", "why"]
    assert (table["why"].str.len() > 0).all()


def test_what_select_alpha_chose_holds_for_other_graphs_too() -> None:
    graph, other = barbell(), barbell(6)
    model = KCES(ties="index")
    model.select_alpha(graph, evaluate=lambda left: -left.n_edges, alphas=[0.0, 0.5])
    assert model.transform(graph).n_edges == model.sanitize().n_edges == graph.n_edges // 2
    assert model.transform(other).n_edges == other.n_edges // 2


def test_a_table_changed_after_the_fit_is_scored_anew() -> None:
    edges = pd.DataFrame(barbell().edges, columns=["source", "target"])
    model = KCES(alpha=0.1, ties="index").fit(edges)
    edges.loc[len(edges)] = [0, 9]
    assert len(model.transform(edges)) == len(edges) - 3
