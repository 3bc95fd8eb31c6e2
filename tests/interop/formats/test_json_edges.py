"""Edge lists as JSON: records and lines come back as they were written, in whatever layout."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.interop import read_graph, write_graph

DOCUMENTS = {
    "one line": '[{"source": "a", "target": "b", "x": 1.50}, {"source": "b", "target": "c", "x": 2E1}]',
    "pretty": '[\n  {\n    "x": "\\u00e9",\n    "from": "a",\n    "to": "b"\n  },\n  {"from": "b", "to": "c"}\n]\n',
    "under edges": '{"directed": false, "edges": [["a", "b"], ["b", "c"]], "name": "g"}',
    "node-link": '{"nodes": [{"id": "a"}], "links": [{"source": "a", "target": "b"},{"source": "b", "target": "c"}]}',
}


@pytest.mark.parametrize("layout", DOCUMENTS)
def test_documents_come_back_as_they_were(text, tmp_path, layout):
    loaded = read_graph(text("g.json", DOCUMENTS[layout]))
    assert loaded.graph.node_ids.tolist() == ["a", "b", "c"]
    loaded.write(tmp_path / "all.json", [True, True])
    assert (tmp_path / "all.json").read_text() == DOCUMENTS[layout]
    loaded.write(tmp_path / "one.json", [False, True])
    left = json.loads((tmp_path / "one.json").read_text())
    records = left if isinstance(left, list) else left.get("edges", left.get("links"))
    whole = json.loads(DOCUMENTS[layout])
    everything = whole if isinstance(whole, list) else whole.get("edges", whole.get("links"))
    assert records == everything[1:]
    loaded.write(tmp_path / "none.json", [False, False])
    assert json.loads((tmp_path / "none.json").read_text()) is not None


def test_lines_come_back_as_they_were(text, tmp_path):
    content = '{"payer": 1, "payee": 2, "n": 1.50}\r\n\n  {"payee": 3, "payer": 2}\n{"payer": 3, "payee": 3}'
    loaded = read_graph(text("g.jsonl", content))
    assert loaded.graph.node_ids.tolist() == [1, 2, 3]
    loaded.write(tmp_path / "all.jsonl", [True, True])
    assert (tmp_path / "all.jsonl").read_bytes() == content.encode()
    loaded.write(tmp_path / "one.jsonl", [False, True])
    assert (tmp_path / "one.jsonl").read_text() == '\n  {"payee": 3, "payer": 2}\n{"payer": 3, "payee": 3}'


@pytest.mark.parametrize("ending", ["json", "jsonl", "json.gz"])
def test_graphs_are_written_and_read(path_graph, tmp_path, ending):
    write_graph(path_graph, tmp_path / f"g.{ending}")
    graph = read_graph(tmp_path / f"g.{ending}").graph
    assert graph.node_ids.tolist() == path_graph.node_ids.tolist()
    assert graph.edges.tolist() == path_graph.edges.tolist()


@pytest.mark.parametrize(
    ("name", "content", "error", "reason"),
    [
        ("g.json", "[]", UnreadableFileError, "no records"),
        ("g.json", "7", UnreadableFileError, "no list of records"),
        ("g.json", '{"nodes": []}', UnreadableFileError, "under edges or links"),
        ("g.json", '[{"source": 1, "target": 2}', UnreadableFileError, "not a readable JSON"),
        ("g.json", '[{"source": 1, "target": 2}] x', UnreadableFileError, "not a readable JSON"),
        ("g.json", "[1, 2]", UnreadableFileError, "not an object or a list"),
        ("g.json", "[[1, 2], [1, 2, 3]]", UnreadableFileError, "different form"),
        ("g.json", '[[1, 2], {"source": 1, "target": 2}]', UnreadableFileError, "different form"),
        ("g.jsonl", '{"source": 1, "target": 2}\n{"source": 1,\n', UnreadableFileError, "line 2 is not JSON"),
        ("g.jsonl", '{"source": 1, "target": 2}\n{"source": 1}\n', InvalidGraphError, "1 missing node id"),
        ("g.jsonl", '{"source": 1, "target": 2.5}\n', InvalidGraphError, "integers or text"),
        ("g.jsonl", '{"source": 1, "target": true}\n', InvalidGraphError, "integers or text"),
        ("g.jsonl", '{"source": 1, "target": [2]}\n', InvalidGraphError, "integers or text"),
        ("g.json", "[" * 100_000, UnreadableFileError, "not a readable JSON"),
    ],
)
def test_what_is_no_edge_list_is_refused(text, refused, name, content, error, reason):
    assert reason in refused(lambda: read_graph(text(name, content)), error=error)


ROWS = "payer,payee,amount,zip,note\na,b,1.5,007,x\nb,a,2.0,12,\nb,c,,1,y\nc,c,4,2,z\n"


@pytest.mark.parametrize("ending", ["json", "jsonl", "tsv", "parquet", "txt", "jsonl.gz"])
def test_a_change_of_format_keeps_all_columns_of_the_rows_that_stay(text, tmp_path, ending):
    loaded = read_graph(text("g.csv", ROWS))
    loaded.write(tmp_path / f"out.{ending}", [True, False])
    back = read_graph(tmp_path / f"out.{ending}")
    assert list(back.records.frame.columns) == ["payer", "payee", "amount", "zip", "note"]
    assert back.records.frame[["payer", "payee"]].values.tolist() == [["a", "b"], ["b", "a"], ["c", "c"]]
    assert [str(value) for value in back.records.frame["zip"]] == ["007", "12", "2"]
    assert pd.to_numeric(back.records.frame["amount"]).tolist() == [1.5, 2.0, 4.0]


def test_parquet_becomes_text_without_changing_numbers(tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra kces[files]")
    frame = pd.DataFrame({"u": [1, 2], "v": [2, 3], "n": pd.array([2**60 + 1, None], dtype="Int64")})
    frame.to_parquet(tmp_path / "g.parquet")
    read_graph(tmp_path / "g.parquet").write(tmp_path / "g.csv", [True, True])
    assert (tmp_path / "g.csv").read_text() == f"u,v,n\n1,2,{2**60 + 1}\n2,3,\n"
