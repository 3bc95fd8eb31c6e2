from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kces import rank_edges
from kces.errors import GraphWarning, InvalidGraphError
from kces.graph import Graph
from kces.interop import as_graph, from_networkx, open_source, to_networkx

nx = pytest.importorskip("networkx", reason="needs the extra kces[files]")


def people(kind: type) -> nx.Graph:
    G = kind(name="people")
    G.add_node("ann", x=[1.0, 2.0], age=30, team="red")
    G.add_node("bob", x=[3.0, 4.0], age=40, team="blue")
    G.add_node("cy", x=[5.0, 6.0], age=50, team="red")
    G.add_node("dee", x=[7.0, 8.0], age=60, team="red")
    G.add_edge("bob", "ann", weight=2.0)
    G.add_edge("bob", "cy", color="green")
    G.add_edge("cy", "cy")
    return G


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_every_kind_is_read(kind):
    graph = from_networkx(people(kind), features=["x", "age"], label="team", scale="none")
    assert graph.node_ids.tolist() == ["ann", "bob", "cy", "dee"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.features.tolist() == [[30, 1, 2], [40, 3, 4], [50, 5, 6], [60, 7, 8]]
    assert graph.feature_names == ("age", "x[0]", "x[1]")
    assert graph.labels.tolist() == [1, 0, 1, 1]
    assert (graph.repairs.weighted, graph.repairs.self_loops, graph.name) == (1, 1, "people")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_sanitizing_keeps_nodes_attributes_and_loops_and_leaves_the_input(kind):
    G = people(kind)
    G.add_edge("ann", "bob", note="again")
    before = list(G.edges(data=True))
    result = open_source(G).without([False, True])
    assert type(result) is kind
    assert dict(result.nodes(data=True)) == dict(G.nodes(data=True))
    assert list(result.edges(data=True)) == [("bob", "cy", {"color": "green"}), ("cy", "cy", {})]
    assert list(G.edges(data=True)) == before


def test_a_class_of_ones_own_comes_back():
    class Roads(nx.DiGraph):
        pass

    G = Roads([("a", "b"), ("b", "c")])
    result = open_source(G).without([True, False])
    assert type(result) is Roads
    assert list(result.edges) == [("a", "b")]


def test_a_frozen_graph_and_a_view_are_read_and_not_changed():
    G = nx.freeze(nx.path_graph(4))
    assert list(open_source(G).without([True, False, True]).edges) == [(0, 1), (2, 3)]
    view = nx.path_graph(5).subgraph([1, 2, 3])
    assert list(open_source(view).without([True, False]).edges) == [(1, 2)]
    assert view.number_of_edges() == 2


def test_scores_follow_the_order_of_edges_of_a_multigraph():
    G = nx.MultiDiGraph([("b", "a"), ("b", "c"), ("a", "b"), ("c", "c"), ("b", "a")])
    spread = open_source(G).spread(np.array([0.25, 0.75]), np.nan)
    expected = {("a", "b"): 0.25, ("b", "a"): 0.25, ("b", "c"): 0.75}
    for (source, target), value in zip(G.edges(), spread, strict=True):
        assert value == expected[source, target] if source != target else np.isnan(value)


def test_numeric_attributes_are_the_features():
    G = people(nx.Graph)
    nx.set_node_attributes(G, {"ann": True, "bob": False, "cy": np.True_, "dee": False}, "vip")
    nx.set_node_attributes(G, {"ann": 1, "bob": 2, "cy": 1, "dee": 2}, "label")
    graph = from_networkx(G, scale="none")
    assert graph.feature_names == ("age", "team=blue", "team=red", "vip", "x[0]", "x[1]")
    assert graph.features[:, [0, 3]].tolist() == [[30, 1], [40, 0], [50, 1], [60, 0]]
    assert graph.labels is None


def test_attributes_of_different_scale_are_compared_by_nearness_and_it_is_said():
    G = nx.path_graph(3)
    nx.set_node_attributes(G, {0: 20, 1: 40, 2: 60}, "age")
    nx.set_node_attributes(G, {0: 1e6, 1: 3e6, 2: 2e6}, "cents")
    with pytest.warns(GraphWarning, match=r"^node features: 2 columns compared by nearness: .* factor of 50000$"):
        graph = from_networkx(G)
    assert graph.features.tolist() == [[1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 0, 1], [0, 0, 1, 0, 1, 0]]


def test_what_is_not_used_is_said():
    G = nx.path_graph(3)
    nx.set_node_attributes(G, {0: "a", 1: "b", 2: "c"}, "city")
    with pytest.warns(GraphWarning, match=r"left out, column 'city' holds text .*: the graph alone is used$"):
        graph = from_networkx(G)
    assert graph.features.shape == (3, 3)


def test_missing_and_text_attributes_rank_like_the_same_table():
    random = np.random.default_rng(3)
    G = nx.gnm_random_graph(40, 90, seed=1)
    nodes = pd.DataFrame(
        {"x": random.normal(size=40), "y": random.normal(size=40), "team": random.choice(["red", "blue"], size=40)}
    )
    nodes.loc[[3, 7], "x"] = None
    nodes.loc[5, "team"] = None
    for node in G:
        G.nodes[node].update({name: None if pd.isna(value) else value for name, value in nodes.loc[node].items()})
    del G.nodes[7]["x"]
    edges = pd.DataFrame(list(G.edges), columns=["source", "target"])
    ours, theirs = as_graph(G), as_graph((edges, nodes))
    assert ours.feature_names == theirs.feature_names == ("x", "x missing", "y", "team=blue", "team=red")
    assert ours.features.tolist() == theirs.features.tolist()
    ranked = rank_edges(G)
    expected = rank_edges((edges, nodes))
    assert ranked["score"].tolist() == expected["score"].tolist()


def test_y_is_a_class_beside_a_list_and_the_label_is_no_feature():
    G = people(nx.Graph)
    nx.set_node_attributes(G, {"ann": 1, "bob": 2, "cy": 1, "dee": 2}, "y")
    assert from_networkx(G, label="team", scale="none").feature_names == ("age", "x[0]", "x[1]")


def test_numbered_nodes_need_no_names_and_round_trip(path_graph):
    assert from_networkx(nx.path_graph(3)).node_ids is None
    graph = from_networkx(to_networkx(path_graph), features="x", label="label")
    assert graph.edges.tolist() == path_graph.edges.tolist()
    assert graph.features.tolist() == path_graph.features.tolist()
    assert graph.labels.tolist() == path_graph.labels.tolist()
    assert graph.node_ids.tolist() == path_graph.node_ids.tolist()


def test_names_of_any_type_stay_what_they_are():
    ids = from_networkx(nx.Graph([(1, "a"), ("a", (2, 3))])).node_ids
    assert ids.tolist() == [1, "a", (2, 3)]
    grid = nx.grid_2d_graph(2, 2)
    assert from_networkx(grid).node_ids.tolist() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert list(open_source(grid).without([True, False, False, True]).edges) == [((0, 0), (0, 1)), ((1, 0), (1, 1))]


def test_unusable_attributes_are_named(refused):
    G = people(nx.Graph)
    assert "no node has an attribute 'nope'" in refused(lambda: from_networkx(G, features="nope"))
    nx.set_node_attributes(G, {"ann": {"a": 1}, "bob": {"a": 2}}, "place")
    message = refused(lambda: from_networkx(G, features="place"), error=InvalidGraphError)
    assert "column 'place' holds nested values" in message
    G.add_node("eve")
    assert "node 'eve' has no attribute 'team'" in refused(lambda: from_networkx(G, label="team"))
    ragged = nx.Graph([(0, 1)])
    nx.set_node_attributes(ragged, {0: [1.0], 1: [1.0, 2.0]}, "x")
    assert "one length" in refused(lambda: from_networkx(ragged, features="x"))
    assert from_networkx(ragged).features.shape == (2, 2)  # left alone where nobody named it


def test_graphs_without_edges(refused):
    assert "no nodes" in refused(lambda: from_networkx(nx.Graph()))
    assert "no edges" in refused(lambda: from_networkx(nx.empty_graph(3)))
    source = open_source(nx.Graph([("a", "a")]))
    assert not source.has_edges
    assert list(source.without(np.ones(0, dtype=bool)).edges) == [("a", "a")]


def test_sparse_features_are_written(path_graph):
    sparse = Graph.from_edges(path_graph.edges)
    assert to_networkx(sparse).nodes[1]["x"] == [0.0, 1.0, 0.0, 0.0]
