"""Features of any finite size: scores are finite, do not depend on the scale, and nothing else is ever ranked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kces
from kces.datasets.builtin import synthetic
from kces.errors import InvalidGraphError
from kces.feature_range import within_range
from kces.features import prepare_features
from kces.graph import Graph
from kces.kernel import normalize_rows
from kces.ranking import all_tied, edge_order, kept_edges
from kces.types import Array, Features, is_sparse

WAYS = {
    "robust": {"preset": "robust"},
    "exact": {"preset": "paper", "engine": "exact"},
    "local": {"preset": "paper", "engine": "local"},
    "gradient": {"preset": "paper", "engine": "gradient"},
    "subgraph": {"preset": "paper", "engine": "subgraph"},
    "montecarlo": {"preset": "paper", "engine": "montecarlo"},
}
SCALES = (1e6, 1e-6, 1e150, 1e-150, 1e-300, 1e300)
LARGEST = np.finfo(np.float64).max


@pytest.fixture(scope="module", params=["dense", "sparse"])
def graph(request: pytest.FixtureRequest) -> Graph:
    drawn = synthetic(n=40, features=12, seed=3)
    dense = drawn.features.toarray() if is_sparse(drawn.features) else drawn.features
    return Graph.from_edges(drawn.edges, dense if request.param == "dense" else sp.csr_array(dense))


def scores_of(graph: Graph, way: str) -> Array:
    return kces.score_edges(graph, **WAYS[way])


def rescaled(graph: Graph, features: Features) -> Graph:
    return Graph.from_edges(graph.edges, features)


@pytest.mark.parametrize("way", WAYS)
def test_scores_do_not_depend_on_the_scale_of_the_features(graph: Graph, way: str) -> None:
    expected = scores_of(graph, way)
    for scale in SCALES:
        found = scores_of(rescaled(graph, graph.features * scale), way)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max(), err_msg=f"{scale}")


@pytest.mark.parametrize("way", WAYS)
def test_rows_of_all_sizes_have_finite_scores(graph: Graph, way: str) -> None:
    sizes = np.resize([LARGEST / 1e3, 1.0, 1e-160, 5e-324, 1e-310], graph.n_nodes)
    scaled = sp.diags_array(sizes) @ graph.features
    assert np.isfinite(scores_of(rescaled(graph, scaled), way)).all()


@pytest.mark.parametrize("way", WAYS)
def test_entries_of_all_sizes_have_finite_scores(graph: Graph, way: str) -> None:
    chance = np.random.default_rng(0)
    entries = chance.choice([LARGEST, -LARGEST, 1e200, -1e-160, 5e-324, 0.0], size=(graph.n_nodes, 12))
    assert np.isfinite(scores_of(rescaled(graph, entries), way)).all()


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e307, 5e-324])
def test_unit_rows_and_lengths_of_extreme_rows(scale: float) -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [-1.0, 0.0]])
    mixed = rows * np.array([[scale], [1.0], [1.0]])
    for matrix in (mixed, sp.csr_array(mixed)):
        unit, length = normalize_rows(matrix)
        dense = unit.toarray() if is_sparse(unit) else unit
        np.testing.assert_allclose(dense, [[0.6, 0.8], [0.0, 0.0], [-1.0, 0.0]], rtol=1e-15)
        np.testing.assert_allclose(length, [5.0 * scale, 0.0, 1.0], rtol=1e-15)


def test_rows_beyond_measure_are_refused_without_a_warning() -> None:
    with pytest.raises(InvalidGraphError, match="too large to measure"):
        normalize_rows(np.full((1, 2), LARGEST))


def test_ordinary_features_are_left_as_they_are(graph: Graph) -> None:
    assert within_range(graph) is graph


def test_scaling_is_exact_and_leaves_the_original_alone(graph: Graph) -> None:
    large = rescaled(graph, graph.features * 2.0**600)
    before = large.features.copy()
    ratio = abs(within_range(large).features).max() / abs(graph.features).max()
    assert np.frexp(ratio)[0] == 0.5
    assert (within_range(large).features != graph.features * ratio).sum() == 0
    assert (large.features != before).sum() == 0


@pytest.mark.parametrize("way", ["robust", "local"])
def test_a_million_empty_columns_cost_nothing_and_change_nothing(graph: Graph, way: str) -> None:
    narrow = sp.coo_array(graph.features)
    wide = sp.csr_array((narrow.data, (narrow.row, 90_001 * narrow.col)), shape=(graph.n_nodes, 2**20 + 2**17))
    np.testing.assert_allclose(scores_of(rescaled(graph, wide), way), scores_of(graph, way), rtol=1e-9)


@pytest.mark.parametrize("size", [1e200, 1e-200, 1e308])
def test_columns_of_any_size_are_standardized(size: float) -> None:
    table = pd.DataFrame({"a": np.array([1.0, 0.2, -0.3]) * size, "b": [1.0, 2.0, 3.5]})
    ordinary = table.assign(a=table["a"] / size)
    found = prepare_features(table, scale="standard")
    np.testing.assert_allclose(found.matrix, prepare_features(ordinary, scale="standard").matrix, rtol=1e-9)
    near = prepare_features(table, scale="auto")
    np.testing.assert_allclose(near.matrix[:, :3], [[0, 0, 1], [0, 1, 0], [1, 0, 0]], atol=1e-9)
    assert len(near.notes[-1]) < 100


@pytest.mark.parametrize("unfit", [np.nan, np.inf, -np.inf])
def test_no_score_that_is_not_finite_reaches_a_ranking(unfit: float) -> None:
    scores = np.array([1.0, unfit, 2.0, unfit])
    for ranked in (edge_order, all_tied, lambda values: kept_edges(values, 0.5)):
        with pytest.raises(InvalidGraphError, match="2 of 4 scores are not finite"):
            ranked(scores)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.filterwarnings("error")
def test_a_signaling_nan_is_refused_as_any_other(form: Callable[[np.ndarray], object]) -> None:
    bits = np.array([[0x7FA00000], [0x3F800000]], dtype=np.uint32)
    with pytest.raises(InvalidGraphError, match="features hold NaN at node 0"):
        Graph.from_edges(np.array([[0, 1]]), form(bits.view(np.float32)))
