from __future__ import annotations

import numpy as np
import pytest

from kces.errors import GraphWarning, InvalidGraphError, UnreadableFileError
from kces.interop import read_graph, write_graph

LINKS = (
    '# people\nweight,Source,Target,note\n2,ann,bob,"a, b"\n1,bob,ann,\n1,bob,cy,007\n\n1,cy,cy,loop\n1,dee,cy,"x"\n'
)


def test_columns_by_name_string_ids_and_repairs(text):
    graph = read_graph(text("links.csv", LINKS)).graph
    assert graph.node_ids.tolist() == ["ann", "bob", "cy", "dee"]
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert (graph.repairs.self_loops, graph.repairs.weighted) == (1, 1)


def test_kept_lines_are_written_as_they_were(text, tmp_path):
    read_graph(text("links.csv", LINKS)).write(tmp_path / "out.csv", [False, True, True])
    expected = '# people\nweight,Source,Target,note\n1,bob,cy,007\n\n1,cy,cy,loop\n1,dee,cy,"x"\n'
    assert (tmp_path / "out.csv").read_text() == expected


def test_windows_line_endings_and_a_missing_last_newline_are_kept(text, tmp_path):
    read_graph(text("l.csv", "0,1\r\n1,2\r\n2,3")).write(tmp_path / "out.csv", [True, False, True])
    assert (tmp_path / "out.csv").read_bytes() == b"0,1\r\n2,3"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("g.csv", "0,1\n1,2\n"),
        ("g.csv", "0;1\n1;2\n"),
        ("g.csv", "\ufeffsource,target\n0,1\n1,2\n"),
        ("g.tsv", "src\tdst\n0\t1\n1\t2\n"),
        ("g.txt", "# comment\n0 1\n 1   2\n"),
        ("g.edges", "0 1 {'a':1,'b':2}\n1 2 {}\n"),
        ("g.edgelist", "0, 1\n1, 2\n"),
        ("g.csv", "from,to,kind\n0,1,x\n1,2,y\n"),
        ("g.csv", "kind,u,v\nx,0,1\ny,1,2\n"),
        ("g.csv", "left,right\n0,1\n1,2\n"),
    ],
)
def test_separators_and_headers_are_found(text, name, content):
    graph = read_graph(text(name, content)).graph
    assert graph.node_ids is None
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_integer_ids_are_sorted_and_kept_as_integers(text):
    graph = read_graph(text("g.csv", "30,10\n10,20\n")).graph
    assert graph.node_ids.tolist() == [10, 20, 30]
    assert graph.edges.tolist() == [[0, 1], [0, 2]]


def test_ids_with_leading_zeros_and_beyond_64_bits_stay_text(text):
    assert read_graph(text("g.csv", "007,7\n")).graph.node_ids.tolist() == ["007", "7"]
    assert read_graph(text("h.csv", f"{2**70},1\n")).graph.node_ids.tolist() == [str(2**70), "1"]


def test_a_graph_is_written_with_its_names(path_graph, tmp_path):
    write_graph(path_graph, tmp_path / "g.csv")
    assert (tmp_path / "g.csv").read_text() == "source,target\nann,bob\nbob,cy\ncy,dee\n"
    write_graph(path_graph, tmp_path / "g.tsv")
    assert (tmp_path / "g.tsv").read_text() == "source\ttarget\nann\tbob\nbob\tcy\ncy\tdee\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("0,1\n1,2,3\n", "line 2 has 3 columns where 2 are expected"),
        ("# c\na,b,c\n\nd,e\n", "line 4 has 2 columns where 3 are expected"),
        ("0\n1\n", "one column"),
        ("# only\n# comments\n", "no records"),
        ('a,"b\nc\nd,e\n', "line 1 opens a quote that never closes"),
        ("a\0,b\n", "binary data"),
    ],
)
def test_damaged_tables_are_refused(text, refused, content, reason):
    assert reason in refused(lambda: read_graph(text("g.csv", content)), error=UnreadableFileError)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("source,target\na,b\na,\n", "line 3 has an empty node id"),
        ("a,a\nb,b\n", "no edges"),
        ("source,target\n", "no nodes"),
    ],
)
def test_unusable_graphs_are_refused(text, refused, content, reason):
    assert reason in refused(lambda: read_graph(text("g.csv", content)), error=InvalidGraphError)


def test_bytes_that_are_no_text_are_refused(tmp_path, refused):
    (tmp_path / "g.csv").write_bytes(bytes(range(128, 256)))
    assert "not UTF-8" in refused(lambda: read_graph(tmp_path / "g.csv"), error=UnreadableFileError)


def test_a_node_that_may_be_a_missing_value_is_pointed_out(text):
    with pytest.warns(GraphWarning, match=r"2 row\(s\) name a node 'NaN', the first on line 3"):
        read_graph(text("g.csv", "source,target\na,b\nNaN,c\nd,NaN\n"))


def test_nothing_is_dropped_by_a_full_mask(text, tmp_path):
    read_graph(text("links.csv", LINKS)).write(tmp_path / "out.csv", np.ones(3, dtype=bool))
    assert (tmp_path / "out.csv").read_text() == LINKS
