"""The study's parts on small graphs: the recipe is the sum of its parts, measures are exact, the command prints."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from kces.api import score_edges
from kces.datasets.attacked import AttackedGraph
from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, path
from kces.errors import InvalidParameterError
from kces.estimator import ALPHAS
from kces.lab.attacks.dice import dice
from kces.lab.study.complexity import ComplexityScore
from kces.lab.study.cosines import multi_hop_cosine
from kces.lab.study.protocol import (
    HELD_OUT,
    TUNING,
    Curve,
    accuracy_curve,
    held_out_graphs,
    precision,
    ranking_auc,
    study_graph,
)
from kces.lab.study.study_rows import study_rows
from kces.lab.study.variants import VARIANTS, ViewScore


@pytest.fixture(scope="module")
def attacked() -> AttackedGraph:
    return dice(synthetic(n=200, seed=0, homophily=0.95), 0.3, seed=0)


def test_all_parts_together_are_the_recipe(attacked: AttackedGraph) -> None:
    np.testing.assert_allclose(ViewScore()(attacked.graph), score_edges(attacked.graph), rtol=1e-9)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_scores_every_edge(name: str, attacked: AttackedGraph) -> None:
    scores = VARIANTS[name](attacked.graph)
    assert scores.shape == (attacked.graph.n_edges,)
    assert np.isfinite(scores).all()


def test_the_plain_complexity_score_is_the_paper_preset() -> None:
    graph = barbell()
    np.testing.assert_allclose(ComplexityScore()(graph), score_edges(graph, preset="paper", engine="local"), rtol=1e-9)


def test_rounds_rank_what_was_pruned_first_above_the_rest() -> None:
    graph = synthetic(n=60, seed=0)
    once, thrice = ComplexityScore()(graph), ComplexityScore(rounds=3)(graph)
    tenth = -(-graph.n_edges // 10)
    assert set(np.argsort(-thrice)[:tenth]) == set(np.argsort(-once)[:tenth])


def test_soft_labels_are_shares() -> None:
    codes = ComplexityScore(encoding="soft")._codes(barbell())
    np.testing.assert_allclose(codes.sum(axis=1), 1.0)
    assert (codes[:5].argmax(axis=1) != codes[5:].argmax(axis=1)).all()


def test_keeping_the_link_lets_edges_vouch_for_themselves(attacked: AttackedGraph) -> None:
    cut, kept = (ranking_auc(attacked, ViewScore().each(leave_out=flag)(attacked.graph)) for flag in (True, False))
    assert cut is not None
    assert kept is not None
    assert cut > kept


def test_multi_hop_cosine_by_hand() -> None:
    graph = path(2)  # both rows of T X are the same, so the 1-hop cosine is 1
    first, second = graph.features
    cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert multi_hop_cosine(graph, (0,))[0] == pytest.approx(-cosine)
    assert multi_hop_cosine(graph, (0, 1))[0] == pytest.approx(-(cosine + 1) / 2)


def test_best_edges_come_last() -> None:
    graph = barbell()
    kept = VARIANTS["robust, best edge kept"](graph) < 0
    assert set(graph.edges[kept].ravel().tolist()) == set(range(graph.n_nodes))


def test_measures_by_hand() -> None:
    clean = path(4)
    graph = clean.with_edges(np.array([[0, 1], [0, 3], [1, 2], [2, 3]]))
    attacked = AttackedGraph(graph, clean)
    assert ranking_auc(attacked, np.array([0.1, 0.9, 0.2, 0.3])) == 1.0
    assert precision(attacked, np.array([0.1, 0.2, 0.9, 0.3])) == 0.0
    assert ranking_auc(AttackedGraph(clean, clean), np.zeros(3)) is None
    assert precision(AttackedGraph(clean, clean), np.zeros(3)) is None


def test_equal_validation_accuracy_takes_the_smallest_alpha() -> None:
    curve = Curve(
        alphas=(0.0, 0.1, 0.2), validation=(0.5, 0.8, 0.8), judged=(0.4, 0.6, 0.7), right=np.ones((3, 1), dtype=bool)
    )
    assert curve.best_alpha() == 0.1
    assert curve.at(0.1) == 0.6


def test_accuracy_curve_trains_once_per_alpha() -> None:
    graph = barbell()
    curve = accuracy_curve(AttackedGraph(graph, graph), np.zeros(graph.n_edges), alphas=(0.5, 0.0))
    assert curve.alphas == (0.0, 0.5)
    assert all(0.0 <= value <= 1.0 for value in (*curve.validation, *curve.judged))


def test_tuning_and_held_out_graphs_do_not_meet() -> None:
    assert not {name.split("@")[0].split(" ")[0] for name in TUNING} & set(HELD_OUT)
    assert held_out_graphs()[:2] == ["cora", "cora@metattack-0.05"]


def test_a_graph_without_features_keeps_its_edges() -> None:
    plain, blind = study_graph("synthetic:n=60"), study_graph("synthetic:n=60 without features")
    assert np.array_equal(plain.graph.edges, blind.graph.edges)
    assert blind.graph.n_features == 60


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"what": "look", "graphs": ["nowhere"]}, "unknown data set 'nowhere'"),
        ({"what": "look", "variants": ["best"]}, "unknown variant 'best'"),
        ({"what": "stare"}, "unknown table 'stare'"),
    ],
)
def test_wishes_that_cannot_be_fulfilled_are_refused(wish: dict, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        list(study_rows(**wish))


def test_rows_with_training_hold_the_choices() -> None:
    row = next(study_rows("look", graphs=["synthetic:n=60"], seeds=1))
    assert row.alpha in ALPHAS
    assert row.accuracy is not None
    assert 0 <= row.accuracy <= 1
    assert row.informed_accuracy is not None
