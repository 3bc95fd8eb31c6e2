"""The kernel: aggregation, Gram matrix and complexity."""

from __future__ import annotations

import numpy as np
import pytest

import kces
from kces.datasets.toys import barbell, thorny
from kces.errors import MemoryLimitError, SingularKernelError
from kces.graph import Graph
from kces.kernel import aggregate, complexity, gram
from oracle import oracle_gkc


def test_gram_has_half_on_the_diagonal_and_zero_for_featureless_nodes() -> None:
    # Without edges between them, nodes 13 and 14 of the thorny graph keep only their own features.
    graph = Graph.from_edges([[0, 1]], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], n_nodes=3)
    H = gram(aggregate(graph))
    assert np.diag(H).tolist() == [0.5, 0.5, 0.0]
    assert H[2].tolist() == [0.0, 0.0, 0.0]


def test_twins_have_exactly_the_same_kernel_rows() -> None:
    graph = thorny()
    H = gram(aggregate(graph))
    assert H[5, 6] == 0.5


def test_gkc_equals_the_definition() -> None:
    graph = barbell()
    codes = np.where(graph.labels == 0, -1.0, 1.0)[:, None]
    expected = oracle_gkc(graph.adjacency.toarray(), graph.features, codes, 1e-3)
    assert kces.gkc(graph, labels="given") == pytest.approx(expected, rel=1e-12)


def test_gkc_ignores_the_scale_of_features() -> None:
    graph = thorny()
    scaled = Graph.from_scipy(graph.adjacency, 1000 * graph.features)
    assert kces.gkc(scaled, clusters=3) == pytest.approx(kces.gkc(graph, clusters=3), rel=1e-9)


def test_complexity_is_summed_over_columns() -> None:
    H = gram(aggregate(barbell()))
    codes = np.random.default_rng(0).random((10, 3))
    assert complexity(H, codes) == pytest.approx(sum(complexity(H, codes[:, [c]]) for c in range(3)))


def test_gkc_without_ridge_fails_clearly_on_twins() -> None:
    with pytest.raises(SingularKernelError, match="singular at ridge 0"):
        kces.gkc(thorny(), ridge=0.0, clusters=2)


def test_gkc_names_the_memory_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "100")
    with pytest.raises(MemoryLimitError, match=r"needs 2\.3 KiB of memory, 100\.0 B are available"):
        kces.gkc(barbell())
