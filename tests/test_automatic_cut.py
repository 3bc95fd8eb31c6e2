"""The automatic cut: near zero where nothing was planted, near the planted share where something was."""

from __future__ import annotations

import numpy as np
import pytest

from kces.automatic_cut import Yardstick, automatic_choice, informed_choice, unrelated_pairs, unrelated_share
from kces.datasets.builtin import digits, synthetic
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.scorers import ScoreOptions, make_scorer


def yardstick_of(graph: Graph) -> Yardstick:
    return make_scorer(ScoreOptions()).score(graph).evidence.yardstick


def automatic_alpha(yardstick: Yardstick) -> float:
    return automatic_choice(yardstick).alpha


def planted_digits(share: float) -> tuple[float, float]:
    """True share of planted cross-class edges in the noisy digits graph, and the estimate of it."""
    graph = digits()
    generator = np.random.default_rng(0)
    pairs = np.sort(generator.integers(graph.n_nodes, size=(4 * graph.n_edges, 2)), axis=1)
    pairs = pairs[graph.labels[pairs[:, 0]] != graph.labels[pairs[:, 1]]]
    new = np.setdiff1d(pairs @ [graph.n_nodes, 1], graph.edges @ [graph.n_nodes, 1])
    new = generator.permutation(new)[: round(share * graph.n_edges)]
    keys = np.concatenate([graph.edges @ [graph.n_nodes, 1], new])
    noisy = graph.with_edges(np.stack([keys // graph.n_nodes, keys % graph.n_nodes], axis=1))
    found = yardstick_of(noisy)
    return len(new) / noisy.n_edges, unrelated_share(found.scores, found.random_scores)


def test_a_clean_graph_loses_little() -> None:
    _, estimate = planted_digits(0.0)
    assert estimate < 0.03


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_a_noisy_graph_loses_about_what_was_planted(share: float) -> None:
    planted, estimate = planted_digits(share)
    assert estimate == pytest.approx(planted, abs=0.06)


def test_the_cut_is_twice_as_deep_as_the_noise_but_never_above_half() -> None:
    unrelated = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    for noisy, expected in ((0, 0.0), (1, 0.2), (2, 0.4), (6, 0.5)):
        scores = np.array([2.0] * noisy + [1.0] * (10 - noisy))
        assert automatic_alpha(Yardstick(scores, unrelated)) == pytest.approx(expected)


def test_without_features_nothing_is_cut_automatically() -> None:
    edges = synthetic(n=200, seed=0).edges
    assert automatic_alpha(yardstick_of(Graph.from_edges(edges, n_nodes=200))) == 0.0


def rights(*counts: int, nodes: int = 200) -> np.ndarray:
    """Row i: the first ``counts[i]`` of the validation nodes are right."""
    return np.arange(nodes) < np.array(counts)[:, None]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((100, 100, 100), 1),  # validation is indifferent: automatic
        ((100, 100, 103), 1),  # three nodes gained are chance
        ((100, 100, 160), 2),  # sixty are not
        ((160, 100, 160), 0),  # the automatic cut surely harms: none
        ((160, 158, 159), 1),
        ((100, 170, 165), 1),
    ],
)
def test_validation_decides_only_where_it_can(counts: tuple[int, ...], expected: int) -> None:
    assert informed_choice(rights(*counts), none=0, automatic=1) == expected


def test_only_nodes_that_differ_count() -> None:
    """Seven more right and none fewer is sure; the same lead out of a hundred differences is not."""
    none = np.arange(200) < 100
    steady, restless = none.copy(), none.copy()
    steady[100:107] = True
    restless[:50] = False
    restless[100:157] = True
    assert steady.sum() == restless.sum()
    assert informed_choice(np.array([none, none, steady]), none=0, automatic=1) == 2
    assert informed_choice(np.array([none, none, restless]), none=0, automatic=1) == 1


def test_the_lower_of_two_groups_is_the_null() -> None:
    generator = np.random.default_rng(0)
    agreement = np.concatenate([generator.normal(0.9, 0.02, 4000), generator.normal(1.4, 0.05, 4000)])
    centre, spread = unrelated_pairs(2.0 / agreement)
    assert centre == pytest.approx(0.9, abs=0.005)
    assert spread == pytest.approx(0.02, abs=0.003)


def test_without_anything_to_compare_nothing_is_cut() -> None:
    assert automatic_alpha(Yardstick(np.array([1.0, 3.0]), np.array([]))) == 0.0


def test_equal_scores_do_not_fail() -> None:
    assert automatic_alpha(Yardstick(np.full(5, 2.0), np.full(9, 2.0))) == 0.0


def test_no_scores_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match="no scores"):
        automatic_alpha(Yardstick(np.array([]), np.array([1.0, 2.0])))
