"""Validation on entry: what is repaired, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from kces.errors import GraphWarning, InvalidGraphError
from kces.graph import Graph, Repairs

TRIANGLE = [[0, 1], [1, 2], [0, 2]]


def test_edges_are_ordered_and_undirected() -> None:
    graph = Graph.from_edges([[2, 0], [1, 0], [2, 1]])
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert (graph.adjacency != graph.adjacency.T).nnz == 0
    assert graph.degrees.tolist() == [3.0, 3.0, 3.0]


def test_both_orientations_of_the_edge_array() -> None:
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    assert Graph.from_edges(pairs).edges.tolist() == Graph.from_edges(pairs.T).edges.tolist()


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([[0, 1], [1, 0], [1, 2], [2, 1]], Repairs()),
        ([[0, 1], [1, 0], [1, 2]], Repairs(directed=1)),
        ([[0, 1], [0, 1], [1, 2]], Repairs(duplicates=1)),
        ([[0, 1], [1, 1], [1, 2]], Repairs(self_loops=1)),
    ],
)
def test_repairs_are_counted(edges: list[list[int]], expected: Repairs) -> None:
    assert Graph.from_edges(edges).repairs == expected


def test_one_warning_line_counts_all_repairs() -> None:
    matrix = sp.csr_array(np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    with pytest.warns(GraphWarning) as caught:
        Graph.from_scipy(matrix)
    assert [str(each.message) for each in caught] == [
        "graph repaired: 1 one-way edge(s) taken as undirected, 1 self-loop(s) ignored, 1 edge weight(s) ignored"
    ]


def test_without_features_identity_is_used() -> None:
    graph = Graph.from_edges(TRIANGLE)
    assert np.array_equal(graph.features.toarray(), np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"edges": []}, "no nodes"),
        ({"edges": [], "n_nodes": 3}, "no edges"),
        ({"edges": [[0, 0]]}, "no edges"),
        ({"edges": [[0, 3]], "features": np.eye(3)}, "names node 3, but there are only 3 nodes in the features"),
        ({"edges": [[0, -1]], "n_nodes": 3}, "node -1"),
        ({"edges": [[0, 1]], "features": [[1.0], [np.nan]]}, "NaN at node 1, column 0"),
        ({"edges": [[0, 1]], "features": [[np.inf], [1.0]]}, "infinite value at node 0, column 0"),
        ({"edges": [[0, 1]], "features": np.eye(3), "n_nodes": 2}, "describe 3 nodes, but the graph has 2"),
        ({"edges": [[0, 1]], "features": np.zeros((2, 0))}, "no columns"),
        ({"edges": [[0, 1]], "features": [["a"], ["b"]]}, "not numbers"),
        ({"edges": [[0.5, 1]]}, "node numbers"),
        ({"edges": [0, 1, 2]}, "shape"),
        ({"edges": TRIANGLE, "labels": [0, 1]}, "labels have shape"),
        ({"edges": TRIANGLE, "labels": [0.5, 1, 2]}, "whole numbers"),
        ({"edges": TRIANGLE, "train": [5]}, "train nodes name a node outside 0…2"),
        ({"edges": TRIANGLE, "val": np.array([True])}, "val mask has shape"),
        ({"edges": TRIANGLE, "node_ids": ["a"]}, "1 node ids given"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidGraphError, match=message) as caught:
        Graph.from_edges(**arguments)
    assert "\n" not in str(caught.value)


def test_adjacency_must_be_square_and_finite() -> None:
    with pytest.raises(InvalidGraphError, match="square"):
        Graph.from_scipy(sp.csr_array((2, 3)))
    with pytest.raises(InvalidGraphError, match="NaN"):
        Graph.from_scipy(np.array([[0.0, np.nan], [1.0, 0.0]]))


def test_sparse_features_are_checked_too() -> None:
    features = sp.csr_array(np.array([[1.0, 0.0], [0.0, np.nan]]))
    with pytest.raises(InvalidGraphError, match="NaN at node 1, column 1"):
        Graph.from_edges([[0, 1]], features)


def test_masks_become_node_lists() -> None:
    graph = Graph.from_edges(TRIANGLE, train=np.array([True, False, True]))
    assert graph.train is not None
    assert graph.train.tolist() == [0, 2]


def test_keeping_no_edge_is_allowed() -> None:
    graph = Graph.from_edges(TRIANGLE)
    assert graph.keep_edges(np.zeros(3, dtype=bool)).n_edges == 0


def test_a_notebook_shows_the_facts_and_escapes_the_name() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], [[1.0], [2.0], [3.0]], labels=[0, 1, 1], train=[0], name="<b>&")
    shown = graph._repr_html_()
    assert "<caption>&lt;b&gt;&amp;</caption>" in shown
    assert "<tr><th>edges</th><td>2</td></tr>" in shown
    assert "<tr><th>classes</th><td>2</td></tr>" in shown
    assert "<tr><th>train</th><td>1</td></tr>" in shown
