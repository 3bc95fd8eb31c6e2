"""The exact engine against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kces.datasets.builtin import synthetic
from kces.datasets.toys import star, thorny
from kces.engines import exact as exact_module
from kces.engines import white_rows
from kces.engines.exact import ExactEngine
from kces.errors import SingularKernelError
from kces.graph import Graph
from oracle import oracle_changes
from problems import problem_for


@pytest.mark.parametrize("columns", [1, 3])
def test_exact_equals_the_definition(awkward_graph: Graph, columns: int) -> None:
    problem = problem_for(awkward_graph, columns)
    expected = oracle_changes(awkward_graph, problem.codes, problem.ridge)
    found = ExactEngine().score(problem)
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()


def test_products_in_single_precision_equal_the_definition(
    awkward_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_module, "SINGLE_FROM", 0)
    problem = problem_for(awkward_graph)
    expected = oracle_changes(awkward_graph, problem.codes, problem.ridge)
    found = ExactEngine().score(problem)
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("rounded", "doubtful", "tolerance"), [(0.0, 0.0, 1e-12), (0.0, np.inf, 1e-6), (1e-6, 1e-3, 1e-5)]
)
def test_single_precision_is_corrected_or_computed_again(
    rounded: float, doubtful: float, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All edges are computed again; all are corrected; those are corrected that rounding may move by a millionth."""
    monkeypatch.setattr(white_rows, "_CHUNK", 50)  # more rows than a chunk, more nodes than a panel of the whitener
    monkeypatch.setattr(white_rows, "_PANEL", 32)
    problem = problem_for(synthetic(n=70, degree=8, seed=3))
    double = ExactEngine().score(problem)
    monkeypatch.setattr(exact_module, "SINGLE_FROM", 0)
    monkeypatch.setattr(exact_module, "_ROUNDED", rounded)
    monkeypatch.setattr(exact_module, "_DOUBTFUL", doubtful)
    in_double, solve = [], exact_module._solve_block
    monkeypatch.setattr(
        exact_module,
        "_solve_block",
        lambda state, *rest: in_double.append(state.kernel.in_double) or solve(state, *rest),
    )
    found = ExactEngine().score(problem)
    assert (np.abs(found - double) <= tolerance * np.abs(double)).all()
    assert (True in in_double) == (doubtful == 0.0)


def test_scores_do_not_depend_on_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_module, "SINGLE_FROM", 0)
    monkeypatch.setattr(white_rows, "_CHUNK", 50)
    problem = problem_for(synthetic(n=70, degree=8, seed=3))
    monkeypatch.setenv("KCES_NUM_THREADS", "2")
    on_two = ExactEngine().score(problem)
    monkeypatch.setenv("KCES_NUM_THREADS", "1")
    np.testing.assert_array_equal(ExactEngine().score(problem), on_two)


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_exact_equals_the_definition_on_random_graphs(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 12), label="nodes")
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True), label="edges")
    generator = np.random.default_rng(data.draw(st.integers(0, 1000), label="seed"))
    features = generator.random((n, 3))
    features[data.draw(st.lists(st.integers(0, n - 1), max_size=3), label="zero rows")] = 0.0
    if data.draw(st.booleans(), label="twins") and n > 2:
        features[1] = features[0]
    graph = Graph.from_edges(edges, features, n_nodes=n)
    problem = problem_for(graph)
    expected = oracle_changes(graph, problem.codes, problem.ridge)
    found = ExactEngine().score(problem)
    assert np.abs(found - expected).max() <= 1e-6 * max(np.abs(expected).max(), 1e-3)


def test_exact_scores_some_edges_like_all() -> None:
    problem = problem_for(synthetic(n=60, seed=1))
    which = np.array([3, 17, 40])
    np.testing.assert_allclose(ExactEngine().score_some(problem, which), ExactEngine().score(problem)[which], rtol=1e-9)


def test_exact_in_small_blocks_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(synthetic(n=70, degree=8, seed=3))
    whole = ExactEngine().score(problem)
    monkeypatch.setattr(exact_module, "_WHITE_BYTES", 8 * 70 * 40)
    np.testing.assert_allclose(ExactEngine().score(problem), whole, rtol=1e-9, atol=1e-12)


def test_singular_kernel_without_ridge_is_a_clear_error() -> None:
    with pytest.raises(SingularKernelError, match="singular at ridge 0"):
        ExactEngine().score(problem_for(thorny(), ridge=0.0))


def test_no_ridge_is_allowed_where_the_kernel_is_regular() -> None:
    problem = problem_for(star(4), ridge=0.0)
    np.testing.assert_allclose(
        ExactEngine().score(problem), oracle_changes(problem.graph, problem.codes, 0.0), rtol=1e-6, atol=1e-9
    )
