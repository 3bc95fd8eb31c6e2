"""Many nodes without any feature are said; few are not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import kces
from kces.errors import GraphWarning
from kces.features.bare_nodes import bare_share
from kces.graph import Graph

EDGES = [(node, node + 1) for node in range(40)]


@pytest.mark.parametrize("as_stored", [np.asarray, sp.csr_array])
def test_the_share_is_the_same_in_both_forms(as_stored) -> None:
    features = np.ones((41, 3))
    features[:4] = 0.0
    assert bare_share(Graph.from_edges(EDGES, as_stored(features))) == pytest.approx(4 / 41)


def test_many_rows_of_zeros_are_said() -> None:
    features = np.random.default_rng(0).random((41, 3))
    features[:20] = 0.0
    with pytest.warns(GraphWarning, match="49% of the nodes with links have no feature at all"):
        kces.score_edges(Graph.from_edges(EDGES, features))


def test_a_few_rows_of_zeros_are_not() -> None:
    features = np.random.default_rng(0).random((41, 3))
    features[:2] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraphWarning)
        kces.score_edges(Graph.from_edges(EDGES, features))
