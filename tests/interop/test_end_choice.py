"""Headers and ends of edge lists: right, or one clear question."""

from __future__ import annotations

import pytest

from kces.errors import AmbiguousInputError, InvalidParameterError
from kces.interop import read_graph, write_graph
from kces.interop.end_names import is_no_end_name, known_pairs

BY_NAME = [
    *("payer,payee", "sender,receiver", "buyer,seller", "follower,followee", "citing,cited", "caller,callee"),
    *("source,target", "src,dst", "from,to", "u,v", "node1,node2", "head,tail", "start,end", "parent,child"),
    *("From ID,To ID", "source_account,target_account", "src_ip,dst_ip", "account_from,account_to"),
    *(
        "nameOrig,nameDest",
        "FromNodeId,ToNodeId",
        "txId1,txId2",
        "user_a,user_b",
        "Origin,Destination",
        "Source,TARGET",
    ),
]


@pytest.mark.parametrize("names", BY_NAME)
@pytest.mark.parametrize("rows", ["a,b\nb,c\nc,a\n", "1,2\n2,3\n3,1\n", "a,b\nc,d\n"])
def test_known_names_are_a_header_whatever_is_below(text, names, rows):
    loaded = read_graph(text("g.csv", f"{names}\n{rows}"))
    assert len(loaded.records.pairs) == rows.count("\n")
    assert str(loaded.records).startswith("columns {} -> {} (header on line 1)".format(*names.split(",")))


@pytest.mark.parametrize(
    ("content", "columns", "edges"),
    [
        ("tx_id,payer,payee\nt1,a,b\nt2,b,c\n", "payer -> payee (header on line 1)", 2),
        ("payee,amount,payer\na,3,b\nb,4,c\n", "payer -> payee (header on line 1)", 2),
        ("when,left one,other\n2024-01-01,a,b\n2024-01-02,b,c\n", "left one -> other (header on line 1)", 2),
        ("nr,x,y\n7,a,b\n9,b,c\n", "x -> y (header on line 1)", 2),
        ("staff,boss,from,to\na,b,2024-01-01,2024-02-01\nb,c,2024-01-02,\n", "staff -> boss (header on line 1)", 2),
        ("a,b,start,end\np,q,0.5,3.25\nq,r,1,2.5\n", "a -> b (header on line 1)", 2),
        ("nr,x,y\n1,5,6\n2,6,5\n3,7,5\n", "x -> y (header on line 1)", 2),
        ("x,y,share\n5,6,0.5\n6,7,0.25\n", "x -> y (header on line 1)", 2),
        ("x,ok,y\na,true,b\nb,false,c\n", "x -> y (header on line 1)", 2),
        (",source,target\n0,a,b\n1,b,c\n", "source -> target (header on line 1)", 2),
        ("source,target,source_type,target_type\na,b,p,q\nb,c,q,p\n", "source -> target (header on line 1)", 2),
        ("from,to,start,end\na,b,1,2\nb,c,2,3\n", "from -> to (header on line 1)", 2),
        (
            "Date,From Bank,Account,To Bank,Account\n1,1,A1,2,A2\n2,2,A2,3,A3\n",
            "Account -> Account.1 (header on line 1)",
            2,
        ),
        (
            "amountOrig,nameOrig,amountDest,nameDest\n1.5,C1,2.5,C2\n1.5,C2,2.5,C3\n",
            "nameOrig -> nameDest (header on line 1)",
            2,
        ),
        ("customer,shop\nC12,M7\nC13,M7\n", "customer -> shop (header on line 1)", 2),
        ("a,b\nb,c\n", "1 -> 2 (no header)", 2),
        ("a,b,1\nb,c,2\n", "1 -> 2 (no header)", 2),
        ("t1,a,b\nt2,b,c\n", "2 -> 3 (no header)", 2),
        ("node1,node2\nnode2,node3\n", "1 -> 2 (no header)", 2),
        ("a@x.org,b@x.org\nb@x.org,c@x.org\n", "1 -> 2 (no header)", 2),
        ("1,2,5\n2,3,5\n5,1,5\n", "1 -> 2 (no header)", 3),
        ("1,12,3\n2,11,2\n3,2,1\n9,1,3\n4,3,1\n", "1 -> 2 (no header)", 5),
        ("a,b\n", "1 -> 2 (no header)", 1),
        ("# made by hand\n\nsource,target\na,b\n", "source -> target (header on line 3)", 1),
    ],
)
def test_the_evidence_decides(text, content, columns, edges):
    loaded = read_graph(text("g.csv", content))
    assert str(loaded.records).startswith(f"columns {columns}")
    assert loaded.graph.n_edges == edges


def test_unknown_names_above_many_edges_are_a_header(text):
    rows = [f"{'abcdefghij'[i]},{'abcdefghij'[(i * k + 1) % 10]}" for k in (1, 3, 7) for i in range(10)]
    loaded = read_graph(text("g.csv", "\n".join(["whence,whither", *rows]) + "\n"))
    assert str(loaded.records) == "columns whence -> whither (header on line 1), 30 rows"


@pytest.mark.parametrize(
    ("content", "question", "parameters"),
    [
        ("x,y\na,b\nb,c\n", "is line 1 (x,y) a header or an edge?", ("header",)),
        ("ann,bob\ncy,dee\n", "is line 1 (ann,bob) a header or an edge?", ("header",)),
        ("u,v\nv,w\nw,u\n", "is line 1 (u,v) a header or an edge?", ("header",)),
        ("id1,id2\nid3,id4\n", "is line 1 (id1,id2) a header or an edge?", ("header",)),
        ("a,b,c\nb,c,a\nc,a,b\n", "the ends of an edge: number 1, number 2, number 3?", ("source", "target")),
        (
            "from_id,to_id,src_id,dst_id\n1,2,2,1\n2,3,3,2\n",
            "'from_id', 'to_id', 'src_id', 'dst_id'?",
            ("source", "target"),
        ),
        ("n1,n2,n3\n1,2,3\n2,3,1\n3,1,2\n", "the ends of an edge: 'n1', 'n2', 'n3'?", ("source", "target")),
        ("1,1,2\n2,2,3\n3,3,1\n", "the ends of an edge: number 1, number 2, number 3?", ("source", "target")),
        ("what,how much\n0.5,1.5\n0.25,2.5\n", "'what', 'how much'?", ("source", "target")),
        ("weight,amount\n3,4\n5,6\n", "'weight', 'amount'?", ("source", "target")),
        ("id,age\n1,30\n2,40\n", "'id', 'age'?", ("source", "target")),
        ("id,age,income\na,30,1000\nb,31,1010\n", "'age', 'income'?", ("source", "target")),
    ],
)
def test_what_is_ambiguous_is_asked(text, content, question, parameters):
    with pytest.raises(AmbiguousInputError) as caught:
        read_graph(text("g.csv", content))
    assert question in str(caught.value)
    assert caught.value.parameters == parameters
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({"source": "c", "target": "a"}, "c -> a (header on line 1)"),
        ({"source": "C", "target": "A"}, "c -> a (header on line 1)"),
        ({"source": 1, "target": "3", "header": True}, "a -> c (header on line 1)"),
        ({"source": 1, "target": 3, "header": False}, "1 -> 3 (no header)"),
    ],
)
def test_the_caller_answers(text, options, columns):
    loaded = read_graph(text("g.csv", "a,b,c\nb,c,a\nc,a,b\n"), **options)
    assert str(loaded.records).startswith(f"columns {columns}")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"source": "a"}, "give both source and target"),
        ({"source": "a", "target": "a"}, "the same column"),
        ({"source": "a", "target": "z"}, "no column 'z'"),
        ({"source": 1, "target": 9, "header": False}, "no column '9'"),
        ({"delimiter": ",,"}, "one character"),
        ({"delimiter": '"'}, "one character"),
    ],
)
def test_wrong_answers_are_refused(text, refused, options, reason):
    path = text("g.csv", "a,b,c\nb,c,a\nc,a,b\n")
    assert reason in refused(lambda: read_graph(path, **options), error=InvalidParameterError)


def test_options_for_text_do_not_go_with_other_files(tmp_path, text, refused, path_graph):
    write_graph(path_graph, tmp_path / "g.npz")
    assert "no table" in refused(lambda: read_graph(tmp_path / "g.npz", source="a", target="b"))
    path = text("g.jsonl", '{"a": 1, "b": 2}\n')
    assert "no delimited text" in refused(lambda: read_graph(path, header=True))


def test_names_about_the_edge_are_no_ends():
    assert all(map(is_no_end_name, ["tx_id", "Transaction ID", "amount", "", "Unnamed: 0", "timestamp", "isFraud"]))
    assert not any(map(is_no_end_name, ["author", "account", "user_id", "friend"]))
    assert known_pairs(["amount", "amount"]) == []
