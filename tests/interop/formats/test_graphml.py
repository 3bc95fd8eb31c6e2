from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kces.datasets.builtin import synthetic
from kces.errors import InvalidGraphError, UnreadableFileError
from kces.interop import from_networkx, read_graph, write_graph

nx = pytest.importorskip("networkx", reason="needs the extra kces[files]")


@pytest.fixture
def people(tmp_path):
    G = nx.DiGraph()
    for name, age, team in [("ann", 30, "red"), ("bob", 40, "blue"), ("cy", 50, "red")]:
        G.add_node(name, age=age, height=age / 100, label=team, note=f"<{name}>")
    G.add_edge("ann", "bob", weight=2.0, kind="friend")
    G.add_edge("bob", "ann", weight=1.0)
    G.add_edge("cy", "bob", kind="foe")
    G.add_edge("cy", "cy", kind="self")
    nx.write_graphml_xml(G, tmp_path / "people.graphml")
    return tmp_path / "people.graphml"


def test_attributes_are_features_as_those_of_networkx_are(people):
    loaded = read_graph(people)
    theirs = from_networkx(nx.read_graphml(people), label="label")
    graph = loaded.graph
    assert graph.node_ids.tolist() == ["ann", "bob", "cy"]
    ages, heights = (
        [f"{name} near {value}" for value in values]
        for name, values in (("age", (30, 40, 50)), ("height", (0.3, 0.4, 0.5)))
    )
    assert graph.feature_names == theirs.feature_names == (*ages, *heights)
    assert graph.features.tolist() == theirs.features.tolist()
    assert graph.labels.tolist() == [1, 0, 1]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert (graph.name, graph.repairs.weighted) == ("people", 1)
    assert read_graph(people, scale="none").graph.features.tolist() == [[30, 0.3], [40, 0.4], [50, 0.5]]


def test_named_attribute_and_files_beside(people, text):
    for named in ({"features": "attr:height"}, {"columns": ["height"]}):
        graph = read_graph(people, **named, scale="none").graph
        assert graph.features.tolist() == [[0.3], [0.4], [0.5]]
    table = text("x.csv", "cy,3\nbob,2\nann,1\n")
    assert read_graph(people, features=table, scale="none").graph.features.tolist() == [[1], [2], [3]]
    assert read_graph(people, labels=text("l.txt", "5\n4\n3\n")).graph.labels.tolist() == [5, 4, 3]


def test_options_that_do_not_go_with_attributes_are_refused(people, text, refused):
    assert "by columns" in refused(lambda: read_graph(people, drop_columns=["age"]))
    links = text("links.csv", "source,target\na,b\n")
    assert "GraphML" in refused(lambda: read_graph(links, features="attr:age"))


def test_attributes_of_nodes_and_kept_edges_are_written_back(people, tmp_path):
    before = nx.read_graphml(people)
    read_graph(people).write(tmp_path / "out.graphml", [False, True])
    after = nx.read_graphml(tmp_path / "out.graphml")
    assert after.is_directed()
    assert dict(after.nodes(data=True)) == dict(before.nodes(data=True))
    assert list(after.edges(data=True)) == [("cy", "bob", {"kind": "foe"}), ("cy", "cy", {"kind": "self"})]


def test_graph_round_trip(path_graph, tmp_path):
    write_graph(path_graph, tmp_path / "g.graphml")
    graph = read_graph(tmp_path / "g.graphml").graph
    assert graph.edges.tolist() == path_graph.edges.tolist()
    assert graph.features.tolist() == path_graph.features.tolist()
    assert graph.labels.tolist() == path_graph.labels.tolist()
    assert graph.node_ids.tolist() == path_graph.node_ids.tolist()


def test_unusable_files_are_refused(people, text, tmp_path, refused):
    reason = refused(lambda: read_graph(people, features="attr:nope"), error=InvalidGraphError)
    assert "no node has an attribute 'nope'" in reason
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><graphml>&a;</graphml>'
    assert "entities" in refused(lambda: read_graph(text("b.graphml", bomb)), error=UnreadableFileError)
    cut = people.read_text()[:-40]
    assert "not a readable GraphML" in refused(lambda: read_graph(text("c.graphml", cut)))


def test_a_partly_given_attribute_is_filled_and_marked(tmp_path):
    G = nx.path_graph(3)
    nx.set_node_attributes(G, {0: 1.0, 1: 2.0}, "age")
    nx.write_graphml_xml(G, tmp_path / "g.graphml")
    assert read_graph(tmp_path / "g.graphml").graph.feature_names == ("age near 1", "age near 1.5", "age near 2")


def test_a_matrix_written_as_attributes_is_a_matrix_again(tmp_path):
    """Digits have columns of very different spread; through GraphML and NetworkX they rank as they do in memory."""
    graph = synthetic(n=40, seed=1)
    wild = replace(graph, features=graph.features * np.logspace(0, 3, graph.n_features))
    write_graph(wild, tmp_path / "g.graphml")
    for other in (read_graph(tmp_path / "g.graphml").graph, from_networkx(nx.read_graphml(tmp_path / "g.graphml"))):
        np.testing.assert_array_equal(other.features, wild.features)


def test_parallel_edges_go_together(tmp_path):
    G = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    nx.write_graphml_xml(G, tmp_path / "g.graphml")
    loaded = read_graph(tmp_path / "g.graphml")
    loaded.write(tmp_path / "out.graphml", np.array([False, True]))
    assert list(nx.read_graphml(tmp_path / "out.graphml").edges()) == [("b", "c")]
