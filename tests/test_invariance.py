"""The same graph told in another way has the same scores: order of nodes, edges and columns, precision, threads.

Features of other scales are in ``test_strange_numbers.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import kces
from kces.datasets.builtin import synthetic
from kces.engines import ENGINES
from kces.graph import Graph
from kces.interop import read_graph
from kces.types import Array, Features

GRAPH = synthetic(n=40, features=8, seed=5)
FEATURES = np.asarray(GRAPH.features)
WAYS = {
    "robust": {"preset": "robust"},
    **{name: {"preset": "paper", "engine": name, "signed": True} for name in ENGINES},
    "gmm": {"preset": "paper", "engine": "exact", "labels": "gmm", "clusters": 3},
    "spectral": {"preset": "paper", "engine": "exact", "labels": "spectral", "clusters": 3},
    "k by silhouette": {"preset": "paper", "engine": "exact", "encoding": "onehot"},
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS)
FEW = settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)


def scores_of(graph: Graph, way: str) -> Array:
    return kces.score_edges(graph, **WAYS[way])


def told(edges: Array = GRAPH.edges, features: Array = FEATURES) -> Graph:
    return Graph.from_edges(edges, features)


def renumbered(graph: Graph, seed: int) -> tuple[Graph, Array]:
    """Nodes, edges and columns in another order, and where each of the old edges is among the new ones."""
    chance = np.random.default_rng(seed)
    old_of_new = chance.permutation(graph.n_nodes)
    new_of_old = np.argsort(old_of_new)
    columns = chance.permutation(graph.n_features)
    edges = chance.permuted(chance.permutation(new_of_old[graph.edges]), axis=1)
    other = Graph.from_edges(edges, graph.features[old_of_new][:, columns])
    back = np.sort(old_of_new[other.edges], axis=1)
    return other, np.lexsort((back[:, 1], back[:, 0]))


def assert_same(found: Array, expected: Array, rtol: float = 1e-8) -> None:
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max())


@EVERY_WAY
@FEW
@given(seed=SEEDS)
def test_order_and_direction_of_edges(way: str, seed: int) -> None:
    chance = np.random.default_rng(seed)
    edges = chance.permuted(chance.permutation(GRAPH.edges), axis=1)
    assert scores_of(told(edges), way).tolist() == scores_of(told(), way).tolist()


@EVERY_WAY
@FEW
@given(seed=SEEDS)
def test_order_of_columns(way: str, seed: int) -> None:
    columns = np.random.default_rng(seed).permutation(FEATURES.shape[1])
    assert_same(scores_of(told(features=FEATURES[:, columns]), way), scores_of(told(), way))


@EVERY_WAY
@FEW
@given(seed=SEEDS)
def test_numbering_of_nodes_and_columns(way: str, seed: int) -> None:
    other, order = renumbered(GRAPH, seed)
    assert_same(scores_of(other, way)[order], scores_of(told(), way))


def test_the_automatic_cut_of_a_larger_graph() -> None:
    """The graph of which relabeling once moved the cut by four percent."""
    graph = synthetic(n=3000, seed=1)
    other, order = renumbered(graph, 7)
    expected, found = kces.score(graph), kces.score(other)
    assert_same(found.scores[order], expected.scores)
    assert found.cut().kept[order].tolist() == expected.cut().kept.tolist()


@EVERY_WAY
def test_features_in_single_precision(way: str) -> None:
    single = FEATURES.astype(np.float32)
    assert (
        scores_of(told(features=single), way).tolist() == scores_of(told(features=single.astype(float)), way).tolist()
    )


@EVERY_WAY
def test_single_and_double_precision_differ_by_their_rounding(way: str) -> None:
    assert_same(scores_of(told(features=FEATURES.astype(np.float32)), way), scores_of(told(), way), rtol=1e-3)


@EVERY_WAY
def test_one_and_two_threads(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for threads in (1, 2):
        monkeypatch.setenv("KCES_NUM_THREADS", str(threads))  # our own loops; the libraries' are limited beside
        with threadpool_limits(threads):
            found.append(scores_of(told(), way))
    assert_same(*found)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_nodes_without_a_link_have_no_say(form: Callable[[Array], Features]) -> None:
    """Customers of one home market who never paid once moved the mean, and the cut went for sound payments."""
    graph = synthetic(n=300, features=30, seed=3)
    features = np.where(graph.features > 0.5, graph.features, 0.0)
    strangers = np.tile(features[:5], (200, 1))
    alone = Graph.from_edges(graph.edges, form(features))
    beside = Graph.from_edges(graph.edges, form(np.vstack([features, strangers])))
    expected, found = kces.score(alone), kces.score(beside)
    assert_same(found.scores, expected.scores)
    assert found.cut().kept.tolist() == expected.cut().kept.tolist()


def test_rows_of_customers_without_a_payment_change_no_verdict(tmp_path: Path) -> None:
    graph, chance = synthetic(n=120, features=2, seed=4), np.random.default_rng(0)
    (tmp_path / "pay.csv").write_text("payer,payee\n" + "\n".join(f"A{i:03},A{j:03}" for i, j in graph.edges))
    people = pd.DataFrame({"account": [f"A{i:03}" for i in range(120)], "income": 2500 + 900 * graph.features[:, 0]})
    people["age"] = 40 + 12 * graph.features[:, 1]
    others = people.iloc[chance.integers(0, 10, 1000)].assign(account=[f"X{i}" for i in range(1000)])
    people.to_csv(tmp_path / "people.csv", index=False)
    pd.concat([people, others]).to_csv(tmp_path / "all.csv", index=False)
    scored = [
        kces.score(read_graph(tmp_path / "pay.csv", features=tmp_path / name).graph)
        for name in ("people.csv", "all.csv")
    ]
    assert_same(scored[1].scores, scored[0].scores)
    assert scored[1].cut().kept.tolist() == scored[0].cut().kept.tolist()


@FEW
@given(seed=SEEDS)
def test_rows_of_a_file_given_twice(tmp_path: Path, seed: int) -> None:
    chance = np.random.default_rng(seed)
    once = [f"{source},{target}" for source, target in GRAPH.edges]
    twice = [*once, *(once[row] for row in chance.integers(0, len(once), 20))]
    (tmp_path / "once.csv").write_text("\n".join(once))
    (tmp_path / "twice.csv").write_text("\n".join(twice))
    first, second = (read_graph(tmp_path / name).graph for name in ("once.csv", "twice.csv"))
    assert first.edges.tolist() == second.edges.tolist()
    assert second.repairs.duplicates == 20
