"""Inner products of the hops: sparse rows against dense columns, the choice between them, threads, degenerate rows."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from kces.graph import Graph
from kces.node_pairs import random_unlinked_pairs
from kces.scorers import hop_products as routes
from kces.scorers.centred_features import CentredFeatures
from kces.scorers.dense_hops import HopProducts, dense_products
from kces.scorers.hop_products import sparse_is_cheaper
from kces.scorers.leading_directions import leading_by_covariance, leading_by_iteration
from kces.scorers.link_cosines import leave_edge_out_cosines
from kces.scorers.pairs_by_source import group_pairs, pairs_and_edges
from kces.scorers.sparse_hops import sparse_products

N_NODES = 60


def hard_graph(features: sp.csr_array | None, seed: int = 0) -> Graph:
    """A hub, triangles, twins 1 and 2, leaves of the hub, chance links and three isolated nodes at the end."""
    generator = np.random.default_rng(seed)
    hub = [(0, node) for node in range(1, 30)]
    clique = [(1, 3), (2, 3), (1, 4), (2, 4), (3, 4)]
    chance = generator.integers(30, N_NODES - 3, size=(60, 2))
    edges = np.concatenate([hub, clique, [(29, 30)], chance[chance[:, 0] != chance[:, 1]]])
    return Graph.from_edges(edges, features, n_nodes=N_NODES)


def few_words(n_columns: int, per_node: int, seed: int = 1) -> sp.csr_array:
    """Twins 1 and 2 have the same words, nodes 5, 31 and the last have none."""
    generator = np.random.default_rng(seed)
    words = np.zeros((N_NODES, n_columns))
    rows = np.repeat(np.arange(N_NODES), per_node)
    words[rows, generator.integers(n_columns, size=len(rows))] = generator.random(len(rows)) + 0.1
    words[2] = words[1]
    words[[5, 31, N_NODES - 1]] = 0.0
    return sp.csr_array(words)


FEATURES = {
    "identity": None,
    "few words": few_words(500, 4),
    "many words": few_words(40, 15),
    "signed": few_words(80, 6) - few_words(80, 6, seed=2),
}


@pytest.fixture(params=FEATURES)
def graph(request: pytest.FixtureRequest) -> Graph:
    return hard_graph(FEATURES[request.param])


@pytest.fixture
def both_threads() -> Iterator[list[int]]:
    before = numba.get_num_threads()
    yield sorted({1, before})
    numba.set_num_threads(before)


def some_pairs(graph: Graph) -> np.ndarray:
    return np.concatenate([graph.edges, random_unlinked_pairs(graph, np.random.default_rng(0), size=200)])


def by_sparse_rows(graph: Graph, features: CentredFeatures, pairs: np.ndarray) -> HopProducts:
    wanted, which = pairs_and_edges(graph, pairs)
    return sparse_products(graph, features, wanted, group_pairs(graph, wanted)).at(which)


def sparse_features(graph: Graph, centred: bool) -> CentredFeatures:
    stored = sp.csr_array(graph.features)
    return CentredFeatures.of(stored) if centred else CentredFeatures(stored)


@pytest.mark.parametrize("centred", [True, False])
def test_sparse_rows_give_the_products_of_dense_columns(graph: Graph, centred: bool) -> None:
    features, pairs = sparse_features(graph, centred), some_pairs(graph)
    expected, found = dense_products(graph, features, pairs), by_sparse_rows(graph, features, pairs)
    np.testing.assert_allclose(found.at_pairs, expected.at_pairs, atol=1e-13)
    np.testing.assert_allclose(found.at_nodes, expected.at_nodes, atol=1e-13)


def test_a_single_pair_needs_only_the_edges_at_its_ends(graph: Graph) -> None:
    features, pairs = sparse_features(graph, centred=True), np.array([[3, 40]])
    expected, found = dense_products(graph, features, pairs), by_sparse_rows(graph, features, pairs)
    np.testing.assert_allclose(found.at_pairs, expected.at_pairs, atol=1e-13)
    np.testing.assert_allclose(found.at_nodes[[3, 40]], expected.at_nodes[[3, 40]], atol=1e-13)


@pytest.mark.parametrize("leave_out", [True, False])
def test_cosines_do_not_depend_on_the_route(graph: Graph, leave_out: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    features, pairs, cosines = sparse_features(graph, centred=True), some_pairs(graph), []
    for sparse in (True, False):
        monkeypatch.setattr(routes, "sparse_is_cheaper", lambda *_, n_pairs, answer=sparse: answer)
        cosines.append(leave_edge_out_cosines(graph, features, pairs, leave_out=leave_out))
    np.testing.assert_allclose(cosines[0], cosines[1], atol=1e-10)
    assert np.abs(cosines[0]).max() > 0.1


def test_what_the_mean_cancels_is_zero_in_both_routes() -> None:
    same = sp.csr_array(np.tile([[0.3, 0.0, 0.7]], (N_NODES, 1)))
    graph = hard_graph(same)
    features = CentredFeatures.of(same)
    found = by_sparse_rows(graph, features, graph.edges)
    assert not np.einsum("naa->na", found.at_nodes)[:, 0].any()
    complete = Graph.from_edges(np.stack(np.triu_indices(12, 1), axis=1))  # T sends every centred row to zero
    assert not leave_edge_out_cosines(complete, sparse_features(complete, True), complete.edges, leave_out=False)[
        :, 3
    ].any()


def test_threads_do_not_change_a_bit(graph: Graph, both_threads: list[int]) -> None:
    features, pairs, found = sparse_features(graph, centred=True), some_pairs(graph), []
    for threads in both_threads:
        numba.set_num_threads(threads)
        found.append([route(graph, features, pairs).at_pairs for route in (by_sparse_rows, dense_products)])
    for sparse, dense in found:
        np.testing.assert_array_equal(sparse, found[0][0])
        np.testing.assert_array_equal(dense, found[0][1])


@pytest.mark.parametrize(
    ("n_columns", "per_node", "expected"),
    [(2**20, 4, True), (5_000, 4, True), (5, 5, False), (1, 1, False), (40, 30, False)],
)
def test_the_route_is_chosen_by_sizes(n_columns: int, per_node: int, expected: bool) -> None:
    columns = np.tile(np.arange(per_node), N_NODES)
    rows = np.repeat(np.arange(N_NODES), per_node)
    words = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(N_NODES, n_columns))
    graph = hard_graph(words)
    groups = group_pairs(graph, graph.edges)
    assert sparse_is_cheaper(graph, CentredFeatures(words), groups, n_pairs=graph.n_edges) is expected


def test_leading_directions_span_the_same_space_by_both_ways() -> None:
    graph = hard_graph(few_words(20, 8))
    features = sparse_features(graph, centred=True)
    spaces = [find(graph, features, 5, 0) for find in (leading_by_covariance, leading_by_iteration)]
    np.testing.assert_allclose(spaces[0] @ spaces[0].T, spaces[1] @ spaces[1].T, atol=1e-9)
