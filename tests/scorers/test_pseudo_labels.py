"""Pseudo labels and their codes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell
from kces.graph import Graph
from kces.kernel import aggregate, normalize_rows
from kces.scorers.pseudo_labels import CLUSTERINGS, encode, pseudo_labels


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
    unlabeled = Graph.from_scipy(graph.adjacency, graph.features)
    found = pseudo_labels(unlabeled, normalize_rows(aggregate(graph))[0])
    assert found.k == 2
    assert "silhouette" in found.chosen_by


def test_starts_on_a_sample_find_the_partition_of_starts_on_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = synthetic(n=1_500, seed=0)
    unit, _ = normalize_rows(aggregate(graph))
    whole = pseudo_labels(graph, unit).clusters
    monkeypatch.setattr("kces.scorers.pseudo_labels._EVERY_NODE", 1_000)
    monkeypatch.setattr("kces.scorers.pseudo_labels._START_SAMPLE", 600)
    monkeypatch.setattr("kces.scorers.pseudo_labels._SAMPLE_PER_CLUSTER", 1)
    assert adjusted_rand_score(whole, pseudo_labels(graph, unit).clusters) >= 0.98


def test_a_sample_with_fewer_distinct_rows_than_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = barbell(8)
    monkeypatch.setattr("kces.scorers.pseudo_labels._EVERY_NODE", 4)
    alike = np.ones((graph.n_nodes, 2)) / np.sqrt(2.0)
    assert len(pseudo_labels(graph, alike, clusters=3).clusters) == graph.n_nodes


def test_codes_are_bounded() -> None:
    clusters = np.arange(7)
    assert np.abs(encode(clusters, 7)).max() == 1.0
    assert encode(clusters, 7, "onehot").sum(axis=1).tolist() == [1.0] * 7
