"""The NetworkX user: a graph with attributes in, the same kind of graph out."""

from __future__ import annotations

import pytest

import kces

nx = pytest.importorskip("networkx")


def social_graph():
    """Two circles of friends, told apart by two attributes, and one odd friendship."""
    graph = nx.Graph(name="school")
    for circle, people in enumerate((["ann", "bob", "cy", "dee"], ["eve", "fay", "gil", "hal"])):
        for position, name in enumerate(people):
            graph.add_node(name, chess=1 - circle + 0.1 * position, music=circle + 0.05 * position, home="x")
        graph.add_edges_from((a, b) for a in people for b in people if a < b)
    graph.add_edge("ann", "hal", since=2024)
    return graph


def test_rank_explain_and_sanitize():
    graph = social_graph()
    table = kces.rank_edges(graph)
    assert set(table.loc[0, ["source", "target"]]) == {"ann", "hal"}
    text = str(kces.explain(graph, "ann", "hal"))
    assert "chess" in text
    assert "0 shared; " in text

    clean = kces.sanitize(graph, alpha=0.05)
    assert isinstance(clean, nx.Graph)
    assert set(graph.edges) - set(clean.edges) == {("ann", "hal")}
    assert clean.nodes["ann"] == graph.nodes["ann"]
    assert clean.name == "school"
    assert graph.has_edge("ann", "hal")
