"""Text as people have it: every row is read right or the file is refused, and what stays comes back byte for byte."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kces.errors import AmbiguousInputError, KCESError, UnreadableFileError
from kces.interop import read_graph
from kces.interop.scored_rows import scored_rows

MESSY = {
    "windows line ends": b"source,target\r\na,b\r\nb,c\r\n",
    "no last line end": b"source,target\na,b\nb,c",
    "byte order mark": codecs.BOM_UTF8 + b"source,target\na,b\nb,c\n",
    "utf-16": codecs.BOM_UTF16_LE + "source\ttarget\na\tb\nb\tc\n".encode("utf-16-le"),
    "utf-16, the other way": codecs.BOM_UTF16_BE + "source,target\r\na,b\r\nb,c\r\n".encode("utf-16-be"),
    "blank and comment lines": b"\n# who\nsource,target\n\na,b\n  \n# then\nb,c\n\n",
    "decimal commas": b"source;target;amount\na;b;1,5\nb;c;2,25\n",
    "decimal commas without names": b"a;b;1,5\nb;c;2,25\n",
    "delimiter at the end of rows": b"source,target\na,b,\nb,c,\n",
    "delimiter at the end of all": b"source,target,\na,b,\nb,c,\n",
    "delimiter at the end, no names": b"a,b,\nb,c,\n",
    "a cell over several lines": b'source,target,note\na,b,"one\n\n# two"\nb,c,"x, ""y"""\n',
    "quoted names": b'"source","target"\n"a","b"\n"b","c"\n',
    "a quote inside a cell": b'source,target,size\na,b,5" pipe\nb,c,6\n',
    "spaces around": b"source , target\na , b\n b, c\n",
    "quotes after spaces": b'source, target\na, "b"\n"b", c\n',
    "bars": b"source|target\na|b\nb|c\n",
    "commas in names": b"source;target\nb, c;a\nb, c;d, e\n".replace(b"b, c", b"b").replace(b"d, e", b"c"),
    "a delimiter declared for Excel": codecs.BOM_UTF8 + b"sep=;\r\nsource;target;sum\r\na;b;1,5\r\nb;c;2,5\r\n",
    "a declaration beside quotes": b'"sep=,"\nsource,target\n"a",b\nb,c\n',
    "comments with percent signs": b"% sym unweighted\n% 2 3\nsource,target\na,b\nb,c\n",
    "empty extra cells": b"source,target,note\na,b,\nb,c,\n",
}


@pytest.mark.parametrize("name", MESSY)
def test_messy_files_are_read_right_and_come_back_as_they_were(tmp_path, name):
    path, out = tmp_path / "g.csv", tmp_path / "out.csv"
    path.write_bytes(MESSY[name])
    loaded = read_graph(path)
    ids = loaded.graph.ids_of(loaded.graph.edges)
    assert {frozenset(pair) for pair in ids.tolist()} == {frozenset("ab"), frozenset("bc")}
    assert len(loaded.records.pairs) == 2
    loaded.write(out, [True, True])
    assert out.read_bytes() == MESSY[name]


def test_records_that_begin_with_a_percent_sign_and_matrix_market_are_refused(text, refused):
    hidden = text("g.csv", "source,target\na,b\n%b,c\n")
    assert "line 3 begins with % and looks like a record" in refused(lambda: read_graph(hidden))
    market = text("m.txt", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n")
    assert "is a Matrix Market file; read it with scipy.io.mmread" in refused(lambda: read_graph(market))


def test_a_record_of_several_lines_goes_as_a_whole(text, tmp_path):
    path = text("g.csv", 'source,target,note\na,b,"one\n# two"\nb,c,"x\n\ny"\nc,d,z\n')
    read_graph(path).write(tmp_path / "out.csv", [True, False, True])
    assert (tmp_path / "out.csv").read_text() == 'source,target,note\na,b,"one\n# two"\nc,d,z\n'


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("g.csv", "source,target\na,b\nb,c,d\n", "line 3 has 3 columns where 2 are expected"),
        ("g.csv", "source,target\na,b,\nb,c\n", "line 3 has 2 columns where 3 are expected"),
        ("g.csv", 'source,target\na,"b\nb,c\n', "line 2 opens a quote that never closes"),
        ("g.csv", 'source,target\na,"b"x\nb,c\n', "line 2 is damaged"),
        ("g.csv", "cat,#dog\n#dog,#emu\n", "line 2 begins with # and looks like a record"),
        ("g.csv", "#cat,#dog\ncat,dog\ndog,emu\n", "line 1 begins with # and looks like a record"),
        ("g.csv", "#cat,#dog\n#dog,#emu\n", "lines that begin with # or % are comments"),
        ("g.txt", "a b\nb\n", "line 2 has 1 column where 2 are expected"),
        ("g.csv", " a | b \n---+---\n x | y \n y | z \n(2 rows)\n", "line 2 is a rule between lines and no record"),
        ("g.csv", " a | b | c\n---+---+---\n x | y | 1\n", "line 2 is a rule between lines and no record; delete it"),
        ("g.txt", "+---+---+\n| a | b |\n+---+---+\n| x | y |\n+---+---+\n", "is a rule between lines"),
    ],
)
def test_what_cannot_be_read_right_is_refused(text, refused, name, content, reason):
    assert reason in refused(lambda: read_graph(text(name, content)), error=UnreadableFileError)


@pytest.mark.parametrize(
    ("name", "content"),
    [("g.txt", "Ann Lee,Bob Ray\nBob Ray,Cy Low\n"), ("g.csv", "a,b;c,d\nb,a;d,c\n"), ("g.csv", "a,b\tc\nb,a\td\n")],
)
def test_an_unclear_delimiter_is_asked_for(text, name, content):
    path = text(name, content)
    with pytest.raises(AmbiguousInputError, match="what stands between its cells") as caught:
        read_graph(path)
    assert caught.value.parameters == ("delimiter",)
    assert read_graph(path, delimiter=",", header=False, source=1, target=2).records.frame.shape[0] == 2


def test_attributes_of_networkx_are_one_cell(text):
    loaded = read_graph(text("g.edgelist", "0 1 {'weight': 1.0, 'kind': 'x y'}\n1 2 {}\n"))
    assert loaded.records.frame.iloc[0, 2] == "{'weight': 1.0, 'kind': 'x y'}"


def test_packed_files_in_and_out(tmp_path):
    path, out = tmp_path / "links.csv.gz", tmp_path / "clean.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n") + gzip.compress(b"b,c\n"))
    loaded = read_graph(path)
    assert loaded.graph.name == "links"
    loaded.write(out, [True, False])
    assert gzip.decompress(out.read_bytes()) == b"a,b\n"
    loaded.write(tmp_path / "again.csv.gz", [True, False])
    assert (tmp_path / "again.csv.gz").read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"a,b\n", gzip.compress(b"a,b\nb,c\n")[:-9], gzip.compress(b"")],
    ids=["plain", "cut short", "empty"],
)
def test_damaged_packed_files_are_refused(tmp_path, refused, content):
    (tmp_path / "g.csv.gz").write_bytes(content)
    assert str(tmp_path) in refused(lambda: read_graph(tmp_path / "g.csv.gz"), error=UnreadableFileError)


def test_a_packed_file_that_unfolds_without_end_is_noticed(tmp_path, refused, monkeypatch):
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(b"a" * 2**26))
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(2**24))
    assert "unpacking" in refused(lambda: read_graph(tmp_path / "g.csv.gz"), error=KCESError)


@st.composite
def written_tables(draw: st.DrawFn) -> tuple[bytes, str]:
    """A CSV file of random cells, quoted where needed or everywhere, and its delimiter."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    name = st.text("abXY19 ,;|'\"éß\n", min_size=1, max_size=5).map(str.strip).filter(bool)
    extra = st.text("ab1,.;|\"'#\n \t", max_size=6)
    rows = draw(st.lists(st.tuples(name, name, extra), min_size=1, max_size=12).filter(has_edge))
    stream = io.StringIO(newline="")
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerows([("source", "target", "note"), *rows])
    mark = draw(st.sampled_from([b"", codecs.BOM_UTF8]))
    return mark + stream.getvalue().encode(), delimiter


def has_edge(rows: list[tuple[str, str, str]]) -> bool:
    return any(source != target for source, target, _ in rows)


@settings(max_examples=150, deadline=None)
@given(table=written_tables())
def test_no_row_is_lost(table):
    content, delimiter = table
    text = content.decode("utf-8-sig")
    expected = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))[1:]
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "g.csv", Path(folder) / "out.csv"
        path.write_bytes(content)
        loaded = read_graph(path, delimiter=delimiter, header=True)
        found = loaded.records.frame
        assert found[["source", "target"]].map(str.strip).values.tolist() == [row[:2] for row in expected]
        loaded.write(out, np.ones(loaded.graph.n_edges, dtype=bool))
        assert out.read_bytes() == content
        assert_one_scored_row_per_record(loaded, len(expected))


def assert_one_scored_row_per_record(loaded, n_records: int) -> None:

    n_edges = loaded.graph.n_edges
    results = pd.DataFrame({"score": np.arange(n_edges) / 2, "rank": np.arange(n_edges, 0, -1)})
    for order in ("input", "ranked"):
        rows = scored_rows(loaded.graph, results, loaded.records, order=order, typed=False)
        assert len(rows) == n_records
        loops = rows["source"].str.strip() == rows["target"].str.strip()
        assert rows["score"].isna().tolist() == loops.tolist()
        if order == "input":
            assert rows["note"].tolist() == loaded.records.frame["note"].tolist()
