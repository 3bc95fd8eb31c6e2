"""Built-in graphs and planted edges."""

from __future__ import annotations

import numpy as np
import pytest

from kces.classifier import sgc_accuracy
from kces.datasets.builtin import digits, load_builtin
from kces.datasets.planted import inject_cross_class_edges
from kces.datasets.toys import barbell
from kces.errors import InvalidGraphError, InvalidParameterError


def test_digits_is_the_same_everywhere() -> None:
    graph = digits()
    assert (graph.n_nodes, graph.n_edges, graph.n_classes) == (1797, 6309, 10)
    assert sgc_accuracy(graph, on="test") > 0.95


def test_synthetic_follows_its_seed_and_options() -> None:
    first, same, other = (load_builtin(f"synthetic:n=200,classes=4,seed={seed}") for seed in (1, 1, 2))
    assert np.array_equal(first.edges, same.edges)
    assert not np.array_equal(first.edges, other.edges)
    assert first.n_classes == 4


@pytest.mark.parametrize(
    "name", ["synthetic:n=abc", "synthetic:size=3", "synthetic:n=2", "synthetic:homophily=2", "digits:n=3", "other"]
)
def test_bad_builtin_names(name: str) -> None:
    with pytest.raises(InvalidParameterError):
        load_builtin(name)


def test_planted_edges_join_different_classes() -> None:
    noisy, injected = inject_cross_class_edges(barbell(), 0.5, seed=1)
    planted = noisy.edges[injected]
    assert len(planted) == 10
    assert (noisy.labels[planted[:, 0]] != noisy.labels[planted[:, 1]]).all()
    with pytest.raises(InvalidGraphError, match="free pairs"):
        inject_cross_class_edges(barbell(), 5.0)
