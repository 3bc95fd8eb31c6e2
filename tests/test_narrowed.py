"""Far more columns than nodes: the scores are those of all columns, in the time of a few."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import kces
from kces import narrowed as narrowing
from kces.datasets.builtin import synthetic
from kces.graph import Graph
from kces.narrowed import is_far_wider_than_high, narrowed

N_COLUMNS = 10_000


@pytest.fixture(scope="module")
def wide() -> Graph:
    """Two nodes are twins, one has no features."""
    drawn = synthetic(n=24, seed=2)
    rows = np.random.default_rng(0).normal(size=(24, N_COLUMNS)) + np.asarray(drawn.features)[:, :1]
    rows[3], rows[5] = rows[4], 0.0
    return Graph.from_edges(drawn.edges, rows)


@pytest.mark.parametrize(
    "way",
    [
        {"preset": "robust"},
        {"preset": "paper", "engine": "exact", "signed": True},
        {"preset": "paper", "engine": "local", "signed": True},
    ],
    ids=str,
)
def test_scores_are_those_of_all_columns(wide: Graph, way: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    found = kces.score_edges(wide, **way)
    monkeypatch.setattr(narrowing, "_WIDE", 10**9)
    expected = kces.score_edges(wide, **way)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


def test_sparse_and_ordinary_rows_are_left_as_they_are() -> None:
    sparse = sp.csr_array((3, 10**6))
    ordinary = np.ones((2_000, N_COLUMNS))
    assert narrowed(sparse) is sparse
    assert narrowed(ordinary) is ordinary


def test_what_is_narrowed_is_not_narrowed_again() -> None:
    assert not is_far_wider_than_high(narrowed(np.ones((3, N_COLUMNS))))
