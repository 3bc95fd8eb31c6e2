"""The view of train labels: it reads no other label, and says where it cannot work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from kces.datasets.builtin import synthetic
from kces.datasets.planted import inject_cross_class_edges
from kces.datasets.toys import path
from kces.errors import InvalidGraphError
from kces.lab.study.train_labels import TrainLabelSpace
from kces.lab.study.variants import VARIANTS

with_labels = VARIANTS["robust + train labels"]


def test_it_helps_where_features_say_nothing() -> None:
    graph = synthetic(n=800, seed=0, classes=2, degree=16, homophily=0.95, signal=0.05)
    noisy, planted = inject_cross_class_edges(graph, 0.2)
    assert roc_auc_score(planted, with_labels(noisy)) > roc_auc_score(planted, VARIANTS["robust"](noisy))


def test_labels_of_other_nodes_are_never_read() -> None:
    graph = synthetic(n=300, seed=1)
    shuffled = graph.labels.copy()
    hidden = np.setdiff1d(np.arange(300), graph.train)
    shuffled[hidden] = np.random.default_rng(0).permutation(shuffled[hidden])
    assert np.array_equal(with_labels(graph), with_labels(replace(graph, labels=shuffled)))


def test_labels_must_be_there() -> None:
    with pytest.raises(InvalidGraphError, match="no labels with train nodes"):
        TrainLabelSpace()(path(5))
    with pytest.raises(InvalidGraphError, match="fewer than two classes"):
        TrainLabelSpace()(replace(path(5), labels=np.zeros(5, dtype=np.int64), train=np.arange(2)))
