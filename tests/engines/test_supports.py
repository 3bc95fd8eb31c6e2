"""The changed rows of every edge."""

from __future__ import annotations

import numpy as np

from kces.datasets.toys import star
from kces.engines.dense import dense
from kces.engines.removal import explicit_rows
from kces.engines.supports import removal_supports
from kces.graph import Graph
from kces.kernel import aggregate


def test_changed_rows_are_those_of_the_graph_without_the_edge(awkward_graph: Graph) -> None:
    supports = removal_supports(awkward_graph, awkward_graph.edges)
    Z = dense(aggregate(awkward_graph))
    X = dense(awkward_graph.features)
    for e, (i, j) in enumerate(awkward_graph.edges):
        rows = slice(supports.start[e], supports.start[e + 1])
        nodes = supports.node[rows]
        kept = np.ones(awkward_graph.n_edges, dtype=bool)
        kept[e] = False
        after = dense(aggregate(awkward_graph.keep_edges(kept)))
        predicted = (
            supports.alpha[rows, None] * Z[nodes] + supports.beta[rows, None] * X[i] + supports.gamma[rows, None] * X[j]
        )
        np.testing.assert_allclose(predicted, after[nodes], atol=1e-12)
        np.testing.assert_allclose(
            explicit_rows(awkward_graph, awkward_graph.edges[e], nodes), after[nodes], atol=1e-12
        )
        untouched = np.setdiff1d(np.arange(awkward_graph.n_nodes), nodes)
        assert np.array_equal(after[untouched], Z[untouched])


def test_changed_rows_are_shared_between_the_edges_of_a_node() -> None:
    graph = star(6)
    supports = removal_supports(graph, graph.edges)
    # 6 edges, each of which changes hub, leaf and 5 other leaves: 42 rows, but only 6 + 12 different ones.
    assert len(supports.row) == 42
    assert len(np.unique(supports.row)) == 18
