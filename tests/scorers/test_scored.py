"""The result of scoring: its cut is the one place where edges are parted."""

from __future__ import annotations

import numpy as np
import pytest

from kces.automatic_cut import Yardstick
from kces.cut import AlphaChoice
from kces.datasets.toys import barbell, path
from kces.errors import GraphWarning, InvalidParameterError
from kces.graph import Graph
from kces.scorers.grounds import Grounds, Texts
from kces.scorers.scored import PAPER_ALPHA, Scored
from kces.types import Bools

SCORES = np.array([0.4, 0.9, 0.1, 0.7])


class Witness:
    """Evidence that is silent about some edges and has no yardstick."""

    def __init__(self, silent: list[bool]) -> None:
        self._silent = np.array(silent)

    @property
    def yardstick(self) -> Yardstick | None:
        return None

    @property
    def silent(self) -> Bools | None:
        return self._silent

    def reasons(self, graph: Graph) -> Texts:
        return np.array([f"edge {i}" for i in range(graph.n_edges)], dtype=object)

    def grounds(self, graph: Graph, edge: int) -> Grounds:
        return Grounds((f"edge {edge}",))


@pytest.mark.parametrize(
    ("alpha", "kept"), [(0, [1, 1, 1, 1]), (0.25, [1, 0, 1, 1]), (0.26, [1, 0, 1, 0]), (1, [0, 0, 0, 0])]
)
def test_a_number_cuts_the_highest_scores(alpha: float, kept: list[int]) -> None:
    cut = Scored(path(5), SCORES).cut(alpha)
    assert cut.kept.tolist() == [bool(one) for one in kept]
    assert cut.choice.reason == "asked for"


def test_scores_without_a_yardstick_take_the_paper_s_ratio() -> None:
    scored = Scored(path(5), SCORES, scorer="paper")
    assert scored.automatic.alpha == PAPER_ALPHA == 0.3
    assert scored.cut().kept.tolist() == [True, False, True, False]
    assert "paper score has no automatic cut" in scored.automatic.reason


def test_only_the_automatic_cut_spares_edges_about_which_nothing_is_known() -> None:
    scored = Scored(path(5), SCORES, evidence=Witness([False, True, False, False]))
    assert scored.cut().kept.tolist() == [True, True, True, False]
    assert scored.cut(0.3).kept.tolist() == [True, False, True, False]


def test_a_known_choice_is_taken_as_it_is() -> None:
    choice = AlphaChoice(0.5, "from a store")
    assert Scored(path(5), SCORES, known_choice=choice).cut().choice is choice


def test_equal_scores_are_warned_of_and_no_edge_goes() -> None:
    with pytest.warns(GraphWarning, match="path: all 4 edges have the same score"):
        assert Scored(path(5), np.ones(4)).cut(0.5).n_removed == 0


def test_the_table_is_ranked_and_says_why() -> None:
    scored = Scored(path(5), SCORES, evidence=Witness([False] * 4))
    table = scored.table(scored.cut(0.5))
    assert table.columns.tolist() == ["source", "target", "score", "rank", "suspicious", "why"]
    assert table["source"].tolist() == [1, 3, 0, 2]
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert table["suspicious"].tolist() == [True, True, False, False]
    assert table["why"].tolist() == ["edge 1", "edge 3", "edge 0", "edge 2"]


def test_scores_of_the_caller_have_no_reasons_and_must_fit() -> None:
    assert Scored(path(5), SCORES).reasons().tolist() == [""] * 4
    with pytest.raises(InvalidParameterError, match="4 scores for the 21 edges of barbell"):
        Scored(barbell(), SCORES)
