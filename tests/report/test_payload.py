"""The document behind a report: its numbers against direct pruning, its bounds, and that it is the same every time."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

from kces import score
from kces.cut import AlphaChoice, cut_at
from kces.datasets.builtin import synthetic
from kces.datasets.planted import inject_cross_class_edges
from kces.datasets.summary import edge_homophily
from kces.datasets.toys import barbell
from kces.errors import GraphWarning
from kces.features.own_values import OwnColumn, OwnValues
from kces.graph import Graph
from kces.report import report_payload
from kces.report.held import Held
from kces.report.node_groups import node_groups
from kces.report.page import as_script_text
from kces.report.shown_graph import MOST_EDGES, MOST_EDGES_AT_A_NODE, MOST_NEIGHBORHOOD_EDGES
from kces.scorers.scored import Scored


@pytest.fixture(scope="module")
def noisy() -> tuple[Graph, np.ndarray]:
    return inject_cross_class_edges(synthetic(n=120, degree=4, seed=3), 0.3, seed=1)


@pytest.mark.parametrize("step", [0, 1, 37, 100, 163, 199, 200])
def test_the_slider_says_what_pruning_does(noisy: tuple[Graph, np.ndarray], step: int) -> None:
    graph, injected = noisy
    scored = score(graph)
    curves = report_payload(scored, scored.cut(), injected=injected)["alphas"]
    kept = scored.cut(curves["alpha"][step]).kept
    pruned = graph.keep_edges(kept)
    assert curves["removed"][step] == int((~kept).sum())
    assert curves["components"][step] == connected_components(pruned.adjacency, directed=False)[0]
    assert curves["isolated"][step] == int((np.diff(pruned.adjacency.indptr) == 0).sum())
    assert curves["homophily"][step] == (None if step == 200 else pytest.approx(edge_homophily(pruned), rel=1e-4))
    caught = int((injected & ~kept).sum())
    assert curves["recall"][step] == pytest.approx(caught / injected.sum(), rel=1e-4)
    assert curves["precision"][step] == (None if step == 0 else pytest.approx(caught / (~kept).sum(), rel=1e-4))


def test_awkward_graphs_have_a_report(awkward_graph: Graph) -> None:
    for preset in ("robust", "paper"):
        scored = score(awkward_graph, preset=preset)
        payload = report_payload(scored, scored.cut(0.3))
        as_script_text(payload)  # refuses NaN
        kept = awkward_graph.keep_edges(scored.cut(0.3).kept)
        assert payload["alphas"]["components"][60] == connected_components(kept.adjacency, directed=False)[0]
        assert sum(payload["distribution"]["edges"]) == awkward_graph.n_edges


def test_equal_scores_remove_nothing_at_any_ratio_but_all() -> None:
    scored = Scored(barbell(), np.ones(21))
    payload = report_payload(scored, scored.cut(0.5))
    removed = np.array(payload["alphas"]["removed"])
    every = np.array(payload["alphas"]["alpha"]) > 20 / 21
    assert (set(removed[every]), set(removed[~every])) == ({21}, {0})
    assert "same score" in payload["cut"]["warning"]


def test_indices_refer_to_the_nodes_that_are_carried(noisy: tuple[Graph, np.ndarray]) -> None:
    graph, injected = noisy
    scored = score(graph)
    cut = scored.cut(0.2)
    payload = report_payload(scored, cut, injected=injected)
    nodes, edges = payload["nodes"], payload["edges"]
    named = [(nodes["name"][i], nodes["name"][j]) for i, j in zip(edges["source"], edges["target"], strict=True)]
    assert named == [(str(i), str(j)) for i, j in graph.edges[cut.order].tolist()]
    assert edges["injected"] == injected[cut.order].astype(int).tolist()
    assert [edges["whys"][k] for k in edges["why"]] == scored.reasons()[cut.order].tolist()
    hottest = payload["hot_nodes"][0]
    assert hottest["suspicious"] == max(nodes["suspicious"]) == nodes["suspicious"][hottest["node"]]
    around = payload["neighborhood"]
    assert sorted(around["rank"]) == list(range(1, graph.n_edges + 1))


def test_classes_color_the_nodes_and_pseudo_labels_where_there_are_none() -> None:
    with_labels = score(barbell())
    assert report_payload(with_labels, with_labels.cut(0.1))["nodes"]["group_kind"] == "class"
    bare = Graph.from_edges(barbell().edges, barbell().features)
    for preset in ("robust", "paper"):
        found = score(bare, preset=preset)
        nodes = report_payload(found, found.cut(0.1))["nodes"]
        assert nodes["group_kind"] == "pseudo label"
        assert len(nodes["group"]) == len(nodes["name"])
        assert len(set(nodes["group"])) > 1
    plain = score(Graph.from_edges(barbell().edges))
    assert report_payload(plain, plain.cut(0.1))["nodes"]["group"] is None


@pytest.mark.parametrize(("nodes", "features"), [(1_300, 32), (200, 64)])
def test_pseudo_labels_need_neither_all_nodes_nor_all_features(nodes: int, features: int) -> None:
    """More nodes than the sample, or more features than directions, as tables of customers have them."""
    labeled = synthetic(n=nodes, features=features, seed=0)
    scored = score(Graph.from_edges(labeled.edges, labeled.features))
    found = node_groups(scored, np.arange(nodes))
    assert found is not None
    assert found.of_node.shape == (nodes,)
    assert adjusted_rand_score(labeled.labels, found.of_node) > 0.2


def test_a_table_of_nodes_is_carried_as_it_was_written() -> None:
    people = pd.DataFrame({"name": list("abcd"), "age": [30, None, 50, 60], "city": ["Oslo", "Rome", "Oslo", "Rome"]})
    links = pd.DataFrame({"source": list("abca"), "target": list("bcdd")})
    with pytest.warns(GraphWarning):
        scored = score((links, people))
    table = report_payload(scored, scored.cut(0.5))["table"]
    names = [str(scored.graph.ids_of(np.array([node]))[0]) for node in range(4)]
    told = {
        names[node]: [table["texts"][row[place]] for row in table["cells"]] for place, node in enumerate(table["nodes"])
    }
    assert table["columns"] == ["age", "city"]
    assert told == {"a": ["30", "Oslo"], "b": ["no value", "Rome"], "c": ["50", "Oslo"], "d": ["60", "Rome"]}
    plain = score(barbell())
    assert report_payload(plain, plain.cut(0.1))["table"] is None


def test_a_table_of_long_texts_is_bounded() -> None:
    generator = np.random.default_rng(0)
    words = np.array([f"{word:060d}" for word in range(12_000)], dtype=object)
    own = OwnValues.of([(OwnColumn(f"note {place}", generator.permutation(words)), 1) for place in range(4)])
    pairs = generator.integers(0, 12_000, size=(6_000, 2))
    graph = Graph.from_edges(pairs, generator.random((12_000, 4)), own_values=own)
    scored = Scored(graph, generator.random(graph.n_edges))
    payload = report_payload(scored, scored.cut(0.3))
    assert len(payload["table"]["columns"]) < payload["table"]["of"] == 4
    assert len(as_script_text(payload)) < 3_000_000


def test_unknown_classes_have_no_color() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3]], labels=[7, -1, 4, 7])
    scored = Scored(graph, np.array([3.0, 2.0, 1.0]))
    nodes = report_payload(scored, scored.cut(0.4))["nodes"]
    assert (nodes["group"], nodes["group_names"]) == ([1, -1, 0, 1], ["4", "7"])


def test_the_same_input_gives_the_same_document(noisy: tuple[Graph, np.ndarray]) -> None:
    documents = []
    for _ in range(2):
        scored = score(noisy[0])
        payload = report_payload(scored, scored.cut())
        payload["about"].pop("made")
        documents.append(json.dumps(payload))
    assert documents[0] == documents[1]


def test_a_large_graph_carries_its_worst_edges_only() -> None:
    generator = np.random.default_rng(0)
    graph = Graph.from_edges(generator.integers(0, 20_000, size=(50_000, 2)), n_nodes=20_000)
    scored = Scored(graph, generator.random(graph.n_edges))
    payload = report_payload(scored, scored.cut(0.3))
    assert payload["shown_edges"] == MOST_EDGES < payload["total_edges"] == graph.n_edges
    assert len(payload["neighborhood"]["rank"]) <= MOST_NEIGHBORHOOD_EDGES
    assert len(as_script_text(payload)) < 3_000_000


def test_a_hub_leaves_room_for_the_others() -> None:
    star = [[0, node] for node in range(1, 4_000)]
    ring = [[node, node + 1] for node in range(1, 3_999)]
    graph = Graph.from_edges(star + ring)
    scored = Scored(graph, np.linspace(1.0, 0.0, graph.n_edges))
    payload = report_payload(scored, scored.cut(0.1))
    around = payload["neighborhood"]
    hub = payload["nodes"]["name"].index("0")
    assert (around["source"] + around["target"]).count(hub) == MOST_EDGES_AT_A_NODE
    assert len(around["rank"]) > len(ring) - MOST_EDGES_AT_A_NODE
    assert payload["nodes"]["degree"][hub] == len(star)


def test_spared_edges_rank_behind_those_that_go() -> None:
    scored = Scored(barbell(), np.arange(21.0))
    spared = np.arange(21) == 20
    payload = report_payload(scored, cut_at(scored.scores, AlphaChoice.asked_for(0.2), spared))
    edges = payload["edges"]
    assert payload["cut"]["removed"] == 4
    assert edges["suspicious"] == [int(rank <= 4) for rank in edges["rank"]]
    assert edges["score"][:5] == [19, 18, 17, 16, 20]


def test_marks_bound_the_cut_and_the_slider() -> None:
    graph = synthetic(n=60, degree=4, seed=0)
    scored = score(graph)
    order = scored.cut(0.2).order
    fine, harmful = np.zeros(graph.n_edges, dtype=bool), np.zeros(graph.n_edges, dtype=bool)
    fine[order[:5]], harmful[order[-3:]] = True, True
    held = Held(fine, harmful)
    for alpha in (0.0, 0.2, 1.0):
        cut = held.cut(scored, alpha)
        assert cut.kept[fine].all()
        assert not cut.kept[harmful].any()
        curves = report_payload(scored, cut, held=held)["alphas"]
        assert curves["removed"][curves["alpha"].index(alpha)] == cut.n_removed
    assert held.cut(scored, 0.0).n_removed == 3
    assert held.cut(scored, 1.0).n_removed == graph.n_edges - 5
