"""Objects as people have them, of which each was once refused with a word that led astray, or taken without one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kces
from kces.errors import GraphWarning
from kces.interop import as_graph

PAIRS = [("ann", "bob"), ("bob", "cy"), ("cy", "ann"), ("cy", "dee")]
EDGES = pd.DataFrame(PAIRS, columns=["payer", "payee"])


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (PAIRS, "for pairs of node numbers give kces.Graph.from_edges(pairs), for names a table"),
        ("links.csv", "kces.interop.read_graph(path).graph reads a file"),
        (Path("links.csv"), "kces.interop.read_graph(path).graph reads a file"),
        ({"ann": ["bob"]}, "give networkx.Graph(neighbors)"),
        (EDGES.set_index(["payer", "payee"]), "has the ends of its edges in the index; give edges.reset_index()"),
        (EDGES.assign(sum=1).set_index(["payer", "payee"]), "give edges.reset_index()"),
        (
            pd.DataFrame(np.eye(4, k=1) + np.eye(4, k=-1)),
            "(4 x 4), no list of edges; give the matrix, edges.to_",
        ),
    ],
)
def test_refused_with_the_remedy(refused, given, hint):
    assert hint in refused(lambda: as_graph(given))


def test_levels_of_an_index_are_columns_of_nodes():
    people = pd.DataFrame({"id": ["ann", "bob", "cy", "dee"], "team": list("xyxy"), "age": [1, 2, 3, 4]})
    graph = as_graph((EDGES, people.set_index(["id", "team"])))
    assert (
        graph.feature_names
        == as_graph((EDGES, people)).feature_names
        == (
            *("team=x", "team=y"),
            *("age near 1", "age near 2.5", "age near 4"),
        )
    )


def test_months_are_dates():
    months = pd.period_range("2024-01", periods=4, freq="M")
    graph = as_graph((EDGES, pd.DataFrame({"id": ["ann", "bob", "cy", "dee"], "since": months, "vip": list("ynyn")})))
    assert graph.feature_names == ("since near 0", "since near 45.5", "since near 91", "vip")


def test_vertices_of_one_name_are_called_by_number():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph.TupleList(PAIRS)
    graph.vs["name"] = ["x"] * 4
    with pytest.warns(GraphWarning, match="names of vertices are not unique"):
        table = kces.rank_edges(graph)
    assert set(table["source"]) | set(table["target"]) == {0, 1, 2, 3}


def test_pairs_in_rows_are_told_to_pyg_users(refused):
    torch, data = pytest.importorskip("torch"), pytest.importorskip("torch_geometric.data")
    edge_index = torch.tensor([[0, 1], [1, 2], [2, 0]])
    assert "give edge_index.t()" in refused(lambda: as_graph(data.Data(edge_index=edge_index, num_nodes=3)))
    assert "Data(x=x, edge_index=edge_index)" in refused(lambda: as_graph(edge_index))


def test_a_column_that_outweighs_all_others_is_named():
    graph = kces.load_builtin("synthetic:n=60,seed=0")
    wild = np.column_stack([np.arange(60) * 1e4, np.asarray(graph.features)[:, :3]])
    with pytest.warns(GraphWarning, match="feature 0 has nearly all of the features' spread and decides alone"):
        kces.score(kces.Graph.from_edges(graph.edges, wild))
