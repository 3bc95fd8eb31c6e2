"""Edges whose removal leaves a node without any features: the kernel row becomes zero, and GKC jumps by y²/λ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from emptied import emptying_edges
from kces.datasets.builtin import synthetic
from kces.datasets.toys import star, thorny
from kces.engines.exact import ExactEngine
from kces.engines.gradient import GradientEngine
from kces.engines.local import LocalEngine
from kces.engines.problem import Problem
from kces.engines.solve import solve_codes
from kces.graph import Graph
from kces.scorers.pseudo_labels import encode
from oracle import oracle_changes
from problems import in_regime, problem_for

ENCODINGS = pytest.mark.parametrize("encoding", ["linear", "onehot"])
HOPS = pytest.mark.parametrize("hops", [1, 2])


def without_features(graph: Graph, nodes: np.ndarray | list[int]) -> Graph:
    features = np.array(graph.features)
    features[nodes] = 0.0
    return replace(graph, features=features)


def bare(nodes: int, seed: int) -> Graph:
    """A random sparse graph, four nodes of ten without features."""
    graph = synthetic(n=nodes, degree=3, features=32, seed=seed)
    return without_features(graph, np.random.default_rng(seed).random(nodes) < 0.4)


def clusters(graph: Graph, encoding: str, ridge: float = 1e-3) -> Problem:
    codes = encode(np.random.default_rng(0).integers(0, 4, graph.n_nodes), 4, encoding)
    return Problem(graph, codes, ridge)


STARS = {
    "featureless leaves": without_features(star(7), [1, 2, 3]),
    "featureless hub": without_features(star(7), [0]),
    "both": without_features(star(7), [0, 1, 2]),
}


def test_emptying_edges_of_the_thorny_graph() -> None:
    graph = thorny()
    assert graph.edges[emptying_edges(graph)].tolist() == [[10, 11], [12, 13]]


@ENCODINGS
@HOPS
def test_local_on_the_thorny_graph(hops: int, encoding: str) -> None:
    problem = clusters(thorny(), encoding)
    emptying = emptying_edges(problem.graph)
    exact, local = ExactEngine().score(problem), LocalEngine(hops=hops).score(problem)
    np.testing.assert_allclose(local[emptying], exact[emptying], rtol=0.1)
    assert spearmanr(exact, local)[0] > 0.95


@ENCODINGS
@pytest.mark.parametrize("graph", STARS.values(), ids=STARS)
def test_local_is_exact_where_the_block_holds_all_nodes(
    graph: Graph, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is far then, and no node is left to explain the block: what remains is the fast arccosine."""
    monkeypatch.setattr("kces.engines.local.explained_linear_part", lambda problem: 0.0)
    problem = clusters(graph, encoding)
    expected = oracle_changes(graph, problem.codes, problem.ridge)
    np.testing.assert_allclose(LocalEngine().score(problem), expected, atol=1e-6 * np.abs(expected).max())


@ENCODINGS
@pytest.mark.parametrize("graph", STARS.values(), ids=STARS)
def test_local_is_near_on_stars(graph: Graph, encoding: str) -> None:
    problem = clusters(graph, encoding)
    exact, local = ExactEngine().score(problem), LocalEngine().score(problem)
    np.testing.assert_allclose(local, exact, atol=0.1 * np.abs(exact).max())
    emptying = emptying_edges(graph)
    np.testing.assert_allclose(local[emptying], exact[emptying], rtol=5e-3)


@ENCODINGS
@HOPS
@pytest.mark.parametrize("seed", [1, 2, 6])
def test_local_is_near_on_random_graphs(seed: int, hops: int, encoding: str) -> None:
    problem = clusters(bare(120, seed), encoding)
    emptying = emptying_edges(problem.graph)
    assert emptying.sum() > 5
    exact, local = ExactEngine().score(problem), LocalEngine(hops=hops).score(problem)
    largest = np.abs(exact[emptying]).max()
    np.testing.assert_allclose(local[emptying], exact[emptying], atol=5e-3 * largest)
    assert spearmanr(exact, local)[0] > 0.92


@ENCODINGS
def test_local_is_near_with_the_solver_of_large_graphs(encoding: str) -> None:
    problem = clusters(bare(200, 2), encoding)
    emptying = emptying_edges(problem.graph)
    large = in_regime(problem, solver="iterative", far_field="series")
    exact, local = ExactEngine().score(problem), LocalEngine().score(large)
    np.testing.assert_allclose(local[emptying], exact[emptying], atol=5e-3 * np.abs(exact[emptying]).max())
    assert spearmanr(exact, local)[0] > 0.93


@ENCODINGS
@pytest.mark.parametrize("graph", [thorny(), bare(120, 1), bare(120, 6)], ids=["thorny", "random", "random-6"])
def test_gradient_sees_the_jump(graph: Graph, encoding: str) -> None:
    problem = clusters(graph, encoding)
    emptying = emptying_edges(graph)
    exact, gradient = ExactEngine().score(problem), GradientEngine().score(problem)
    error = np.abs(gradient - exact)[emptying] / np.abs(exact[emptying]).max()
    assert np.median(error) < 0.02


def test_gradient_stays_finite_without_a_ridge() -> None:
    problem = problem_for(STARS["featureless leaves"], ridge=0.0)
    lone = replace(problem, graph=without_features(star(7), [1]))
    assert np.isfinite(GradientEngine().score(lone)).all()
    assert np.isfinite(LocalEngine().score(lone)).all()


@pytest.mark.parametrize("solver", ["direct", "iterative", "partition"])
def test_rows_that_are_empty_from_the_start_are_solved_exactly(solver: str) -> None:
    """Their equation is ``λ a = y``, coupled to no other."""
    graph = without_features(synthetic(n=300, degree=2, seed=4), np.arange(0, 300, 2))
    problem = problem_for(graph, columns=2)
    empty = problem.lengths == 0
    assert empty.sum() > 10
    a = solve_codes(in_regime(problem, solver=solver)).a
    np.testing.assert_allclose(a[empty], problem.codes[empty] / problem.ridge, rtol=1e-12)


@pytest.mark.parametrize("engine", [ExactEngine(), LocalEngine(), GradientEngine()], ids=lambda engine: engine.name)
def test_an_edge_between_empty_rows_changes_nothing(engine: ExactEngine | LocalEngine | GradientEngine) -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4)], np.diag([1.0, 1.0, 1.0, 0.0, 0.0])[:, :3], n_nodes=5)
    scores = engine.score(problem_for(graph))
    assert np.abs(scores[2]) < 1e-9 < np.abs(scores[:2]).min()
