"""The answer no is an answer: people without any yes are not people of whom nothing is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from kces.features import prepare_features
from kces.graph import Graph
from kces.scorers import ScoreOptions, make_scorer

CHANCE = np.random.default_rng(1)
KIND = CHANCE.integers(4, size=400)


def links_with_planted(count: int = 1600, planted: int = 80) -> tuple[np.ndarray, np.ndarray]:
    """Links within a kind, the first ``planted`` of them between kinds; and which these are."""
    ends = CHANCE.integers(400, size=count)
    fits = [np.flatnonzero((KIND[end] == KIND) == (place >= planted)) for place, end in enumerate(ends)]
    links = np.unique(np.sort(np.stack([ends, [CHANCE.choice(each) for each in fits]], axis=1), axis=1), axis=0)
    links = links[links[:, 0] != links[:, 1]]
    return links, KIND[links[:, 0]] != KIND[links[:, 1]]


LINKS, ODD = links_with_planted()
FIRST, SECOND = KIND < 2, KIND % 2 == 0
TABLES = {
    "booleans": {"vip": FIRST, "active": SECOND},
    "words": {"vip": np.where(FIRST, "yes", "no"), "active": np.where(SECOND, "true", "false")},
    "numbers": {"vip": FIRST.astype(float), "active": SECOND.astype(int)},
    "other words": {"vip": np.where(FIRST, "sí", "no"), "active": np.where(SECOND, "sí", "no")},
    "dummies without the first": {f"is {kind}": kind == KIND for kind in (1, 2, 3)},
    "tick boxes": {"vip": np.where(FIRST, "X", ""), "active": np.where(SECOND, "yes", "")},
    "tick boxes in numbers": {"vip": np.where(FIRST, 1.0, np.nan), "active": np.where(SECOND, "1", None)},
}


@pytest.mark.parametrize("name", TABLES)
def test_planted_links_lead_and_those_of_people_without_a_yes_stay(name: str) -> None:
    """Without a column for no, nearly all of these went."""
    graph = Graph.from_edges(LINKS, prepare_features(pd.DataFrame(TABLES[name])).matrix)
    scored = make_scorer(ScoreOptions()).score(graph)
    removed = ~scored.cut().kept
    assert roc_auc_score(ODD, scored.scores) > 0.97
    assert removed[ODD].any()
    assert removed[~ODD].mean() < 0.01


def test_no_is_a_column_only_where_a_node_has_nothing_else() -> None:
    some = prepare_features(pd.DataFrame({"vip": [True, False] * 2, "city": ["Oslo", "Rome"] * 2}))
    assert some.names == ["vip", "city=Oslo", "city=Rome"]
    none = prepare_features(pd.DataFrame({"vip": [True, False, False], "active": [True, True, False]}))
    assert none.names == ["vip", "not vip", "active", "not active"]
    assert none.notes == ["the answer no is a column of its own (2 columns of 0 and 1): some nodes have no other"]


def test_nodes_without_a_link_ask_for_no_column() -> None:
    frame = pd.DataFrame({"vip": [True, False, False], "active": [True, True, False]})
    assert prepare_features(frame, counted=np.array([True, True, False])).names == ["vip", "active"]


def test_of_many_words_that_a_node_lacks_it_is_not_told() -> None:
    words = np.eye(40)[:, :39]
    assert len(prepare_features(pd.DataFrame(words, columns=[f"w{place}" for place in range(39)])).names) == 39


def test_blanks_beside_one_value_are_said() -> None:
    prepared = prepare_features(pd.DataFrame({"member": ["x", "", "x", ""], "city": ["Oslo", "Rome", "Oslo", "Rome"]}))
    assert prepared.names == ["member=x", "member blank", "city=Oslo", "city=Rome"]
    assert prepared.notes[1] == "one value and blanks, a blank counts as no: member (2 blank)"
    assert "missing" not in " ".join(prepared.notes)
