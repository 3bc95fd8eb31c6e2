"""Results joined back to the rows of the input."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest

from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.interop import read_graph
from kces.interop.formats.edge_list import text_style
from kces.interop.scored_rows import result_names, scored_rows
from kces.interop.table_files import table_format, write_table

LINKS = "tx,payer,payee,Score\n1,b,a,x\n2,a,b,y\n3,b,c,z\n4,c,c,w\n5,b,a,v\n"
RESULTS = pd.DataFrame({"score": [0.5, 0.75], "rank": [2, 1], "suspicious": [False, True], "why": ["", "odd"]})


def test_every_row_in_its_order_and_orientation(text):
    loaded = read_graph(text("g.csv", LINKS))
    rows = scored_rows(loaded.graph, RESULTS, loaded.records, order="input")
    assert list(rows.columns) == ["tx", "payer", "payee", "Score", "kces_score", "rank", "suspicious", "why"]
    assert rows[["tx", "payer", "payee"]].values.tolist() == [
        *([1, "b", "a"], [2, "a", "b"], [3, "b", "c"], [4, "c", "c"], [5, "b", "a"])
    ]
    assert rows["kces_score"].tolist()[:3] == [0.5, 0.5, 0.75]
    assert rows.loc[3, ["kces_score", "rank", "suspicious", "why"]].isna().all()
    assert rows["rank"].tolist()[4] == 2


def test_ranked_rows_keep_the_order_of_duplicates_and_put_self_loops_last(text):
    loaded = read_graph(text("g.csv", LINKS))
    assert scored_rows(loaded.graph, RESULTS, loaded.records)["tx"].tolist() == [3, 1, 2, 5, 4]


def test_cells_stay_text_where_the_file_is_text(text):
    loaded = read_graph(text("g.csv", "source,target,zip,x\na,b,007,1.50\nb,c,1,2\n"))
    assert scored_rows(loaded.graph, RESULTS, loaded.records, typed=False)["x"].tolist() == ["2", "1.50"]
    typed = scored_rows(loaded.graph, RESULTS, loaded.records)
    assert typed["x"].tolist() == [2.0, 1.5]
    assert typed["zip"].tolist() == ["1", "007"]


def test_a_graph_without_rows_has_its_edges():
    rows = scored_rows(Graph.from_edges([[0, 1], [1, 2]]), RESULTS, order="input")
    assert rows[["source", "target", "score"]].values.tolist() == [[0, 1, 0.5], [1, 2, 0.75]]


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "csv.gz", "jsonl.gz", "parquet", "txt"])
def test_tables_are_written_by_their_names_with_gaps_for_self_loops(text, tmp_path, ending):
    loaded = read_graph(text("g.csv", LINKS))
    rows = scored_rows(loaded.graph, RESULTS, loaded.records, order="input")
    path = tmp_path / f"scores.{ending}"
    write_table(rows, path)
    back = table_read(path)
    assert list(back.columns) == list(rows.columns)
    assert pd.to_numeric(back["rank"]).fillna(0).tolist() == [2, 2, 1, 0, 2]
    assert [str(value) for value in back["suspicious"][:3]] == ["False", "False", "True"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("\ufefffrom;to;sum\na;b;1.234,50\nb;c;7,5\n", b"\xef\xbb\xbffrom;to;sum;score"),
        ("from;to;sum\na;b;1234.50\nb;c;7.5\n", b"from;to;sum;score"),
        ("from\tto\tsum\na\tb\t1234.50\nb\tc\t7.5\n", b"from\tto\tsum\tscore"),
    ],
)
def test_a_csv_is_written_in_the_style_of_the_input(text, tmp_path, content, expected):
    """A spreadsheet that writes 7,5 would read 0.75 as a word or as seventy-five."""
    loaded = read_graph(text("g.csv", content))
    rows = scored_rows(loaded.graph, RESULTS, loaded.records, order="input", typed=False)
    write_table(rows, tmp_path / "scores.csv", style=text_style(loaded.records))
    header, _, second, *_ = (tmp_path / "scores.csv").read_bytes().splitlines()
    assert header.startswith(expected)
    line = b"b;c;7,5;0,75;1;True;odd" if b"\xbf" in expected else b"b;c;7.5;0.75;1;True;odd"
    assert second == (line.replace(b";", b"\t") if b"\t" in expected else line)


def test_excels_unicode_text_comes_back_as_such(text, tmp_path):
    content = "from\tto\na\tb\nb\tc\n".encode("utf-16")
    (tmp_path / "g.csv").write_bytes(content)
    loaded = read_graph(tmp_path / "g.csv")
    rows = scored_rows(loaded.graph, RESULTS.iloc[:2], loaded.records, order="input", typed=False)
    write_table(rows, tmp_path / "scores.csv", style=text_style(loaded.records))
    assert (tmp_path / "scores.csv").read_bytes().decode("utf-16").startswith("from\tto\tscore")


def test_a_csv_made_of_a_tsv_has_commas(text, tmp_path):
    loaded = read_graph(text("g.tsv", "from\tto\na\tb\nb\tc\n"))
    assert text_style(loaded.records) is None


def table_read(path) -> pd.DataFrame:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    kind = path.name.split(".")[1]
    if kind == "parquet":
        return pd.read_parquet(path)
    if kind == "json":
        return pd.DataFrame(json.loads(content))
    if kind == "jsonl":
        return pd.DataFrame([json.loads(line) for line in content.splitlines()])
    rows = [line.split("," if kind == "csv" else "\t") for line in content.decode().splitlines()]
    return pd.DataFrame(rows[1:], columns=rows[0])


def test_names_that_are_taken_get_a_prefix_until_they_are_free():
    assert result_names(["score", "KCES_score"], ["score", "why"]) == ["kces_kces_score", "why"]


def test_what_cannot_be_joined_or_written_is_refused(text, tmp_path, refused):
    loaded = read_graph(text("g.csv", LINKS))
    assert "order must be one of" in refused(lambda: scored_rows(loaded.graph, RESULTS, order="best"))
    assert "results of 1 edges" in refused(lambda: scored_rows(loaded.graph, RESULTS[:1]))
    for name in ("scores.xls", "scores", "scores.npz", "scores.graphml", "scores.parquet.gz"):
        assert "cannot write a table" in refused(lambda name=name: table_format(name), error=InvalidParameterError)
