"""The automatic cut: near zero where nothing was planted, near the planted share where something was."""

from __future__ import annotations

import numpy as np
import pytest

from kces.automatic_cut import automatic_alpha, unrelated_pairs, unrelated_share
from kces.builtin import digits
from kces.errors import InvalidParameterError
from kces.robust import robust_evidence


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
    evidence = robust_evidence(noisy)
    return len(new) / noisy.n_edges, unrelated_share(evidence.scores, evidence.random_scores)


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
        assert automatic_alpha(scores, unrelated) == pytest.approx(expected)


def test_the_lower_of_two_groups_is_the_null() -> None:
    generator = np.random.default_rng(0)
    agreement = np.concatenate([generator.normal(0.9, 0.02, 4000), generator.normal(1.4, 0.05, 4000)])
    centre, spread = unrelated_pairs(2.0 / agreement)
    assert centre == pytest.approx(0.9, abs=0.005)
    assert spread == pytest.approx(0.02, abs=0.003)


def test_without_anything_to_compare_nothing_is_cut() -> None:
    assert automatic_alpha(np.array([1.0, 3.0]), np.array([])) == 0.0


def test_equal_scores_do_not_fail() -> None:
    assert automatic_alpha(np.full(5, 2.0), np.full(9, 2.0)) == 0.0


def test_no_scores_is_an_error() -> None:
    with pytest.raises(InvalidParameterError, match="no scores"):
        automatic_alpha(np.array([]), np.array([1.0, 2.0]))
