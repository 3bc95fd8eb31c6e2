"""Measured columns compared by nearness: middling values are as alike as extreme ones, outliers reach no further."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kces.features import prepare_features
from kces.features.landmarks import landmark_ranks, landmarks_among, shares_of_landmarks
from kces.graph import Graph
from kces.scorers import Scored, ScoreOptions, make_scorer


def linked_pairs(groups: np.ndarray, count: int, *, same: bool) -> np.ndarray:
    chance = np.random.default_rng(5)
    pairs = np.sort(chance.integers(len(groups), size=(40 * count, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    fits = (groups[pairs[:, 0]] == groups[pairs[:, 1]]) == same
    return chance.permutation(pairs[fits])[:count]


def scored_table(columns: dict[str, np.ndarray], links: np.ndarray) -> Scored:
    graph = Graph.from_edges(links, prepare_features(pd.DataFrame(columns)).matrix)
    return make_scorer(ScoreOptions()).score(graph)


CHANCE = np.random.default_rng(1)
GROUPS = CHANCE.integers(3, size=600)
AGE = (30 + 50 * GROUPS / 3 + CHANCE.normal(0, 3, 600)).round()
NOISE = CHANCE.normal(size=600)
TABLES = {
    "an age": {"age": AGE},
    "an age and noise": {"age": AGE, "x": NOISE},
    "places": {"lat": 50 + GROUPS + NOISE / 20, "lon": 8 + GROUPS - NOISE / 20, "x": CHANCE.normal(size=600)},
    "an age with placeholders": {"age": np.where(CHANCE.random(600) < 0.1, 9999, AGE), "x": NOISE},
    "an age with gaps": {"age": np.where(CHANCE.random(600) < 0.1, np.nan, AGE), "x": NOISE},
    "codes": {"code": GROUPS + 1, "x": NOISE},
}


@pytest.mark.parametrize("name", TABLES)
def test_links_within_groups_stay_and_links_between_them_go(name: str) -> None:
    """Standardized, the middle group lost nearly all of its links: near the mean a row has no direction."""
    within, between = (linked_pairs(GROUPS, count, same=same) for count, same in ((3000, True), (150, False)))
    assert scored_table(TABLES[name], within).automatic.verdict == "clean"
    scored = scored_table(TABLES[name], np.concatenate([within, between]))
    removed, odd = ~scored.cut().kept, GROUPS[scored.graph.edges[:, 0]] != GROUPS[scored.graph.edges[:, 1]]
    assert removed[odd].mean() > 0.9
    assert removed[~odd].mean() < 0.01


def test_shares_sum_to_one_and_fall_with_the_distance() -> None:
    values = np.linspace(-5.0, 105.0, 23)
    shares = shares_of_landmarks(values, np.array([0.0, 10.0, 50.0, 100.0]))
    assert shares.sum(axis=1) == pytest.approx(np.ones(23))
    assert (shares >= 0).all()
    assert shares[values <= 0].tolist() == [[1, 0, 0, 0]] * 2
    assert (shares @ shares[12])[12:].tolist() == sorted((shares @ shares[12])[12:], reverse=True)


@pytest.mark.parametrize("values", [[7.0] * 30, [0.0] * 29 + [1e308], [-1e308, 1e308] * 15, [5e-324, 0.0] * 15])
def test_awkward_columns_have_finite_shares(values: list[float]) -> None:
    column = np.array(values)
    landmarks = landmarks_among(np.quantile(column / 2, landmark_ranks(len(column))) * 2)
    assert shares_of_landmarks(column, landmarks).sum(axis=1) == pytest.approx(np.ones(30))
