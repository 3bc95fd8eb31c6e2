"""The same graph told in another way has the same scores: order of nodes, edges and columns, precision, threads.

What a draw by node number decides has no test here: the random pairs of ``robust``, the probes of the local engine and
the cluster numbers of K-means, in whose place ``paper`` is given labels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import kces
from kces.datasets.builtin import synthetic
from kces.graph import Graph
from kces.interop import read_graph
from kces.types import Array

GRAPH = synthetic(n=40, features=8, seed=5)
FEATURES = np.asarray(GRAPH.features)
LABELS = np.arange(40) % 3
WAYS = {
    "robust": {"preset": "robust"},
    "exact": {"preset": "paper", "engine": "exact", "labels": "given"},
    "local": {"preset": "paper", "engine": "local", "labels": "given"},
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS)
FEW = settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = st.integers(0, 2**32 - 1)


def scores_of(graph: Graph, way: str) -> Array:
    return kces.score_edges(graph, **WAYS[way])


def told(edges: Array = GRAPH.edges, features: Array = FEATURES, labels: Array = LABELS) -> Graph:
    return Graph.from_edges(edges, features, labels=labels)


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


@FEW
@given(seed=SEEDS)
def test_numbering_of_nodes(seed: int) -> None:
    old_of_new = np.random.default_rng(seed).permutation(GRAPH.n_nodes)
    new_of_old = np.argsort(old_of_new)
    renumbered = told(new_of_old[GRAPH.edges], FEATURES[old_of_new], LABELS[old_of_new])
    back = np.sort(old_of_new[renumbered.edges], axis=1)
    order = np.lexsort((back[:, 1], back[:, 0]))
    assert_same(scores_of(renumbered, "exact")[order], scores_of(told(), "exact"))


@EVERY_WAY
def test_features_in_single_precision(way: str) -> None:
    single = FEATURES.astype(np.float32)
    assert (
        scores_of(told(features=single), way).tolist() == scores_of(told(features=single.astype(float)), way).tolist()
    )


@EVERY_WAY
def test_one_and_two_threads(way: str) -> None:
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(scores_of(told(), way))
    assert_same(*found)


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
