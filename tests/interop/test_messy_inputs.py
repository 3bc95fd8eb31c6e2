"""Files as people have them, of which each was once read wrong, or refused with a word that led astray."""

from __future__ import annotations

import json

import pytest

from kces.errors import GraphWarning
from kces.interop import read_graph

MATRIX = "0,1,1,0\n1,0,0,1\n1,0,0,0\n0,1,0,0\n"
NAMED = ",a,b,c,d\n" + "".join(f"{name},{row}\n" for name, row in zip("abcd", MATRIX.splitlines(), strict=True))
LINKS = "payer,payee,amount\nann,bob,5\nbob,cy,7\ncy,ann,9\n"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("g.csv", MATRIX, "is an adjacency matrix (4 x 4), no list of edges; save it with scipy.sparse.save_npz"),
        ("g.csv", NAMED, "is an adjacency matrix (4 x 4)"),
        ("g.txt", MATRIX.replace(",", " "), "is an adjacency matrix"),
        ("g.csv", "0,2,3\n2,0,1\n3,1,0\n", "is an adjacency matrix"),
        ("g.xlsx", "PK", "unknown format; save the sheet as CSV"),
        ("g.gml", "graph []", "read it with NetworkX and write it with networkx.write_graphml"),
        ("g.gpickle", "x", "it can run code and is never loaded"),
        ("g.csv", "PK\x03\x04\x07\x08", "is an Excel file or another zip archive under the name of text"),
        ("g.csv", "SQLite format 3\x00", "is a database under the name of text"),
        ("g.csv", LINKS + "Total,,21\n", "line 5 has an empty node id (a total?); fill it in or delete the row"),
        (
            "g.csv",
            LINKS + "21 in all\n",
            "line 5 has 1 column where 3 are expected; if it is a remark or a total below",
        ),
        ("g.csv", "Bank export 2024\n\n" + LINKS, "line 1 has 1 column where 3 are expected; if it is a title above"),
        ("g.csv", "Bank export,,\n" + LINKS, "line 1 holds 'Bank export' alone, which is no header and no row"),
        ("g.csv", LINKS + LINKS, "line 5 has the header of line 1 again; delete it"),
        ("g.csv", "payer,payee\na,a\nb,b\n", "the graph has no edges: it has 2 self-loop(s) and nothing else"),
        ("g.json", '{"source": ["a"], "target": ["b"]}', "but 'source', 'target'; save it as a list of records"),
        ("g.json", '[{"source": {"id": "a"}, "target": "b"}]', "node ids are integers or text: give the id alone"),
    ],
)
def test_refused_with_the_remedy(text, refused, name, content, reason):
    assert reason in refused(lambda: read_graph(text(name, content)))


def test_a_header_that_is_said_to_be_there_is_looked_for_again(text, refused):
    assert "again; delete it" in refused(lambda: read_graph(text("g.csv", LINKS + LINKS), header=True))


def test_three_edges_with_weights_are_no_matrix(text):
    assert read_graph(text("g.csv", "1,2,5\n2,3,4\n3,1,4\n"), source=1, target=2, header=False).graph.n_edges == 3
    assert read_graph(text("h.csv", "u,v,w\n1,0,1\n0,2,1\n2,3,0\n")).graph.n_edges == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("payer,payee\nann,bob\nAnn,cy\n", "'ann' and 'Ann' are taken for two nodes; 1 name"),
        ("payer,payee\nann  x,bob\nann x,cy\n", "differ by case, blanks or hidden marks alone"),
        ("payer,payee\n1.02E+15,ann\n1.03E+15,bob\n", "2 node(s) are called like '1.02E+15': a spreadsheet may have"),
    ],
)
def test_doubtful_names_are_taken_as_they_are_and_warned_of(text, content, said):
    with pytest.warns(GraphWarning) as caught:
        read_graph(text("g.csv", content))
    assert said in str(caught[0].message)


def test_what_a_json_file_says_about_its_nodes_is_not_lost_without_a_word(text):
    document = {"nodes": [{"id": "a", "age": 3}, {"id": "b", "age": 4}], "links": [{"source": "a", "target": "b"}]}
    file = text("g.json", json.dumps(document))
    with pytest.warns(GraphWarning, match="describes 2 nodes, which is not used; name the file as the features too"):
        read_graph(file)
    assert read_graph(file, features=file).graph.feature_names == ("age near 3", "age near 3.5", "age near 4")


class TestFeatures:
    def test_a_row_that_is_there_twice_is_taken_once_and_another_is_refused(self, text, refused):
        links = text("g.csv", LINKS)
        table = "id,age\nann,3\nbob,4\nann,3\ncy,5\n"
        loaded = read_graph(links, features=text("twice.csv", table))
        assert loaded.notes[0] == "1 row(s) that are there twice, cell by cell, taken once"
        assert loaded.graph.n_nodes == 3
        other = text("other.csv", table.replace("ann,3\ncy", "ann,9\ncy"))
        reason = refused(lambda: read_graph(links, features=other))
        assert "line 4 names node 'ann' a second time, after line 2, with other values; leave one row" in reason

    def test_rows_without_a_link_are_counted(self, text):
        table = text("people.csv", "id,age\nann,3\nbob,4\ncy,5\nzoe,6\n")
        notes = read_graph(text("g.csv", LINKS), features=table).notes
        assert "1 of 4 rows are nodes without a link, such as zoe" in notes

    @pytest.mark.parametrize(
        ("links", "table", "hint"),
        [
            (LINKS, "id,age\nAnn,3\nBob,4\nCy,5\n", "'Ann' is there: do names differ by case or blanks?"),
            ("from,to\n0042,0007\n0007,0001\n", "id,age\n42,3\n7,4\n1,5\n", "'42' is there: were leading zeros lost?"),
        ],
    )
    def test_names_that_do_not_match_are_compared(self, text, refused, links, table, hint):
        assert hint in refused(lambda: read_graph(text("g.csv", links), features=text("x.csv", table)))
