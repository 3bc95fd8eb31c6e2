"""The scikit-learn user: an estimator in a pipeline, a grid search by hand, a DataFrame of edges."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

import kces
from kces.classifier import sgc_accuracy
from kces.datasets.builtin import digits
from kces.datasets.planted import inject_cross_class_edges


class Judge(BaseEstimator):
    """Stands for a model of one's own at the end of the pipeline."""

    def fit(self, graph, y=None):
        self.accuracy_ = sgc_accuracy(graph, on="test")
        return self


def test_a_step_of_a_pipeline():
    noisy, _ = inject_cross_class_edges(digits(), 0.5)
    steps = Pipeline([("sanitize", kces.KCES(random_state=0)), ("judge", Judge())])
    with_kces = clone(steps).fit(noisy)["judge"].accuracy_
    without = clone(steps).set_params(sanitize="passthrough").fit(noisy)["judge"].accuracy_
    assert with_kces > without + 0.01


def test_outlier_manners_on_a_dataframe(bank):
    edges = bank.payments.rename(columns={"Absender": "source", "Empfänger": "target"})
    model = kces.KCES()
    said = model.fit_predict((edges, bank.customers))
    assert said.shape == (len(edges),)
    assert set(np.unique(said)) == {-1, 1}
    assert bank.is_planted(edges["source"], edges["target"])[said == -1].mean() > 0.4
    assert model.get_params()["alpha"] == "auto"
    assert 0 < model.alpha_ < 0.5


def test_choosing_alpha_leaves_the_parameters_alone():
    noisy, _ = inject_cross_class_edges(digits(), 0.5)
    model = kces.KCES()
    table = model.select_alpha(noisy, alphas=[0.0, 0.2, 0.4])
    assert set(table["alpha"]) == {0.0, 0.2, 0.4, kces.KCES().fit(noisy).alpha_}
    assert model.alpha == "auto"
    assert model.alpha_ >= 0.2
