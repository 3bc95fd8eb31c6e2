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
from kces.scorers.block_hops import products_by_blocks, squares_by_blocks
from kces.scorers.centered_features import CenteredFeatures
from kces.scorers.dense_hops import dense_products
from kces.scorers.followed_hops import products_by_following, squares_by_following
from kces.scorers.gram_hops import gram_is_quick, gram_products
from kces.scorers.hop_products import cheapest_route, smoothed_squares
from kces.scorers.leading_directions import leading_by_covariance, leading_by_iteration
from kces.scorers.link_cosines import leave_edge_out_cosines
from kces.scorers.pair_products import HopProducts
from kces.scorers.pairs_by_source import group_pairs, pairs_and_edges
from kces.scorers.sparse_hops import SparseRoute, sparse_products, sparse_squares

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


def by_sparse_rows(route: SparseRoute, graph: Graph, features: CenteredFeatures, pairs: np.ndarray) -> HopProducts:
    wanted, which = pairs_and_edges(graph, pairs)
    return sparse_products(graph, features, wanted, group_pairs(graph, wanted), route).at(which)


def sparse_features(graph: Graph, centered: bool) -> CenteredFeatures:
    stored = sp.csr_array(graph.features)
    return CenteredFeatures.of(stored) if centered else CenteredFeatures(stored)


SPARSE_ROUTES = (products_by_following, products_by_blocks)


@pytest.mark.parametrize("route", SPARSE_ROUTES)
@pytest.mark.parametrize("centered", [True, False])
def test_sparse_rows_give_the_products_of_dense_columns(graph: Graph, centered: bool, route: SparseRoute) -> None:
    features, pairs = sparse_features(graph, centered), some_pairs(graph)
    expected, found = dense_products(graph, features, pairs), by_sparse_rows(route, graph, features, pairs)
    np.testing.assert_allclose(found.at_pairs, expected.at_pairs, atol=1e-13)
    np.testing.assert_allclose(found.at_nodes, expected.at_nodes, atol=1e-13)


@pytest.mark.parametrize("route", SPARSE_ROUTES)
def test_a_single_pair_needs_only_the_edges_at_its_ends(graph: Graph, route: SparseRoute) -> None:
    features, pairs = sparse_features(graph, centered=True), np.array([[3, 40]])
    expected, found = dense_products(graph, features, pairs), by_sparse_rows(route, graph, features, pairs)
    np.testing.assert_allclose(found.at_pairs, expected.at_pairs, atol=1e-13)
    np.testing.assert_allclose(found.at_nodes[[3, 40]], expected.at_nodes[[3, 40]], atol=1e-13)


@pytest.mark.parametrize("centered", [True, False])
def test_squared_lengths_do_not_depend_on_the_route(graph: Graph, centered: bool) -> None:
    features = sparse_features(graph, centered)
    expected = dense_products(graph, features, graph.edges[:0]).at_nodes[:, 2, 2]
    for route in (squares_by_following, squares_by_blocks):
        np.testing.assert_allclose(sparse_squares(graph, features, route), expected, atol=1e-13)
    np.testing.assert_allclose(smoothed_squares(graph, features), expected, atol=1e-13)


@pytest.mark.parametrize("leave_out", [True, False])
def test_cosines_do_not_depend_on_the_route(graph: Graph, leave_out: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    features, pairs, cosines = sparse_features(graph, centered=True), some_pairs(graph), []
    for route in ("dense", "follow", "blocks", "gram"):
        monkeypatch.setattr(routes, "gram_is_quick", lambda *_, answer=route == "gram": answer)
        monkeypatch.setattr(routes, "cheapest_route", lambda *_, n_pairs, answer=route: answer)
        cosines.append(leave_edge_out_cosines(graph, features, pairs, leave_out=leave_out))
    for found in cosines[1:]:
        np.testing.assert_allclose(found, cosines[0], atol=1e-10)
    assert np.abs(cosines[0]).max() > 0.1


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("dense", [True, False])
def test_gram_matrices_give_the_products_of_dense_columns(graph: Graph, dense: bool, centered: bool) -> None:
    stored = graph.features.toarray() if dense else sp.csr_array(graph.features)
    features, pairs = CenteredFeatures.of(stored) if centered else CenteredFeatures(stored), some_pairs(graph)
    expected, found = dense_products(graph, features, pairs), gram_products(graph, features, pairs)
    np.testing.assert_allclose(found.at_pairs, expected.at_pairs, atol=1e-13)
    np.testing.assert_allclose(found.at_nodes, expected.at_nodes, atol=1e-13)


def test_gram_matrices_are_for_few_nodes_with_few_links_and_products() -> None:
    def quick(n_nodes: int, n_edges: int, features: np.ndarray | sp.csr_array) -> bool:
        edges = np.stack([end[:n_edges] for end in np.triu_indices(n_nodes, 1)], axis=1)
        return gram_is_quick(Graph.from_edges(edges, n_nodes=n_nodes), CenteredFeatures(features))

    assert quick(2_048, 1_000, np.ones((2_048, 64)))
    assert not quick(2_049, 1_000, np.ones((2_049, 1)))  # too many nodes
    assert not quick(2_000, 200_000, np.ones((2_000, 1)))  # too many links
    assert not quick(2_048, 1_000, np.ones((2_048, 2_000)))  # too many columns
    assert quick(2_048, 1_000, sp.eye_array(2_048, 2**20, format="csr"))  # of which few are filled


@pytest.mark.parametrize("dense", [True, False])
def test_what_the_mean_cancels_is_zero_in_gram_matrices(dense: bool) -> None:
    same = np.tile([[0.3, 0.0, 0.7]], (N_NODES, 1))
    features = CenteredFeatures.of(same if dense else sp.csr_array(same))
    graph = hard_graph(sp.csr_array(same))
    assert not leave_edge_out_cosines(graph, features, graph.edges).any()
    complete = Graph.from_edges(np.stack(np.triu_indices(12, 1), axis=1))  # T sends every centered row to zero
    numbered = CenteredFeatures.of(np.eye(12) if dense else sp.csr_array(np.eye(12)))
    assert not leave_edge_out_cosines(complete, numbered, complete.edges, leave_out=False)[:, 3].any()


@pytest.mark.parametrize("route", SPARSE_ROUTES)
def test_what_the_mean_cancels_is_zero_in_every_route(route: SparseRoute) -> None:
    same = sp.csr_array(np.tile([[0.3, 0.0, 0.7]], (N_NODES, 1)))
    graph = hard_graph(same)
    features = CenteredFeatures.of(same)
    found = by_sparse_rows(route, graph, features, graph.edges)
    assert not np.einsum("naa->na", found.at_nodes)[:, 0].any()
    complete = Graph.from_edges(np.stack(np.triu_indices(12, 1), axis=1))  # T sends every centered row to zero
    assert not leave_edge_out_cosines(complete, sparse_features(complete, True), complete.edges, leave_out=False)[
        :, 3
    ].any()


def test_threads_do_not_change_a_bit(graph: Graph, both_threads: list[int]) -> None:
    features, pairs, found = sparse_features(graph, centered=True), some_pairs(graph), []
    for threads in both_threads:
        numba.set_num_threads(threads)
        found.append(
            [by_sparse_rows(route, graph, features, pairs).at_pairs for route in SPARSE_ROUTES]
            + [route(graph, features, pairs).at_pairs for route in (dense_products, gram_products)]
        )
    for route, first in enumerate(found[0]):
        np.testing.assert_array_equal(found[-1][route], first)


@pytest.mark.parametrize(
    ("n_columns", "per_node", "expected"),
    [(2**20, 4, "follow"), (5_000, 4, "follow"), (5, 5, "dense"), (1, 1, "dense"), (40, 30, "dense")],
)
def test_the_route_is_chosen_by_sizes(n_columns: int, per_node: int, expected: str) -> None:
    columns = np.tile(np.arange(per_node), N_NODES)
    rows = np.repeat(np.arange(N_NODES), per_node)
    words = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(N_NODES, n_columns))
    graph = hard_graph(words)
    groups = group_pairs(graph, graph.edges)
    assert cheapest_route(graph, CenteredFeatures(words), groups, n_pairs=graph.n_edges) == expected


def test_sources_share_a_visit_where_three_steps_reach_everyone() -> None:
    n, words = 300, sp.random_array((300, 5_000), density=0.002, format="csr", random_state=np.random.default_rng(0))
    near = Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), words)
    everywhere = Graph.from_edges(np.random.default_rng(0).integers(n, size=(6_000, 2)), words)
    routes = [
        cheapest_route(graph, CenteredFeatures(words), group_pairs(graph, graph.edges), n_pairs=graph.n_edges)
        for graph in (near, everywhere)
    ]
    assert routes == ["follow", "blocks"]


def test_leading_directions_span_the_same_space_by_both_ways() -> None:
    graph = hard_graph(few_words(20, 8))
    features = sparse_features(graph, centered=True)
    spaces = [find(graph, features, 5, 0) for find in (leading_by_covariance, leading_by_iteration)]
    np.testing.assert_allclose(spaces[0] @ spaces[0].T, spaces[1] @ spaces[1].T, atol=1e-9)
