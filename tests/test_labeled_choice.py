"""The choice of α by labels: against refitting, what may not be read, and when labels overrule the scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kces import KCES, load_builtin, sanitize
from kces.cut import AlphaChoice
from kces.datasets.toys import barbell, path
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.kernel import aggregate, gram
from kces.labeled_choice import (
    GRID,
    MOST_NODES,
    SMOOTHING,
    SURE,
    labeled_choice,
    labeled_nodes,
    leave_one_out_errors,
    noise_spares_labels,
)
from kces.scorers import ScoreOptions, make_scorer


def _noisy() -> Graph:
    """Two hundred nodes with clear features, and eighty edges between classes besides."""
    graph = load_builtin("synthetic:n=200,seed=0")
    assert graph.labels is not None
    draw = np.random.default_rng(0)
    pairs = np.sort(draw.integers(200, size=(400, 2)), axis=1)
    pairs = pairs[graph.labels[pairs[:, 0]] != graph.labels[pairs[:, 1]]][:80]
    return graph.with_edges(np.unique(np.concatenate([graph.edges, pairs]), axis=0))


def test_errors_are_those_of_refitting_without_each_node() -> None:
    graph = _noisy()
    assert graph.labels is not None
    nodes = labeled_nodes(graph)[:12]
    classes = np.unique(graph.labels[nodes])
    truth = (graph.labels[nodes][:, None] == classes).astype(float)
    centered = truth - truth.mean(axis=0)
    H = gram(aggregate(graph)[nodes])
    expected = []
    for left_out in range(len(nodes)):
        others = np.arange(len(nodes)) != left_out
        shifted = H[np.ix_(others, others)] + SMOOTHING * np.eye(others.sum())
        predicted = H[left_out, others] @ np.linalg.solve(shifted, centered[others])
        expected.append(((centered[left_out] - predicted) ** 2).sum())
    assert np.allclose(leave_one_out_errors(graph, nodes), expected, atol=1e-10)


def test_test_labels_are_never_read() -> None:
    graph = _noisy()
    assert graph.labels is not None
    assert graph.test is not None
    spoilt = graph.labels.copy()
    spoilt[graph.test] = spoilt[graph.test][::-1]
    assert (spoilt != graph.labels).any()
    scored = [make_scorer(ScoreOptions()).score(each) for each in (graph, replace(graph, labels=spoilt))]
    assert np.array_equal(scored[0].labeled.errors, scored[1].labeled.errors)
    assert scored[0].labeled.choice == scored[1].labeled.choice


def test_labels_overrule_a_cut_that_surely_harms() -> None:
    graph = load_builtin("synthetic:n=200,seed=0")
    order = np.random.default_rng(1).permutation(graph.n_edges)  # a worthless score

    def kept_at(alpha: float) -> np.ndarray:
        return order >= alpha * graph.n_edges

    found = labeled_choice(graph, kept_at, AlphaChoice(0.8, "so say the scores", "noisy"))
    assert found.worse[found.alphas.index(0.8)] > SURE
    assert found.choice.alpha < 0.8
    assert "surely easier" in found.choice.reason


def test_labels_do_not_keep_noise_that_shows() -> None:
    graph = load_builtin("synthetic:n=200,seed=0")
    order = np.random.default_rng(1).permutation(graph.n_edges)

    def kept_at(alpha: float) -> np.ndarray:
        return order >= alpha * graph.n_edges

    found = labeled_choice(graph, kept_at, AlphaChoice(0.8, "so say the scores", "noisy", 0.65, (0.4, 0.7)))
    assert found.choice.alpha == 0.65
    assert "looks like noise" in found.choice.reason


@pytest.mark.parametrize("with_label", [True, False])
def test_labels_do_not_lower_a_cut_for_noise_that_lies_where_none_is(with_label: bool) -> None:
    graph = load_builtin("synthetic:n=200,seed=0")
    order = np.random.default_rng(1).permutation(graph.n_edges)
    labeled = np.zeros(graph.n_nodes, dtype=bool)
    labeled[labeled_nodes(graph)] = True
    automatic = AlphaChoice(0.8, "so say the scores", "noisy", 0.65, (0.4, 0.7))
    found = labeled_choice(
        graph,
        lambda alpha: order >= alpha * graph.n_edges,
        automatic,
        unrelated=(labeled[graph.edges] == with_label).all(axis=1),
    )
    assert found.worse[found.alphas.index(0.8)] > SURE
    assert found.choice.alpha == (0.65 if with_label else 0.8)
    assert ("where no label is" in found.choice.reason) == (not with_label)


def test_noise_spares_no_label_where_all_nodes_have_one() -> None:
    graph = replace(barbell(), train=None, val=None, test=None)
    assert not noise_spares_labels(graph, np.arange(graph.n_edges) == 0)


def test_what_labels_cannot_tell_is_left_to_the_scores() -> None:
    graph = barbell()
    automatic = AlphaChoice(0.15, "so say the scores", "noisy", 0.1, (0.0, 0.2))
    found = labeled_choice(graph, lambda alpha: np.ones(graph.n_edges, dtype=bool), automatic)
    assert found.alphas == tuple(sorted({*GRID, 0.15}))
    assert found.choice.alpha == 0.15
    assert found.choice.noise == 0.1
    assert "so say the scores" in found.choice.reason


def test_many_labeled_nodes_are_sampled() -> None:
    graph = replace(load_builtin(f"synthetic:n={MOST_NODES + 500},seed=0"), train=None, val=None, test=None)
    nodes = labeled_nodes(graph)
    assert len(nodes) == MOST_NODES == len(np.unique(nodes))


def test_what_has_no_usable_labels_is_refused() -> None:
    graph = barbell()
    with pytest.raises(InvalidGraphError, match="no labels"):
        KCES(alpha="labels").fit(path(5))
    with pytest.raises(InvalidGraphError, match="fewer than two classes"):
        sanitize(replace(graph, labels=np.zeros(graph.n_nodes, dtype=np.int64)), alpha="labels")
    with pytest.raises(InvalidGraphError, match="test nodes only"):
        sanitize(replace(graph, train=None, val=None), alpha="labels")
    with pytest.raises(InvalidParameterError, match="alpha"):
        sanitize(graph, alpha="label")


def test_all_doors_choose_the_same() -> None:
    graph = _noisy()
    model = KCES(alpha="labels").fit(graph)
    assert sanitize(graph, alpha="labels").n_edges == model.sanitize().n_edges
    other = KCES()
    table = other.select_alpha(graph, alphas=GRID)
    assert other.alpha_ == model.alpha_
    assert table["alpha"].tolist() == list(model.scored_.labeled.alphas)
    assert int(table["edges"].iloc[0]) == graph.n_edges
    assert np.array_equal(model.decision_function(graph) < 0, ~model.kept_)
