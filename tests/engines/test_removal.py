"""The rule for rows that lose their features, and the lengths of changed rows."""

from __future__ import annotations

import numpy as np
import pytest

from kces.datasets.toys import thorny
from kces.engines.dense import dense
from kces.engines.removal import explicit_rows, inverse_lengths, is_left_empty, squared_length
from kces.engines.supports import removal_supports
from kces.graph import Graph
from kces.kernel import aggregate


def lengths(graph: Graph, e: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Squared lengths of an edge's changed rows by the formula, their terms, and the rows themselves."""
    supports = removal_supports(graph, graph.edges)
    at = slice(supports.start[e], supports.start[e + 1])
    X, Z = dense(graph.features), dense(aggregate(graph))
    (i, j), k = graph.edges[e], supports.node[at]
    xx = X[i] @ X[i], X[j] @ X[j], X[i] @ X[j]
    coefficients = supports.alpha[at], supports.beta[at], supports.gamma[at]
    squared, terms = squared_length(coefficients, (Z[k] ** 2).sum(axis=1), (Z[k] @ X[i], Z[k] @ X[j]), xx)
    return squared, terms, explicit_rows(graph, graph.edges[e], k)


def test_squared_lengths_are_those_of_the_rows(awkward_graph: Graph) -> None:
    for e in range(awkward_graph.n_edges):
        squared, terms, rows = lengths(awkward_graph, e)
        np.testing.assert_allclose(squared, (rows**2).sum(axis=1), atol=1e-14)
        assert np.array_equal(is_left_empty(squared, terms), (rows == 0).all(axis=1))


def test_an_emptied_row_has_no_length() -> None:
    graph = thorny()
    e = graph.edges.tolist().index([10, 11])
    squared, terms, rows = lengths(graph, e)
    found = inverse_lengths(squared, terms)
    assert found[1] == 0.0
    assert not rows[1].any()
    assert found[0] == pytest.approx(1.0 / np.linalg.norm(rows[0]))
