"""The order of edges and how many a share is."""

from __future__ import annotations

import numpy as np
import pytest

import kces
from kces.datasets.toys import barbell
from kces.errors import InvalidParameterError
from kces.ranking import edge_order, kept_edges, prune_count


@pytest.mark.parametrize(
    ("n", "alpha", "count"), [(10, 0.0, 0), (10, 0.01, 1), (10, 0.7, 7), (10, 1.0, 10), (3, 0.5, 2)]
)
def test_ceil_of_alpha_times_edges(n: int, alpha: float, count: int) -> None:
    assert prune_count(n, alpha) == count


def test_ties_go_to_the_lower_edge_even_when_rounding_differs() -> None:
    scores = np.array([1.0, 1.0 + 1e-13, 1.0 - 1e-13, 2.0])
    assert edge_order(scores).tolist() == [3, 0, 1, 2]


def test_equal_scores_are_cut_in_edge_order() -> None:
    assert kept_edges(np.zeros(4), 0.5).tolist() == [False, False, True, True]


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_alpha_outside_its_range(alpha: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"alpha must lie in \[0, 1\]"):
        kces.find_suspicious_edges(barbell(), alpha=alpha)
