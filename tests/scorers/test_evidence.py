"""What preset robust knows of its edges: the yardstick, silence, readings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.graph import Graph
from kces.scorers.evidence import RobustEvidence
from kces.scorers.robust import gather_evidence, pair_complexity
from kces.scorers.views import FEATURES, standard_views


def by_hand(edge_views: list[list[float]], random_views: list[list[float]], weights: list[float]) -> RobustEvidence:
    edges, random = np.array(edge_views, dtype=np.float32), np.array(random_views, dtype=np.float32)
    return RobustEvidence(
        edges=np.array([[0, i + 1] for i in range(len(edges))]),
        views=(FEATURES,),
        columns=tuple(f"column {i}" for i in range(len(weights))),
        weights=np.array(weights),
        edge_views=edges,
        random_views=random,
        random_pairs=np.zeros((len(random), 2), dtype=np.int64),
        scores=pair_complexity(edges @ np.array(weights)),
        random_scores=pair_complexity(random @ np.array(weights)),
        own_features=True,
    )


@pytest.mark.parametrize(
    ("edges", "random", "chance"),
    [
        ([[0.9], [0.8]], [[0.1], [0.2]], 1.0),
        ([[0.1], [0.8]], [[0.1], [0.2]], (0.5 + 0 + 1 + 1) / 4),  # a tie counts half
        ([[0.5]], [], 1.0),
    ],
)
def test_the_contrast_is_the_chance_that_a_link_is_more_alike(edges, random, chance) -> None:
    found = by_hand(edges, np.reshape(random, (-1, 1)), [1.0]).yardstick
    assert found.contrast == pytest.approx(chance)
    assert found.own_features


def test_an_edge_is_silent_where_every_weighed_view_is_blank() -> None:
    found = by_hand([[0.0, 0.3], [0.0, 0.0], [0.2, 0.0]], [[0.0, 0.0]], [1.0, 0.0])
    assert found.silent.tolist() == [True, True, False]


def test_evidence_keeps_every_view_of_every_edge() -> None:
    graph = synthetic(n=120, seed=1)
    found = gather_evidence(graph, standard_views())
    assert found.edge_views.shape == (graph.n_edges, 8)
    assert found.edge_views.dtype == found.random_views.dtype == np.float32
    assert len(found.columns) == len(set(found.columns)) == 8
    kappa = found.edge_views.astype(np.float64) @ found.weights
    np.testing.assert_allclose(pair_complexity(kappa), found.scores, rtol=1e-5)


def test_readings_are_the_values_of_the_edge_with_and_without_it() -> None:
    graph = synthetic(n=60, seed=2)
    found = gather_evidence(graph, standard_views())
    readings = found.readings(graph, 7)
    linked = np.hstack([view.with_link()(graph, graph.edges) for view in found.views])[7]
    assert [reading.view for reading in readings] == list(found.columns)
    np.testing.assert_allclose([reading.without_edge for reading in readings], found.edge_views[7])
    np.testing.assert_allclose([reading.with_edge for reading in readings], linked, atol=1e-9)
    below = (found.random_views < found.edge_views[7]).mean(axis=0) * 100
    np.testing.assert_allclose([reading.above_random for reading in readings], below, atol=0.1)


def test_features_are_named_only_where_they_tell_nodes_apart() -> None:
    graph = synthetic(n=60, seed=2)
    found = gather_evidence(graph, standard_views())
    grounds = found.grounds(graph, 0, graph.edges[0])
    assert grounds.features_for
    assert len(grounds.readings) == 8
    blind = Graph.from_edges(graph.edges, n_nodes=graph.n_nodes)
    grounds = replace(gather_evidence(blind, standard_views())).grounds(blind, 0, blind.edges[0])
    assert grounds.features_for == grounds.features_against == ()
    assert [reading.view for reading in grounds.readings if reading.weight] == ["the two neighborhoods"]
