"""Natural calls that are wrong: each ends in one line that says how to say it."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import kces
from kces.errors import InvalidParameterError, briefly

E = pd.DataFrame({"payer": ["a", "b", "c", "a"], "payee": ["b", "c", "a", "d"]})
N = pd.DataFrame({"id": list("abcd"), "vip": [1, 0, 1, 1], "age": [20, 30, 25, 40]})
DOORS = {
    "score": kces.score,
    "score_edges": kces.score_edges,
    "find_suspicious_edges": kces.find_suspicious_edges,
    "sanitize": kces.sanitize,
    "rank_edges": kces.rank_edges,
    "explain": lambda graph, **keywords: kces.explain(graph, "a", "b", **keywords),
    "gkc": kces.gkc,
    "KCES": lambda graph, **keywords: kces.KCES(**keywords).fit(graph),
    "fit": lambda graph, **keywords: kces.KCES().fit(graph, **keywords),
}
doors = pytest.mark.parametrize("name", DOORS)


def in_one_line(call: Callable[[], object], kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 250
    return message


@doors
@pytest.mark.parametrize("keyword", ["features", "nodes", "people"])
def test_a_table_of_nodes_as_a_keyword(name: str, keyword: str) -> None:
    message = in_one_line(lambda: DOORS[name](E, **{keyword: N}), TypeError)
    call = "KCES().fit" if name in ("KCES", "fit") else name
    assert message == (
        f"{name}() has no keyword '{keyword}';"
        f" give a table of nodes with the edges, as a pair: kces.{call}((edges, nodes))"
    )


@doors
def test_another_unknown_keyword(name: str) -> None:
    message = in_one_line(lambda: DOORS[name](E, prest="paper"), TypeError)
    known = "progress" if name == "fit" else "seed" if name == "gkc" else "preset"
    assert message.startswith(f"{name}() has no keyword 'prest'; it has ")
    assert known in message.partition("it has")[2]
    assert "Options" not in message


def test_all_keywords_of_paper_are_named() -> None:
    message = in_one_line(lambda: kces.rank_edges(E, cluster=3), TypeError)
    assert message.endswith("engine, engine_options, encoding, clusters, ridge, signed")


def test_columns_are_said_with_from_pandas() -> None:
    message = in_one_line(lambda: kces.rank_edges(E, source="payer"), TypeError)
    assert message.endswith("give the graph as kces.Graph.from_pandas(edges, nodes, source=...)")


@pytest.mark.parametrize(
    "call",
    [
        lambda: kces.sanitize(E, N),
        lambda: kces.rank_edges(E, N),
        lambda: kces.rank_edges(E, N, 0.1),
        lambda: kces.score_edges(E, N),
        lambda: kces.find_suspicious_edges(E, N.to_numpy()),
        lambda: kces.explain(E, N, "a", "b"),
        lambda: kces.KCES(E),
        lambda: kces.KCES().fit(E, N),
        lambda: kces.KCES().fit_transform(E, N),
    ],
)
def test_a_table_of_nodes_beside_the_graph(call: Callable[[], object]) -> None:
    message = in_one_line(call, InvalidParameterError)
    assert "takes one graph; give a table of nodes with the edges, as a pair: kces." in message


@pytest.mark.parametrize("alpha", [N, N["vip"], [0.1] * 50, np.ones(60), "x" * 300, {1: 2}, 7, None], ids=briefly)
def test_a_wrong_alpha_is_shown_in_a_few_characters(alpha: object) -> None:
    message = in_one_line(lambda: kces.sanitize(E, alpha=alpha), InvalidParameterError)
    assert len(message) < 100
    assert message.endswith(f"got {briefly(alpha)}")


def test_signatures_and_names_stay() -> None:
    assert list(inspect.signature(kces.sanitize).parameters)[:2] == ["graph", "alpha"]
    assert kces.sanitize.__name__ == "sanitize"
    assert kces.KCES(0.1, preset="paper").get_params()["preset"] == "paper"
    assert len(kces.sanitize((E, N), 0.0)[0]) == len(E)
