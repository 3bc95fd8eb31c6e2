"""Feature tables beside an edge list: the id column, the header, the columns used, nodes without a row."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from kces.errors import AmbiguousInputError, InvalidGraphError, InvalidParameterError
from kces.interop import read_graph


@pytest.fixture
def words(text):
    return text("links.csv", "ann,bob\nbob,cy\ncy,dee\n")


@pytest.fixture
def numbers(text):
    return text("links.csv", "0,1\n1,2\n2,3\n")


PLAIN = {"scale": "none"}


@pytest.mark.parametrize(
    "content",
    [
        "id,x\nann,1\nbob,2\ncy,3\ndee,4\n",
        "x,customer\n1,ann\n2,bob\n3,cy\n4,dee\n",
        "x;customer\n1;ann\n2;bob\n3;cy\n4;dee\n",
        "ann,1\nbob,2\ncy,3\ndee,4\n",
        "\ufeffid,x\r\nann,1\r\nbob,2\r\ncy,3\r\ndee,4\r\n",
        "node,x\n ann ,1\nbob, 2\ncy,3\ndee,4\n",
        "# people\nname,x\nann,1\nbob,2\n\ncy,3\ndee,4\n",
    ],
)
def test_the_id_column_and_the_header_are_found(words, text, content):
    loaded = read_graph(words, features=text("x.csv", content), **PLAIN)
    assert loaded.graph.features.tolist() == [[1], [2], [3], [4]]


@pytest.mark.parametrize("ending", ["parquet", "json", "jsonl"])
def test_tables_that_know_types(words, tmp_path, ending):
    frame = pd.DataFrame(
        {"age": [30, None, 50, 40], "vip": [True, False, True, True], "who": ["ann", "bob", "cy", "dee"]}
    )
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "json":
        path.write_text(json.dumps({"nodes": json.loads(frame.to_json(orient="records"))}))
    else:
        path.write_text(frame.to_json(orient="records", lines=True))
    graph = read_graph(words, features=path, **PLAIN).graph
    assert graph.feature_names == ("age", "age missing", "vip")
    assert graph.features.tolist() == [[30, 0, 1], [40, 1, 0], [50, 0, 1], [40, 0, 1]]


def test_mixed_columns_are_prepared_and_named(words, text):
    rows = ["ann,30,Oslo,2020-01-01,", "bob,,Rome,2020-01-03,", "cy,50,Oslo,2020-01-02,", "dee,40,Rome,,"]
    loaded = read_graph(words, features=text("x.csv", "\n".join(["id,age,city,since,note", *rows]) + "\n"))
    ages, days = (
        tuple(f"{name} near {value}" for value in values)
        for name, values in (("age", (30, 40, 50)), ("since", (0, 1, 2)))
    )
    names = (*ages, "city=Oslo", "city=Rome", *days)
    assert loaded.graph.feature_names == names
    assert loaded.notes == (
        "2 missing values left blank: age (1), since (1)",
        "text as one 0/1 column per value: city (2)",
        "dates as days: since",
        "left out, no values: note",
        "2 columns compared by nearness: the spreads differ by a factor of 14",
    )


def test_columns_are_chosen_by_name(words, text):
    table = text("x.csv", "id,x,label,note\nann,1,0,p\nbob,2,1,q\ncy,3,1,r\ndee,4,0,s\n")
    graph = read_graph(words, features=table, drop_columns=["note"], **PLAIN).graph
    assert (graph.feature_names, graph.labels.tolist()) == (("x",), [0, 1, 1, 0])
    graph = read_graph(words, features=table, columns=["x", "label"], **PLAIN).graph
    assert (graph.feature_names, graph.labels) == (("x", "label"), None)
    graph = read_graph(words, features=table, drop_columns=["note", "label"], **PLAIN).graph
    assert (graph.feature_names, graph.labels) == (("x",), None)


def test_the_id_column_can_be_given_and_is_asked_for_when_two_fit(numbers, text):
    table = text("x.csv", "x,first,second\n9,0,3\n8,1,2\n7,2,1\n6,3,0\n")
    with pytest.raises(
        AmbiguousInputError, match="which of its columns holds the node ids: 'first', 'second'"
    ) as caught:
        read_graph(numbers, features=table)
    assert caught.value.parameters == ("id_column",)
    features = read_graph(numbers, features=table, id_column="second", columns=["x"], **PLAIN).graph.features
    assert features.tolist() == [[6], [7], [8], [9]]
    assert read_graph(numbers, features=table, id_column=2, columns=["x"], **PLAIN).graph.features[0].tolist() == [9]


def test_a_name_for_ids_decides_between_columns_that_fit(numbers, text):
    table = text("x.csv", "age,account_no\n3,0\n2,1\n1,2\n0,3\n")
    graph = read_graph(numbers, features=table, **PLAIN).graph
    assert (graph.feature_names, graph.features.tolist()) == (("age",), [[3], [2], [1], [0]])
    without_names = text("y.csv", "0,3\n1,2\n2,1\n3,0\n")
    assert read_graph(numbers, features=without_names, **PLAIN).graph.features.tolist() == [[3], [2], [1], [0]]


def test_few_nodes_without_a_row_are_filled_and_marked(text):
    links = text("g.csv", "".join(f"n{i},n{i + 1}\n" for i in range(20)))
    rows = [f"n{i},{i},{'ab'[i % 2]},{i % 3}" for i in range(20)]
    loaded = read_graph(links, features=text("x.csv", "\n".join(["id,x,kind,label", *rows]) + "\n"), **PLAIN)
    assert loaded.graph.feature_names == ("x", "kind=a", "kind=b", "no row")
    assert loaded.graph.features[-1].tolist() == [9.5, 0.5, 0.5, 1]
    assert loaded.graph.labels[-1] == -1
    assert loaded.notes[-1] == "1 node(s) without a row filled with medians and marked, such as n20"


def test_many_nodes_without_a_row_are_refused(words, text, refused):
    reason = refused(
        lambda: read_graph(words, features=text("x.csv", "id,x\nann,1\nbob,2\ncy,3\n")), error=InvalidGraphError
    )
    assert "line 3: edge cy - dee names node dee, which is not among the 3 nodes" in reason
    assert "(1 of 4 nodes are not)" in reason


def test_a_table_of_one_kind_of_ends_is_told_from_a_slip(text, refused):
    people = text("people.csv", "customer,age\nc1,1\nc2,2\n")
    for edges in ("customer,merchant\nc1,m1\nc2,m2\n", "merchant,customer\nm1,c1\nm2,c2\n"):
        reason = refused(lambda edges=edges: read_graph(text("b.csv", edges), features=people))
        assert "b.csv: all 2 nodes of " in reason
        assert "are missing in" in reason
        assert "(such as m1)" in reason
        assert "or score without features" in reason
    slip = text("s.csv", "customer,merchant\nc1,C1\nc2,C2\n")
    assert "do names differ by case" in refused(lambda: read_graph(slip, features=people))


def test_few_nodes_of_other_files_may_lack_a_row_too(text, tmp_path):
    nx.write_graphml(nx.path_graph(20), tmp_path / "g.graphml")
    table = text("x.csv", "id,x\n" + "".join(f"{i},{i}\n" for i in range(19)))
    graph = read_graph(tmp_path / "g.graphml", features=table, **PLAIN).graph
    assert graph.feature_names == ("x", "no row")
    assert graph.features[-1].tolist() == [9, 1]


@pytest.mark.parametrize(
    ("options", "content", "reason"),
    [
        ({}, "id,job\nann,p\nbob,q\ncy,r\ndee,s\n", "x.csv: column 'job' holds text with 4 values in 4 rows"),
        ({"columns": ["y"]}, "id,x\nann,1\nbob,2\ncy,3\ndee,4\n", "no column 'y' in the table; it has x"),
        ({"id_column": "y"}, "id,x\nann,1\nbob,2\ncy,3\ndee,4\n", "no column 'y'"),
        ({"scale": "log"}, "id,x\nann,1\nbob,2\ncy,3\ndee,4\n", "scale must be one of"),
        ({"drop_columns": ["x"]}, "id,x\nann,1\nbob,2\ncy,3\ndee,4\n", "no column is left"),
    ],
)
def test_what_cannot_be_used_is_refused(words, text, refused, options, content, reason):
    assert reason in refused(lambda: read_graph(words, features=text("x.csv", content), **options))


def test_a_matrix_is_scaled_only_when_asked_and_has_no_columns_to_choose(numbers, tmp_path, refused):
    matrix = np.array([[1.0, 1e6], [2.0, 3e6], [3.0, 2e6], [4.0, 5e6]])
    np.save(tmp_path / "x.npy", matrix)
    assert read_graph(numbers, features=tmp_path / "x.npy").graph.features.tolist() == matrix.tolist()
    scaled = read_graph(numbers, features=tmp_path / "x.npy", scale="standard")
    assert scaled.graph.features.std(axis=0) == pytest.approx([1, 1])
    assert scaled.notes == ("2 columns standardized: as asked",)
    reason = refused(
        lambda: read_graph(numbers, features=tmp_path / "x.npy", columns=["a"]), error=InvalidParameterError
    )
    assert "no names to choose by" in reason


def test_options_for_features_need_features(words, refused):
    reason = refused(lambda: read_graph(words, scale="standard"), error=InvalidParameterError)
    assert "are about a features file" in reason
