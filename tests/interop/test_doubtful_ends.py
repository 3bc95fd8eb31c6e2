"""Ends that are read without an error and may mean something else: said, asked or refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import pytest

import kces
from kces.errors import AmbiguousInputError, GraphWarning, InvalidGraphError, UnreadableFileError
from kces.interop import read_graph
from kces.interop.end_names import are_two_kinds

PEOPLE = "\n".join(f"P{number:02},{20 + number},{'NO' if number % 2 else 'SE'}" for number in range(30))
LINKS = "payer,payee\n" + "\n".join(f"P{number:02},P{(7 * number + 1) % 30:02}" for number in range(30))


def said_of(path: Path) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_graph(path)
    return [str(each.message) for each in caught if issubclass(each.category, GraphWarning)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("007,8\n8,9\n9,7", "'007' and '7' are taken for two nodes; 1 name(s) differ by the way a number is written"),
        ("61,8\n8,61.0\na,b", "'61' and '61.0' are taken for two nodes"),
        ('1003,8\n8,"1,003"\na,b', "'1003' and '1,003' are taken for two nodes"),
    ],
)
def test_numbers_written_in_two_ways(text, rows: str, expected: str) -> None:
    assert any(expected in line for line in said_of(text("links.csv", f"from,to\n{rows}\n")))


@pytest.mark.parametrize("rows", ["7,8\n8,9", "007,008\n008,009", "1.0,2.0\n2.0,3.0", "a,b\nb,10"])
def test_numbers_written_in_one_way(text, rows: str) -> None:
    assert not any("two nodes" in line for line in said_of(text("links.csv", f"from,to\n{rows}\n")))


def test_numbers_of_two_kinds_of_nodes(text) -> None:
    said = said_of(text("ratings.csv", "userId,movieId,rating\n5,7,3.5\n7,9,4\n8,5,1.5\n"))
    assert said[0].endswith(
        "2 number(s) are in 'userId' and in 'movieId', and each is taken for one node; if userId 5 is not movieId 5,"
        " put a letter before the numbers of one column"
    )


@pytest.mark.parametrize(
    "content",
    [
        "payer_id,payee_id\n5,7\n7,9\n",
        "account_1,account_2\n5,7\n7,9\n",
        "userId,movieId\n5,77\n7,99\n",
        "user,movie\nu5,m7\nu7,m5\n",
        "5,7\n7,9\n",
    ],
)
def test_numbers_of_one_kind_or_apart(text, content: str) -> None:
    assert not any("taken for one node" in line for line in said_of(text("links.csv", content)))


def test_two_kinds_in_a_frame() -> None:
    frame = pd.DataFrame({"customer": [1, 2, 3], "merchant": [2, 9, 8]})
    with pytest.warns(GraphWarning, match="1 number"):
        kces.score_edges(frame)
    assert are_two_kinds("customer_id", "merchant_id")


@pytest.mark.parametrize("row", ["Total,484", "TOTAL,TOTAL", "Summe,3"])
def test_a_total_with_both_cells_filled(text, row: str) -> None:
    with pytest.raises(InvalidGraphError, match=r"line 4 is an edge from .* \(a total\?\); delete the row"):
        read_graph(text("links.csv", f"from,to\na,b\nb,c\n{row}\n"))


def test_a_company_called_total(text) -> None:
    assert read_graph(text("links.csv", "from,to\nShell,BP\nBP,Eni\nTotal,BP\n")).graph.n_nodes == 4


def test_the_rule_of_a_markdown_table(text) -> None:
    with pytest.raises(InvalidGraphError, match="line 2 is a rule between lines"):
        read_graph(text("links.csv", "|from|to|\n|---|---|\n|a|b|\n"), delimiter="|", source=2, target=3)


def test_a_table_of_nodes_in_place_of_links(text) -> None:
    with pytest.raises(AmbiguousInputError, match="looks like a table of nodes"):
        read_graph(text("people.csv", f"account,age,country\n{PEOPLE}\n"))


@pytest.mark.parametrize("title", ["Customer list 2024,,", "Customer list 2024,,\n,,"])
def test_a_title_above_a_table_of_nodes(text, title: str) -> None:
    people = text("people.csv", f"{title}\naccount,age,country\n{PEOPLE}\n")
    with pytest.raises(UnreadableFileError, match="line 1 holds 'Customer list 2024' alone"):
        read_graph(text("links.csv", LINKS), features=people)


def test_columns_of_several_levels() -> None:
    links = pd.DataFrame([line.split(",") for line in LINKS.splitlines()[1:]], columns=["payer", "payee"])
    people = pd.DataFrame([line.split(",") for line in PEOPLE.splitlines()], columns=["account", "age", "country"])
    levels = people.set_axis(pd.MultiIndex.from_product([["a"], people.columns]), axis=1)
    with pytest.raises(InvalidGraphError, match="column names of several levels"):
        kces.sanitize((links, levels))


def test_no_edges_and_a_table_of_nodes_say_nothing_of_numpy() -> None:
    links = pd.DataFrame({"payer": ["P00"], "payee": ["P01"]}).iloc[:0]
    people = pd.DataFrame({"account": ["P00", "P01"], "age": [3.0, 4.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert len(kces.sanitize((links, people))) in (0, 2)
