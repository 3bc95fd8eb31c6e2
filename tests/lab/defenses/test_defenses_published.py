"""Baselines reach their published accuracy on the released Metattack graphs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kces.lab.evaluation import evaluate
from kces.lab.training import training_preset

MIRROR = os.environ.get("KCES_DATA_ROOT")
pytestmark = pytest.mark.skipif(
    not MIRROR or not Path(MIRROR).is_dir(), reason="KCES_DATA_ROOT does not name a folder with the published data"
)

# Cora, clean and Metattack 25 %, as published by Pro-GNN.
PUBLISHED = {
    "gat": (84.0, 54.8),
    "rgcn": (83.1, 50.5),
    "jaccard": (82.1, 60.8),
    "svd": (80.6, 52.1),
    "prognn": (83.0, 69.7),
}
GRAPHS = ("cora", "cora@metattack-0.25")


def mean_accuracy(graph: str, defense: str, *, seeds: int, trials: int, training: str = "deeprobust") -> float:
    preset = training_preset(training)
    return float(evaluate([graph], [defense], seeds=seeds, trials=trials, preset=preset)["accuracy"].mean())


@pytest.mark.parametrize(("graph", "expected"), [("cora", 83.5), ("cora@metattack-0.25", 48.8)])
def test_gcn_reproduces_the_reference_row(graph: str, expected: float) -> None:
    assert mean_accuracy(graph, "gcn", seeds=3, trials=1) == pytest.approx(expected, abs=1.5)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [("citeseer", 71.8), ("citeseer@metattack-0.25", 56.4), ("polblogs", 96.0), ("polblogs@metattack-0.25", 59.0)],
)
def test_gcn_reproduces_the_reference_row_elsewhere(graph: str, expected: float) -> None:
    # The reference seems to start as PyG does; where features only number the nodes the start is felt under attack.
    found = mean_accuracy(graph, "gcn", seeds=5, trials=1, training="glorot")
    assert found == pytest.approx(expected, abs=1.5)


@pytest.mark.parametrize("defense", ["jaccard", "svd", "rgcn"])
def test_quick_baselines_are_not_below_their_published_figures(defense: str) -> None:
    for graph, published in zip(GRAPHS, PUBLISHED[defense], strict=True):
        assert mean_accuracy(graph, defense, seeds=1, trials=3) > published - 3


@pytest.mark.slow
@pytest.mark.parametrize("defense", list(PUBLISHED))
def test_baselines_are_not_below_their_published_figures(defense: str) -> None:
    # A training of ProGNN takes minutes: one seed, the published settings.
    seeds, trials = (1, 1) if defense == "prognn" else (2, 10)
    for graph, published in zip(GRAPHS, PUBLISHED[defense], strict=True):
        assert mean_accuracy(graph, defense, seeds=seeds, trials=trials) > published - 3


@pytest.mark.slow
@pytest.mark.parametrize("defense", ["airgnn", "gpr-gae"])
def test_robust_models_beat_an_undefended_gcn_under_attack(defense: str) -> None:
    assert mean_accuracy(GRAPHS[1], defense, seeds=2, trials=4) > mean_accuracy(GRAPHS[1], "gcn", seeds=2, trials=1) + 2
