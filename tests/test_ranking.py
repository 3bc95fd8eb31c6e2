"""The order of edges and how many a share is."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import kces
from kces.cut import AlphaChoice, cut_at
from kces.datasets.toys import barbell
from kces.engines import ENGINES
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.ranking import edge_order, kept_edges, prune_count, prune_counts


@pytest.mark.parametrize(
    ("n", "alpha", "count"), [(10, 0.0, 0), (10, 0.01, 1), (10, 0.7, 7), (10, 1.0, 10), (3, 0.5, 2)]
)
def test_ceil_of_alpha_times_edges(n: int, alpha: float, count: int) -> None:
    assert prune_count(n, alpha) == count


def test_ties_go_to_the_lower_edge_even_when_rounding_differs() -> None:
    scores = np.array([1.0, 1.0 + 1e-13, 1.0 - 1e-13, 2.0])
    assert edge_order(scores).tolist() == [3, 0, 1, 2]


def test_equal_scores_are_cut_in_edge_order_only_when_asked_for() -> None:
    assert kept_edges(np.zeros(4), 0.5, ties="index").tolist() == [False, False, True, True]
    assert kept_edges(np.zeros(4), 0.5).all()
    assert not kept_edges(np.zeros(4), 1.0).any()


def test_a_cut_among_equal_scores_takes_none_of_them_and_says_so() -> None:
    scores = np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    cut = cut_at(scores, AlphaChoice.asked_for(0.4))
    assert (~cut.kept).nonzero()[0].tolist() == [0]
    assert cut.warning.endswith("1 of 2 asked for are removed")
    assert cut_at(scores, AlphaChoice.asked_for(0.8)).warning == ""
    to_the_letter = cut_at(scores, AlphaChoice.asked_for(0.4), ties="index")
    assert ((~to_the_letter.kept).nonzero()[0].tolist(), to_the_letter.warning) == ([0, 1], "")


def test_unknown_ways_of_ties_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="ties must be one of whole, index"):
        kces.KCES(ties="random").fit(barbell())


NOTHING_TO_TELL = {
    "constant features": Graph.from_edges(np.array(nx.cycle_graph(12).edges), np.ones((12, 2))),
    "one positive column": Graph.from_edges(np.array(nx.cycle_graph(12).edges), np.arange(1.0, 13.0)[:, None]),
    "zero features": Graph.from_edges(np.array(nx.cycle_graph(12).edges), np.zeros((12, 2))),
    "matching of opposites": Graph.from_edges(np.arange(12).reshape(-1, 2), np.resize([1.0, -1.0], (12, 1))),
}


@pytest.mark.filterwarnings("ignore::kces.errors.GraphWarning")
@pytest.mark.parametrize("preset", ["robust", "paper"])
@pytest.mark.parametrize("name", NOTHING_TO_TELL)
def test_nothing_is_cut_by_edge_number(name: str, preset: str) -> None:
    """Edges of one score share their fate, at every ratio and on every graph that tells nothing."""
    graph = NOTHING_TO_TELL[name]
    scored = kces.score(graph, preset=preset)
    levels = np.round(scored.scores / max(np.abs(scored.scores).max(), 1e-300), 9)
    for alpha in ("auto", 0.1, 0.3, 0.7):
        kept = scored.cut(alpha).kept
        assert all(len(set(kept[levels == level])) == 1 for level in np.unique(levels))


def test_counts_of_many_ratios_are_those_of_single_cuts() -> None:
    scores = np.random.default_rng(1).integers(0, 6, size=40).astype(float)
    alphas = np.arange(41) / 40
    expected = [int((~kept_edges(scores, alpha)).sum()) for alpha in alphas]
    assert prune_counts(scores, alphas).tolist() == expected


@pytest.mark.parametrize("alpha", [-0.1, 1.1, float("nan")])
def test_alpha_outside_its_range(alpha: float) -> None:
    with pytest.raises(InvalidParameterError, match=r"alpha must lie in \[0, 1\]"):
        kces.find_suspicious_edges(barbell(), alpha=alpha)


def test_the_mask_is_the_order_cut_off() -> None:
    scores = np.random.default_rng(0).integers(0, 6, size=40).astype(float)
    for count in range(41):
        removed = np.sort(edge_order(scores)[:count])
        np.testing.assert_array_equal(np.flatnonzero(~kept_edges(scores, count / 40, ties="index")), removed)


RING = np.stack([np.arange(30), np.roll(np.arange(30), -1)], axis=1)
APART = np.arange(60).reshape(-1, 2)
ALL_ALIKE = {
    "constant": (RING, np.ones((30, 4))),
    "constant words": (RING, sp.csr_array(np.ones((30, 4)))),
    "one positive column": (RING, np.random.default_rng(0).uniform(1.0, 2.0, (30, 1))),
    "zeros": (RING, np.zeros((30, 3))),
    "opposites apart": (APART, np.tile([[1.0, 0.0], [-1.0, 0.0]], (30, 1))),
    "strangers apart": (APART, np.tile([[1.0, 0.0], [0.0, 1.0]], (30, 1))),
    "complete": (np.stack(np.triu_indices(12, 1), axis=1), np.ones((12, 2))),
}


@pytest.mark.parametrize("engine", ["auto", *ENGINES])
@pytest.mark.parametrize("kind", ALL_ALIKE)
def test_paper_removes_nothing_where_all_edges_are_alike(kind: str, engine: str) -> None:
    """Rounding once ranked them, and thirty percent went."""
    edges, features = ALL_ALIKE[kind]
    cut = kces.score(Graph.from_edges(edges, features), preset="paper", engine=engine).cut(0.3)
    assert cut.n_removed == 0
    assert "none is more suspicious than another" in cut.warning


@pytest.mark.parametrize("engine", ["local", "gradient"])
def test_alike_nodes_of_a_larger_graph_are_no_reason_either(engine: str) -> None:
    """The local inverse took equal rows for different ones, and multiplied the difference by 1 / ridge."""
    chance = np.random.default_rng(0)
    graph = Graph.from_edges(chance.integers(0, 300, (900, 2)), chance.uniform(1.0, 2.0, (300, 1)), n_nodes=300)
    assert not kces.score_edges(graph, preset="paper", engine=engine).any()
