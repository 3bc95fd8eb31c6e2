"""The canonical order names the same nodes in the same places, however they are numbered."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kces.canonical_order import canonical_order, structure_colors
from kces.datasets.builtin import synthetic
from kces.datasets.toys import thorny
from kces.graph import Graph
from kces.node_pairs import random_unlinked_pairs
from kces.types import Array, is_sparse

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


def lattice(onehot: bool) -> Graph:
    """Every node has six neighbors and there are as many of each class: the plainest way to tell nodes apart fails."""
    n = 120
    edges = np.concatenate([np.stack([np.arange(n), (np.arange(n) + step) % n], axis=1) for step in (1, 2, 3)])
    classes = np.random.default_rng(3).permutation(np.arange(n) % 4)
    return Graph.from_edges(edges, np.eye(4)[classes] if onehot else np.random.default_rng(0).normal(size=(n, 3)))


def matching() -> Graph:
    return Graph.from_edges(np.arange(80).reshape(-1, 2), np.random.default_rng(1).normal(size=(80, 4)))


def star() -> Graph:
    spokes = np.stack([np.zeros(60, dtype=np.int64), np.arange(1, 61)], axis=1)
    return Graph.from_edges(spokes, sp.random_array((61, 30), density=0.3, random_state=np.random.default_rng(2)))


GRAPHS = {
    "synthetic": synthetic(n=80, features=6, seed=2),
    "thorny": thorny(),
    "lattice": lattice(onehot=False),
    "one-hot lattice": lattice(onehot=True),
    "matching": matching(),
    "star": star(),
    "grid": Graph.from_edges(
        np.array(nx.convert_node_labels_to_integers(nx.grid_2d_graph(9, 9)).edges),
        (np.random.default_rng(4).random((81, 9)) < 0.3).astype(float),
    ),
}


def renumbered(graph: Graph, seed: int) -> tuple[Graph, Array]:
    """Nodes and columns in another order, and the old number of each new node."""
    chance = np.random.default_rng(seed)
    old = chance.permutation(graph.n_nodes)
    features = graph.features[old][:, chance.permutation(graph.n_features)]
    return Graph.from_edges(np.argsort(old)[graph.edges], features), old


def rows_in_order(graph: Graph, order: Array) -> Array:
    """What can be told of each node without its number: sorted features, those around it, and its degree."""
    features = graph.features.toarray() if is_sparse(graph.features) else graph.features
    around = np.sort(features, axis=1), np.sort(graph.adjacency @ features, axis=1)
    return np.hstack([*around, graph.degrees[:, None]])[order]


@pytest.mark.parametrize("name", GRAPHS)
@FEW
@given(seed=SEEDS)
def test_nodes_in_the_same_places_are_alike(name: str, seed: int) -> None:
    graph = GRAPHS[name]
    other, _ = renumbered(graph, seed)
    found = rows_in_order(other, canonical_order(other))
    np.testing.assert_allclose(found, rows_in_order(graph, canonical_order(graph)), atol=1e-9)


@pytest.mark.parametrize("name", ["synthetic", "lattice", "one-hot lattice", "matching", "star", "grid"])
@FEW
@given(seed=SEEDS)
def test_random_pairs_are_the_same_nodes(name: str, seed: int) -> None:
    graph = GRAPHS[name]
    other, old = renumbered(graph, seed)
    expected, found = (random_unlinked_pairs(each, np.random.default_rng(0), size=300) for each in (graph, other))
    assert np.sort(old[found], axis=1).tolist() == expected.tolist()


@pytest.mark.parametrize("scale", [1e6, 1e-6, 3.0, -1.0])
def test_the_unit_of_the_features_plays_no_part(scale: float) -> None:
    graph = GRAPHS["synthetic"]
    other = Graph.from_edges(graph.edges, graph.features * scale)
    assert canonical_order(other).tolist() == canonical_order(graph).tolist()


def test_single_precision_plays_no_part() -> None:
    graph = GRAPHS["synthetic"]
    other = Graph.from_edges(graph.edges, graph.features.astype(np.float32))
    assert canonical_order(other).tolist() == canonical_order(graph).tolist()


def test_colors_tell_neighborhoods_apart_and_twins_not() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [2, 5]])
    colors = structure_colors(graph)
    assert colors[0] == colors[4]
    assert colors[1] == colors[3]
    assert len(set(colors[[0, 1, 2, 5]].tolist())) == 4


def test_nodes_without_edges_are_never_drawn() -> None:
    graph = Graph.from_edges([[0, 1], [2, 3]], np.eye(6), n_nodes=6)
    pairs = random_unlinked_pairs(graph, np.random.default_rng(0), size=200)
    assert set(pairs.ravel().tolist()) == {0, 1, 2, 3}
