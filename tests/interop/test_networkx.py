from __future__ import annotations

import numpy as np
import pytest

from kces.errors import InvalidGraphError
from kces.interop import from_networkx, sanitized_networkx, to_networkx

nx = pytest.importorskip("networkx", reason="needs the extra kces[files]")


def people(kind: type) -> nx.Graph:
    G = kind(name="people")
    G.add_node("ann", x=[1.0, 2.0], age=30, team="red")
    G.add_node("bob", x=[3.0, 4.0], age=40, team="blue")
    G.add_node("cy", x=[5.0, 6.0], age=50, team="red")
    G.add_node("dee", x=[7.0, 8.0], age=60, team="red")
    G.add_edge("bob", "ann", weight=2.0)
    G.add_edge("bob", "cy", colour="green")
    G.add_edge("cy", "cy")
    return G


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_every_kind_is_read(kind):
    graph = from_networkx(people(kind), features=["x", "age"], label="team")
    assert graph.node_ids.tolist() == ["ann", "bob", "cy", "dee"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.features.tolist() == [[1, 2, 30], [3, 4, 40], [5, 6, 50], [7, 8, 60]]
    assert graph.labels.tolist() == [1, 0, 1, 1]
    assert (graph.repairs.weighted, graph.repairs.self_loops, graph.name) == (1, 1, "people")


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_sanitizing_keeps_nodes_attributes_and_loops_and_leaves_the_input(kind):
    G = people(kind)
    G.add_edge("ann", "bob", note="again")
    before = list(G.edges(data=True))
    result = sanitized_networkx(G, from_networkx(G), [False, True])
    assert type(result) is kind
    assert dict(result.nodes(data=True)) == dict(G.nodes(data=True))
    assert list(result.edges(data=True)) == [("bob", "cy", {"colour": "green"}), ("cy", "cy", {})]
    assert list(G.edges(data=True)) == before


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


def test_unusable_attributes_are_named(refused):
    G = people(nx.Graph)
    assert "must be a number" in refused(lambda: from_networkx(G, features="team"), error=InvalidGraphError)
    G.add_node("eve")
    assert "node 'eve' has no attribute 'x'" in refused(lambda: from_networkx(G, features="x"))
    ragged = nx.Graph([(0, 1)])
    nx.set_node_attributes(ragged, {0: [1.0], 1: [1.0, 2.0]}, "x")
    assert "one length" in refused(lambda: from_networkx(ragged, features="x"))


def test_empty_graphs_and_other_graphs_are_refused(refused):
    assert "no nodes" in refused(lambda: from_networkx(nx.Graph()))
    assert "no edges" in refused(lambda: from_networkx(nx.empty_graph(3)))
    graph = from_networkx(nx.path_graph(3))
    assert "4 nodes" in refused(lambda: sanitized_networkx(nx.path_graph(4), graph, np.ones(2, dtype=bool)))
