"""Tables of edges and nodes: pandas, polars and Arrow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kces.errors import AmbiguousInputError, GraphWarning, KCESError
from kces.graph import Graph
from kces.interop import open_source


@pytest.fixture
def payments() -> pd.DataFrame:
    """Ann pays Bob twice, Bob pays Ann back, Cy pays himself and Bob; the index is not 0, 1, …"""
    return pd.DataFrame(
        {
            "tx": [11, 12, 13, 14, 15],
            "payer": ["ann", "ann", "bob", "cy", "cy"],
            "payee": ["bob", "bob", "ann", "cy", "bob"],
            "day": pd.to_datetime(["2024-01-01"] * 5),
            "cents": [1.5, 2.5, 3.5, 4.5, 5.5],
        },
        index=[50, 40, 30, 20, 10],
    )


@pytest.fixture
def people() -> pd.DataFrame:
    return pd.DataFrame(
        {"who": ["cy", "bob", "ann", "dee"], "vip": [True, False, True, False], "team": ["red", "red", "blue", "blue"]}
    )


ENDS = {"source": "payer", "target": "payee"}


def test_from_pandas(payments, people):
    graph = Graph.from_pandas(payments, people, **ENDS, label="team")
    assert graph.node_ids.tolist() == ["cy", "bob", "ann", "dee"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert (graph.features.tolist(), graph.feature_names) == ([[1, 0], [0, 1], [1, 0], [0, 1]], ("vip", "not vip"))
    assert graph.labels.tolist() == [1, 1, 0, 0]
    assert (graph.repairs.self_loops, graph.repairs.duplicates) == (1, 1)
    chosen = Graph.from_pandas(payments, people, **ENDS, features=["team"], id_column="who")
    assert chosen.feature_names == ("team=blue", "team=red")


def test_rows_that_stay_are_as_they_were(payments):
    before = payments.copy(deep=True)
    source = open_source(payments, **ENDS)
    assert source.graph.edges.tolist() == [[0, 1], [1, 2]]  # ann - bob, bob - cy
    spread = source.spread(np.array([0.25, 0.75]), np.nan)
    assert spread[[0, 1, 2, 4]].tolist() == [0.25, 0.25, 0.25, 0.75]
    assert np.isnan(spread[3])
    result = source.without([False, True])
    pd.testing.assert_frame_equal(result, before.loc[[20, 10]])
    result.loc[20, "tx"] = 0
    pd.testing.assert_frame_equal(payments, before)


@pytest.mark.parametrize("columns", [["source", "target"], ["SRC", "dst"], ["from", "to"], ["ann", "bob"]])
def test_ends_are_found_where_their_names_or_their_number_tell(columns):
    table = pd.DataFrame([[1, 2], [2, 3]], columns=columns)
    assert Graph.from_pandas(table).node_ids.tolist() == [1, 2, 3]
    if columns[0] != "ann":
        assert Graph.from_pandas(table.assign(sum=[0.5, 0.25])[["sum", *columns]]).n_edges == 2


def test_ends_that_cannot_be_told_are_asked_for(payments, refused):
    strange = pd.DataFrame({"red": ["x", "y"], "green": ["y", "x"], "blue": ["x", "y"]})
    question = refused(lambda: Graph.from_pandas(strange), error=AmbiguousInputError)
    assert question.startswith("edges: which two of its columns are the ends of an edge: 'red', 'green', 'blue'?")
    assert question.endswith("Answer with source= and target=")
    assert "give both source and target" in refused(lambda: Graph.from_pandas(payments, source="payer"))
    assert "'giver'" in refused(lambda: Graph.from_pandas(payments, source="giver", target="payee"))


def test_ids_that_are_no_names_are_refused(payments, refused):
    holes = payments.assign(payee=["bob", None, "ann", "cy", "bob"])
    assert "edges column 'payee' has 1 missing node id(s)" in refused(lambda: Graph.from_pandas(holes, **ENDS))
    for column, value in (("cents", "'1.5'"), ("day", "'2024-01-01 00:00:00'")):
        message = refused(lambda column=column: Graph.from_pandas(payments, source="payer", target=column))
        assert f"edges column '{column}' holds {value}; node ids are integers or text" in message
    empty = payments.assign(payee=["bob", "", "ann", "cy", "bob"])
    assert "edges row 40 has an empty node id" in refused(lambda: Graph.from_pandas(empty, **ENDS))


def test_numbers_as_text_stay_text():
    edges = pd.DataFrame({"source": ["1", "2"], "target": ["2", "3"]})
    assert Graph.from_pandas(edges).node_ids.tolist() == ["1", "2", "3"]
    nodes = pd.DataFrame({"id": [3, 2, 1], "vip": [True, False, False]})
    graph = Graph.from_pandas(edges, nodes)
    assert (graph.node_ids.tolist(), graph.features.tolist()) == (["1", "2", "3"], [[0, 1], [0, 1], [1, 0]])


@pytest.mark.parametrize("kind", ["category", "string", "Int64", "int32", "uint8"])
def test_columns_of_every_type_that_can_name_nodes(kind):
    values = [3, 1, 2] if "nt" in kind else ["c", "a", "b"]
    table = pd.DataFrame({"source": values, "target": values[1:] + values[:1]}).astype(kind)
    graph = open_source(table).graph
    assert graph.n_edges == 3
    assert graph.node_ids.tolist() == ([1, 2, 3] if "nt" in kind else ["c", "a", "b"])
    assert open_source(table).without([True, True, False]).dtypes.tolist() == table.dtypes.tolist()


def test_the_column_of_names_is_found(payments, people, refused):
    by_index = people.set_index("who")
    by_name = people.rename(columns={"who": "id"})
    for nodes in (by_index, by_name, people):
        assert Graph.from_pandas(payments, nodes, **ENDS).node_ids.tolist() == ["cy", "bob", "ann", "dee"]
    beside = people.set_index(pd.Index(["cy", "bob", "ann", "dee"], name="account"))
    assert Graph.from_pandas(payments, beside, **ENDS, id_column="account", features="vip").feature_names == (
        "vip",
        "not vip",
    )
    nameless = people.drop(columns="who")
    question = refused(lambda: Graph.from_pandas(payments, nameless, **ENDS), error=AmbiguousInputError)
    assert question == "which column of nodes names the nodes, such as 'ann'? Answer with id_column="
    twice = people.assign(who=["cy", "cy", "ann", "bob"])
    assert "nodes row 1 names node 'cy' a second time" in refused(
        lambda: Graph.from_pandas(payments, twice, **ENDS, id_column="who")
    )


def test_an_index_that_only_counts_is_not_taken_before_a_column_that_fits_as_well(refused):
    edges = pd.DataFrame({"u": [0, 2], "v": [1, 1]})
    nodes = pd.DataFrame({"place": [2, 0, 1], "vip": [True, False, False]})
    question = refused(lambda: Graph.from_pandas(edges, nodes), error=AmbiguousInputError)
    assert question == "is a node named by the index of nodes or by its column 'place'? Answer with id_column="
    assert Graph.from_pandas(edges, nodes, id_column="place").features.tolist() == [[0, 1], [0, 1], [1, 0]]
    assert Graph.from_pandas(edges, nodes, id_column="index", features="vip").features.tolist() == [
        [1, 0],
        [0, 1],
        [0, 1],
    ]


def test_a_plain_index_names_numbered_nodes():
    edges = pd.DataFrame({"u": [0, 2], "v": [1, 1]})
    graph = Graph.from_pandas(edges, pd.DataFrame({"age": [0, 1, 1, 0]}))
    assert (graph.n_nodes, graph.node_ids, graph.features.tolist()) == (4, None, [[0, 1], [1, 0], [1, 0], [0, 1]])
    shuffled = pd.DataFrame({"node": [2, 0, 1], "age": [1.0, 0.0, 1.0]})
    assert Graph.from_pandas(edges, shuffled).features.tolist() == [[0, 1], [1, 0], [1, 0]]


def test_row_numbers_are_no_ids_beside_a_column_of_ids(refused):
    edges = pd.DataFrame({"u": [0, 2], "v": [1, 1]})
    for column in ("id", "name", "Customer ID"):
        strange = pd.DataFrame({column: [1002, 1000, 1001], "age": [0, 1, 2], "vip": [True, False, False]})
        question = refused(lambda strange=strange: open_source((edges, strange)).graph, error=AmbiguousInputError)
        assert f"Column '{column}' lacks 3 of 3 nodes, such as '0'; 'index' stands for the number of" in question
        chosen = open_source((edges, strange), id_column="index", features="vip").graph
        assert chosen.features.tolist() == [[1, 0], [0, 1], [0, 1]]
    cities = pd.DataFrame({"city_id": [7, 7, 8], "vip": [True, False, False]})
    assert open_source((edges, cities), features="vip").graph.features.tolist() == [[1, 0], [0, 1], [0, 1]]


def test_an_empty_id_among_whole_numbers_is_named(refused):
    edges = pd.DataFrame({"u": [0, 2], "v": [1, 1]})
    nodes = pd.DataFrame({"id": [2.0, None, 0.0], "vip": [True, False, False]})
    assert refused(lambda: open_source((edges, nodes)).graph) == "nodes row 1 has an empty node id"


@pytest.mark.parametrize("ids", [[2.0, 0.0, 1.0], ["2.0", "0.0", "1.0"], ["2", "0", "1"]])
def test_whole_numbers_with_decimals_name_numbered_nodes(ids):
    edges = pd.DataFrame({"u": [0, 2], "v": [1, 1]})
    nodes = pd.DataFrame({"id": ids, "vip": [True, False, False]})
    assert open_source((edges, nodes)).graph.features.tolist() == [[0, 1], [0, 1], [1, 0]]


def test_a_number_and_the_same_number_as_text_are_not_taken_for_one_node(refused):
    for edges in (
        pd.DataFrame({"source": [1, 2], "target": ["2", "3"]}),
        pd.DataFrame({"source": [1, "1"], "target": ["a", "b"]}, dtype=object),
    ):
        assert "Make all ids one type" in refused(lambda edges=edges: open_source(edges).graph)
    apart = pd.DataFrame({"source": [1, 2], "target": ["a", "b"]})
    assert open_source(apart).graph.n_nodes == 4


def test_whole_numbers_as_fractions_are_ids_of_edges():
    edges = pd.DataFrame({"source": [0.0, 2.0], "target": [1, 1]})
    assert open_source(edges).graph.edges.tolist() == [[0, 1], [1, 2]]
    assert open_source(edges).without([True, False])["source"].tolist() == [0.0]


def test_a_matrix_describes_numbered_nodes(refused):
    edges = pd.DataFrame({"u": [0, 2], "v": [1, 1]})
    assert open_source((edges, np.eye(4))).graph.features.tolist() == np.eye(4).tolist()
    message = refused(lambda: open_source((edges, np.eye(2))).graph)
    assert "edges row 1: edge 2 - 1 names node 2, which is not among the 2 nodes of nodes" in message
    words = edges.astype(str) + "x"
    assert "edges names its nodes with words" in refused(lambda: open_source((words, np.eye(4))).graph)
    assert "nodes must be a table or a matrix" in refused(lambda: open_source((edges, "people")).graph)


def test_a_table_of_one_kind_of_ends_names_the_column_it_lacks(refused):
    sales = pd.DataFrame({"customer": ["c1", "c2"], "merchant": ["m1", "m2"], "sum": [1.5, 2.5]})
    people = pd.DataFrame({"customer": ["c1", "c2"], "age": [1, 2]})
    shops = pd.DataFrame({"merchant": ["m1", "m2"], "size": [1, 2]})
    assert "all 2 nodes of column merchant are missing in nodes (such as m1), all of column customer are there" in (
        refused(lambda: open_source((sales, people)).graph)
    )
    assert "link nodes of column merchant that share one of column customer" in refused(
        lambda: open_source((sales, shops)).graph
    )


def test_few_nodes_without_a_row_are_marked_and_said(refused):
    ring = pd.DataFrame({"source": range(10), "target": [*range(1, 10), 0]})
    nodes = pd.DataFrame({"id": range(9), "vip": [True] * 4 + [False] * 5, "class": [0] * 4 + [1] * 5})
    with pytest.warns(GraphWarning, match=r"node features: .*; 1 node\(s\) without a row .*, such as 9"):
        graph = Graph.from_pandas(ring, nodes)
    assert graph.feature_names == ("vip", "not vip", "no row")
    assert graph.features[9].tolist() == [0.0, 1.0, 1.0]
    assert graph.labels.tolist() == [0] * 4 + [1] * 5 + [-1]
    assert "2 of 10 nodes are not" in refused(lambda: Graph.from_pandas(ring, nodes.iloc[1:]))


def test_mixed_columns_are_prepared_and_labels_are_not_features(payments):
    nodes = pd.DataFrame(
        {"name": ["ann", "bob", "cy"], "age": [20, None, 60], "cents": [1e6, 2e6, 3e6], "label": ["good", "bad", None]}
    )
    with pytest.warns(GraphWarning, match=r"1 missing value left blank: .*; 2 columns compared by nearness"):
        graph = Graph.from_pandas(payments, nodes, **ENDS)
    near = {"age": (20, 40, 60), "cents": (1_000_000, 2_000_000, 3_000_000)}
    assert graph.feature_names == tuple(f"{name} near {value}" for name in near for value in near[name])
    assert graph.labels.tolist() == [1, 0, -1]
    raw = Graph.from_pandas(payments, nodes, **ENDS, scale="none", features="cents")
    assert raw.features.tolist() == [[1e6], [2e6], [3e6]]


def test_a_table_of_names_alone_describes_nothing(payments, people, refused):
    assert "nodes has one column" in refused(lambda: Graph.from_pandas(payments, people[["who"]], **ENDS))


def test_weights_are_counted(payments):
    table = payments[["payer", "payee"]].assign(Weight=[1, 2, 1, 1, 3])
    assert Graph.from_pandas(table, **ENDS).repairs.weighted == 2


def test_no_rows_are_no_edges():
    empty = pd.DataFrame({"source": [], "target": []})
    source = open_source(empty)
    assert not source.has_edges
    assert source.without(np.empty(0, dtype=bool)).shape == (0, 2)


# -- polars and Arrow -------------------------------------------------------------------------------


def test_polars_comes_back_as_polars(payments, people):
    pl = pytest.importorskip("polars", reason="comes with the extra kces[dev]")
    table = pl.from_pandas(payments)
    source = open_source((table, pl.from_pandas(people)), **ENDS)
    assert source.graph.node_ids.tolist() == ["cy", "bob", "ann", "dee"]
    result, nodes = source.without([True, False])
    assert isinstance(result, pl.DataFrame)
    assert result.schema == table.schema
    assert (result["tx"].to_list(), nodes.height, table.height) == ([14, 15], 4, 5)


def test_a_lazy_frame_and_columns_are_refused(payments, refused):
    pl = pytest.importorskip("polars", reason="comes with the extra kces[dev]")
    table = pl.from_pandas(payments)
    assert "give table.collect()" in refused(lambda: open_source(table.lazy(), **ENDS))
    assert "a Series is no table" in refused(lambda: open_source(table["tx"]))
    assert "a Series is no table" in refused(lambda: open_source(payments["tx"]))


def test_arrow_comes_back_as_arrow(payments):
    pa = pytest.importorskip("pyarrow", reason="needs the extra kces[files]")
    table = pa.Table.from_pandas(payments, preserve_index=False)
    result = open_source(table, **ENDS).without([False, True])
    assert isinstance(result, pa.Table)
    assert result.schema == table.schema
    assert result["tx"].to_pylist() == [14, 15]
    batch = table.to_batches()[0]
    assert isinstance(open_source(batch, **ENDS).without([False, True]), pa.RecordBatch)


def test_a_table_takes_no_tuple_of_other_length(payments, refused):
    assert "cannot read a graph from tuple" in refused(lambda: open_source((payments,)), error=KCESError)
