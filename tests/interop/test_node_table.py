from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import kces
from kces.errors import GraphWarning, InvalidGraphError, UnreadableFileError
from kces.interop import read_graph
from kces.interop.node_table import read_labels


@pytest.fixture
def words(text):
    return text("links.csv", "ann,bob\nbob,cy\n")


@pytest.fixture
def numbers(text):
    return text("links.csv", "0,1\n1,2\n")


def test_features_by_name_with_labels_and_an_isolated_node(words, text):
    table = text("x.csv", "id,height,label,age\ncy,1,cat,2\nann,3,dog,4\nbob,5,,6\nzoe,7,cat,8\n")
    graph = read_graph(words, features=table, scale="none").graph
    assert graph.node_ids.tolist() == ["cy", "ann", "bob", "zoe"]
    assert graph.features.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert graph.labels.tolist() == [0, 1, -1, 0]
    assert graph.edges.tolist() == [[0, 2], [1, 2]]


@pytest.mark.parametrize("ids", [("0.0", "1.0", "2.0"), ("0", "1", "2")])
@pytest.mark.parametrize("links", ["source,target\n0.0,1\n2.0,1\n", "source,target\n0,1\n2,1\n"])
def test_whole_numbers_with_decimals_are_the_number(text, ids, links):
    nodes = "id,vip\n" + "".join(f"{name},{place % 2}\n" for place, name in enumerate(ids))
    loaded = read_graph(text("links.csv", links), features=text("x.csv", nodes))
    assert (loaded.graph.node_ids, loaded.graph.features.tolist()) == (None, [[0, 1], [1, 0], [0, 1]])
    assert loaded.graph.edges.tolist() == [[0, 1], [1, 2]]


def test_names_that_only_look_like_numbers_stay(text):
    graph = read_graph(text("links.csv", "source,target\n1.0,1.1\n2.0,1.1\n")).graph
    assert set(graph.node_ids) == {"1.0", "1.1", "2.0"}


def test_a_node_called_nan_is_warned_of(text):
    links = text("links.csv", "source,target\na,b\nb,c\n")
    features = text("x.csv", "id,age\na,1\nb,0\nc,1\nNaN,1\n")
    with pytest.warns(GraphWarning, match=r"x.csv: 1 row\(s\) name a node 'NaN', the first on line 5; drop them if"):
        read_graph(links, features=features)


def test_integer_names_put_the_rows_in_order(numbers, text):
    graph = read_graph(numbers, features=text("x.tsv", "2\t0.2\t5\n0\t0.0\t3\n1\t0.1\t4\n"), scale="none").graph
    assert graph.node_ids is None
    assert graph.features.tolist() == [[0.0, 3], [0.1, 4], [0.2, 5]]


def test_labels_alone_leave_the_features_to_the_graph(words, text):
    graph = read_graph(words, features=text("x.csv", "node,class\nann,0\nbob,1\ncy,1\n")).graph
    assert graph.labels.tolist() == [0, 1, 1]
    assert graph.features.toarray().tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("kind", ["npy", "dense", "sparse"])
def test_rows_describe_numbered_nodes_isolated_ones_too(numbers, tmp_path, kind):
    matrix = np.arange(8.0).reshape(4, 2)
    path = tmp_path / ("x.npy" if kind == "npy" else "x.npz")
    if kind == "npy":
        np.save(path, matrix)
    elif kind == "dense":
        np.savez_compressed(path, matrix)
    else:
        sp.save_npz(path, sp.csr_array(matrix))
    graph = read_graph(numbers, features=path).graph
    features = graph.features.toarray() if kind == "sparse" else graph.features
    assert features.tolist() == matrix.tolist()
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_rows_cannot_describe_named_nodes(words, tmp_path, refused):
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    reason = refused(lambda: read_graph(words, features=tmp_path / "x.npy"), error=InvalidGraphError)
    assert "give the features as a table with a column of node ids" in reason


def test_an_edge_outside_the_features_is_named(words, numbers, text, tmp_path, refused):
    np.save(tmp_path / "x.npy", np.ones((2, 2)))
    reason = refused(lambda: read_graph(numbers, features=tmp_path / "x.npy"), error=InvalidGraphError)
    assert "line 2: edge 1 - 2 names node 2" in reason
    links = text("words.csv", "ann,bob\nbob,cy\n")
    reason = refused(lambda: read_graph(links, features=text("x.csv", "ann,1\nbob,2\n")))
    assert "line 2: edge bob - cy names node cy" in reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("id,x\nann,1\nbob,2\nann,3\n", "line 4 names node 'ann' a second time"),
        ("id,x\nann,1\nbob,tall\ncy,3\n", "column 'x' has 'tall' in row bob where a number is expected"),
        ("id,x\nann,1\nbob,inf\ncy,3\n", "column 'x' holds an infinite value in row bob"),
        ("id,x\nann,\nbob,NA\ncy,?\n", "no column with values"),
        ("id,x\nann,1\n,2\ncy,3\n", "line 3 has an empty node id"),
        ("id,x,y\nann,1,1\nbob,2\ncy,3,3\n", "line 3 has 2 columns where 3 are expected"),
        ("id\nann\nbob\ncy\n", "one column"),
        ("id,x\n", "no nodes"),
        ("id,x,label\nann,1,0.5\nbob,1,1\ncy,1,1\n", "whole numbers or words"),
    ],
)
def test_bad_features_are_refused(words, text, refused, content, reason):
    assert reason in refused(lambda: read_graph(words, features=text("x.csv", content)))


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.array(list("abc")), "numeric matrix"),
        (np.ones((3, 1, 1)), "numeric matrix"),
        (np.ones((3, 1), dtype=complex), "numeric matrix"),
        (np.array([[1.0], [np.nan], [0.0]]), "NaN at node 1"),
        (np.ones((3, 0)), "no columns"),
    ],
)
def test_bad_matrices_are_refused(numbers, tmp_path, refused, matrix, reason):
    np.save(tmp_path / "x.npy", matrix)
    assert reason in refused(lambda: read_graph(numbers, features=tmp_path / "x.npy"))


def test_node_counts_must_agree_where_the_graph_file_lists_its_nodes(tmp_path, text, refused):
    sp.save_npz(tmp_path / "g.npz", sp.csr_array(np.eye(3, k=1)))
    np.save(tmp_path / "x.npy", np.ones((2, 1)))
    reason = refused(lambda: read_graph(tmp_path / "g.npz", features=tmp_path / "x.npy"))
    assert "features describe 2 nodes, but the graph has 3" in reason
    short = text("x.csv", "0,1\n1,1\n")
    assert "no row for node '2'" in refused(lambda: read_graph(tmp_path / "g.npz", features=short))
    long = text("y.csv", "0,1\n1,1\n2,1\n3,1\n")
    assert "describes 4 nodes" in refused(lambda: read_graph(tmp_path / "g.npz", features=long))


def test_unknown_missing_and_pickled_features_are_refused(numbers, text, tmp_path, refused):
    assert "unknown format" in refused(lambda: read_graph(numbers, features=text("x.dat", "1")))
    assert "- (standard input) is read for the graph only" in refused(lambda: read_graph(numbers, features="-"))
    assert "does not exist" in refused(lambda: read_graph(numbers, features=tmp_path / "no.csv"))
    np.save(tmp_path / "x.npy", np.array([{}, {}, {}], dtype=object))
    assert "pickled" in refused(lambda: read_graph(numbers, features=tmp_path / "x.npy"))
    np.savez(tmp_path / "two.npz", a=np.ones(3), b=np.ones(3))
    assert "it holds 2" in refused(lambda: read_graph(numbers, features=tmp_path / "two.npz"))


def test_labels_from_text_and_npy(tmp_path, text, refused):
    assert read_labels(text("a.txt", "class\n2\n0\n\n1\n")).tolist() == [2, 0, 1]
    assert read_labels(text("b.txt", "emu\ncat\n")).tolist() == [1, 0]
    np.save(tmp_path / "c.npy", np.array([1, 0], dtype=np.uint8))
    assert read_labels(tmp_path / "c.npy").tolist() == [1, 0]
    assert "whole numbers" in refused(lambda: read_labels(text("d.txt", "0.5\n1\n")))
    np.save(tmp_path / "e.npy", np.ones((2, 2)))
    assert "must be a list" in refused(lambda: read_labels(tmp_path / "e.npy"), error=UnreadableFileError)


def test_labels_of_another_length_are_refused(numbers, text, refused):
    assert "labels have shape (2,)" in refused(lambda: read_graph(numbers, labels=text("l.txt", "0\n1\n")))


def test_a_scaled_matrix_is_explained_in_its_own_numbers(text, tmp_path):
    generator = np.random.default_rng(0)
    matrix = np.column_stack([generator.normal(40, 9, 30), generator.normal(5e4, 9e3, 30)]).round()
    np.save(tmp_path / "x.npy", matrix)
    links = text("g.csv", "source,target\n" + "".join(f"{n},{(n * 7 + 1) % 30}\n" for n in range(30)))
    graph = read_graph(links, features=tmp_path / "x.npy", scale="standard").graph
    grounds = kces.explain(graph, 0, 1).grounds
    found = {each.name: each for each in (*grounds.features_for, *grounds.features_against)}
    assert found
    for name, reading in found.items():
        column = int(name.removeprefix("feature "))
        assert (reading.source_value, reading.target_value) == tuple(matrix[[0, 1], column])


def test_a_count_of_the_rows_is_taken_when_it_is_named(text):
    links = text("g.csv", "source,target\n" + "".join(f"p{n},p{(n + 1) % 25}\n" for n in range(25)))
    people = text("p.csv", "id,row,age\n" + "".join(f"p{n},{n},{20 + n % 7}\n" for n in range(25)))
    assert "row" not in read_graph(links, features=people, scale="standard").graph.feature_names
    named = read_graph(links, features=people, columns=["row", "age"], scale="standard").graph
    assert "row" in named.feature_names
