from __future__ import annotations

import numpy as np
import pytest

import kces
from kces.errors import GraphWarning
from kces.interop import as_graph, open_source

igraph = pytest.importorskip("igraph", reason="comes with the extra kces[dev]")


@pytest.fixture
def people() -> igraph.Graph:
    G = igraph.Graph(n=4, edges=[(1, 0), (1, 2), (2, 2), (0, 1)], directed=True)
    G["title"] = "people"
    G.vs["name"] = ["ann", "bob", "cy", "dee"]
    G.vs["vip"] = [True, False, True, True]
    G.vs["team"] = ["red", "blue", "red", "red"]
    G.es["weight"] = [2.0, 1.0, 1.0, 1.0]
    return G


def test_names_features_labels_and_weights_are_read(people):
    graph = open_source(people, label="team").graph
    assert graph.node_ids.tolist() == ["ann", "bob", "cy", "dee"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert (graph.features.tolist(), graph.feature_names) == ([[1, 0], [0, 1], [1, 0], [1, 0]], ("vip", "not vip"))
    assert graph.labels.tolist() == [1, 0, 1, 1]
    assert (graph.repairs.weighted, graph.repairs.self_loops) == (1, 1)


def test_attributes_of_what_stays_are_kept_and_the_input_is_not_changed(people):
    source = open_source(people)
    assert source.spread(np.array([0.25, 0.75]), np.nan)[[0, 1, 3]].tolist() == [0.25, 0.75, 0.25]
    result = source.without([True, False])
    assert result.get_edgelist() == [(1, 0), (2, 2), (0, 1)]
    assert (result.es["weight"], result.vs["team"]) == ([2.0, 1.0, 1.0], people.vs["team"])
    assert (result["title"], result.is_directed()) == ("people", True)
    assert people.ecount() == 4


def test_a_partly_given_attribute_is_filled_in_and_named(people):
    people.vs[0]["age"] = 30
    people.vs[1]["age"] = 50
    with pytest.warns(GraphWarning, match=r"2 missing values filled with the median and marked: age \(2\)"):
        graph = open_source(people, scale="none").graph
    assert graph.feature_names == ("vip", "team=blue", "team=red", "age", "age missing")
    assert graph.features[:, 3:].tolist() == [[30, 0], [50, 0], [40, 1], [40, 1]]


def test_without_attributes_the_graph_alone_is_used():
    with pytest.warns(GraphWarning, match="no node attribute can be a feature"):
        graph = as_graph(igraph.Graph.Ring(4))
    assert (graph.n_edges, graph.n_features, graph.node_ids) == (4, 4, None)


@pytest.mark.parametrize("nodes", [["ann", "bob", "cy"], [7, 5, 9], [("a", 1), "b", 3]])
def test_names_that_nodes_had_in_networkx_stay(nodes):
    networkx = pytest.importorskip("networkx", reason="needs the extra kces[files]")
    original = networkx.path_graph(nodes)
    networkx.set_node_attributes(original, dict(zip(nodes, [30, 50, 40], strict=True)), "age")
    graph = open_source(igraph.Graph.from_networkx(original), scale="none").graph
    assert graph.node_ids.tolist() == nodes
    assert graph.feature_names == ("age",)


def test_the_attribute_name_comes_before_that_of_networkx(people):
    people.vs["_nx_name"] = [3, 1, 4, 2]
    graph = open_source(people, label="team").graph
    assert graph.node_ids.tolist() == ["ann", "bob", "cy", "dee"]
    assert not any("_nx_name" in name for name in graph.feature_names)


def test_an_edge_of_a_graph_from_networkx_is_explained_by_its_names():
    networkx = pytest.importorskip("networkx", reason="needs the extra kces[files]")
    original = networkx.relabel_nodes(networkx.barbell_graph(4, 0), dict(enumerate("abcdefgh")))
    with pytest.warns(GraphWarning, match="no node attribute can be a feature"):
        found = kces.explain(igraph.Graph.from_networkx(original), "d", "e")
    assert (found.source, found.target) == ("d", "e")


def test_other_objects_of_igraph_are_refused(people, refused):
    assert "cannot read a graph from EdgeSeq; give an igraph.Graph" in refused(lambda: as_graph(people.es))
    assert "no node has an attribute 'nope'" in refused(lambda: open_source(people, features="nope").graph)
