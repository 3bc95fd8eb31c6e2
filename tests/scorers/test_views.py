"""Views: what each compares, and that a view which is added to the list shows up wherever views are shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from kces import explain, score
from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell
from kces.graph import Graph
from kces.report.payload import report_payload
from kces.scorers import robust
from kces.scorers.feature_spaces import LowRankSpace, centered_space
from kces.scorers.link_cosines import HOPS, leave_edge_out_cosines
from kces.scorers.views import FEATURES, HopView, feature_patterns, standard_views

PARITY = "whether the number is even"


@dataclass(frozen=True)
class ParityView:
    """A toy: 1 where both ends have even or both odd numbers, else -1."""

    name = "parity"
    columns = (PARITY,)
    own_features = (False,)

    def __call__(self, graph: Graph, pairs: np.ndarray, progress: object = None) -> np.ndarray:
        return np.where(pairs.sum(axis=1) % 2 == 0, 1.0, -1.0)[:, None]

    def with_link(self) -> ParityView:
        return self


@pytest.fixture
def with_parity(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of views as it is after one was added to it."""
    monkeypatch.setattr(robust, "standard_views", lambda **options: (*standard_views(**options), ParityView()))


def even_links() -> Graph:
    """Links between nodes of one parity, and one between 0 and 1, of which the toy view knows."""
    generator = np.random.default_rng(0)
    ends = np.sort(generator.integers(40, size=(400, 2)), axis=1)
    good = ends[(ends[:, 0] != ends[:, 1]) & (ends.sum(axis=1) % 2 == 0)]
    return Graph.from_edges(np.concatenate([good, [[0, 1]]]), generator.standard_normal((40, 5)), n_nodes=40)


@pytest.mark.usefixtures("with_parity")
def test_a_view_that_is_added_is_weighed_and_gives_reasons() -> None:
    graph = even_links()
    scored = score(graph)
    found, bad = scored.evidence, graph.edges.tolist().index([0, 1])
    assert found.columns[-1] == PARITY
    assert found.weights[8] > 0.2
    assert found.edge_views[:, 8].argmin() == bad
    assert scored.reasons()[bad].startswith(f"{PARITY}: less alike than nearly all links")
    assert "9 views" in scored.engine_reason


@pytest.mark.usefixtures("with_parity")
def test_a_view_that_is_added_is_in_explanations_and_in_the_report() -> None:
    graph = even_links()
    said = explain(graph, 0, 1)
    assert PARITY.capitalize() in str(said)
    payload = report_payload(scored := score(graph), scored.cut(0.1))
    assert PARITY in str(payload["views"])


def test_the_standard_list() -> None:
    assert [view.name for view in standard_views()] == ["features", "patterns"]
    assert standard_views()[0] is FEATURES
    assert standard_views(seed=3)[1] == feature_patterns(3)


def test_a_hop_view_says_what_it_compares_and_what_is_void_without_features() -> None:
    view = HopView("two", "colors", centered_space, hops=((0, 1), (2, 2)))
    assert view.columns == ("colors vs. neighbors", "colors of the neighborhoods")
    assert view.own_features == (True, False)
    assert feature_patterns().own_features == (True,) * 4


@pytest.mark.parametrize("space", [centered_space, LowRankSpace(rank=3)])
def test_a_hop_view_is_the_cosines_of_its_hops(space) -> None:
    graph = synthetic(n=60, seed=3)
    view = HopView("some", "things", space, hops=((2, 2), (0, 1)))
    for one, leave_out in ((view, True), (view.with_link(), False)):
        cosines = leave_edge_out_cosines(graph, space(graph), graph.edges, leave_out=leave_out)
        columns = [HOPS.index(pair) for pair in view.hops]
        np.testing.assert_array_equal(one(graph, graph.edges), cosines[:, columns])


def test_with_the_link_in_place_the_neighborhoods_of_a_bridge_are_more_alike() -> None:
    graph = barbell()
    bridge = np.array([[4, 5]])
    without, linked = FEATURES(graph, bridge)[0], FEATURES.with_link()(graph, bridge)[0]
    assert without[0] == linked[0]
    assert (linked[1:] > without[1:]).all()
