"""Every engine behind one contract, and the exact one against the definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, star, thorny
from kces.engines import ENGINES, choose_engine
from kces.engines import exact as exact_module
from kces.engines.exact import ExactEngine
from kces.engines.explained import explained_linear_part
from kces.engines.far_field import far_field
from kces.engines.fast_kernel import kernel_curvature, kernel_slope
from kces.engines.local import LocalEngine
from kces.engines.problem import Problem
from kces.engines.removal import explicit_rows, removal_supports
from kces.engines.slope_correction import DIRECTIONS, slope_correction
from kces.engines.solve import dense, similarity_blocks, solve_codes
from kces.engines.triangle import KernelTriangle
from kces.errors import InvalidParameterError, MemoryLimitError, SingularKernelError
from kces.graph import Graph
from kces.kernel import aggregate
from kces.ranking import kept_edges
from oracle import oracle_changes


def problem_for(graph: Graph, columns: int = 1, ridge: float = 1e-3, seed: int = 0) -> Problem:
    codes = np.random.default_rng(seed).choice([-1.0, -0.5, 0.5, 1.0], size=(graph.n_nodes, columns))
    return Problem(graph, codes, ridge)


@pytest.mark.parametrize("columns", [1, 3])
def test_exact_equals_the_definition(awkward_graph: Graph, columns: int) -> None:
    problem = problem_for(awkward_graph, columns)
    expected = oracle_changes(awkward_graph, problem.codes, problem.ridge)
    found = ExactEngine().score(problem)
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()


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
    monkeypatch.setattr(exact_module, "_ROW_BLOCK_BYTES", 16 * 70 * 40)
    monkeypatch.setattr(exact_module, "_EDGE_BATCH_BYTES", 1)
    np.testing.assert_allclose(ExactEngine().score(problem), whole, rtol=1e-9, atol=1e-12)


def test_changed_rows_are_those_of_the_graph_without_the_edge(awkward_graph: Graph) -> None:
    supports = removal_supports(awkward_graph, awkward_graph.edges)
    Z = _dense(aggregate(awkward_graph))
    X = _dense(awkward_graph.features)
    for e, (i, j) in enumerate(awkward_graph.edges):
        rows = slice(supports.start[e], supports.start[e + 1])
        nodes = supports.node[rows]
        kept = np.ones(awkward_graph.n_edges, dtype=bool)
        kept[e] = False
        after = _dense(aggregate(awkward_graph.keep_edges(kept)))
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


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("columns", [1, 2])
def test_contract(name: str, columns: int, awkward_graph: Graph) -> None:
    problem = problem_for(awkward_graph, columns)
    engine, reason = choose_engine(name, problem, seed=5)
    scores = engine.score(problem)
    assert engine.name == name
    assert reason == "asked for"
    assert scores.shape == (awkward_graph.n_edges,)
    assert np.isfinite(scores).all()
    assert engine.memory_needed(problem) > 0
    again, _ = choose_engine(name, problem, seed=5)
    assert np.array_equal(again.score(problem), scores)


@pytest.mark.parametrize("name", ENGINES)
def test_pruning_does_not_depend_on_threads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(synthetic(n=200, seed=6))
    cuts = []
    for threads in (1, 2):
        monkeypatch.setenv("KCES_NUM_THREADS", str(threads))
        with threadpool_limits(threads):
            scores = choose_engine(name, problem)[0].score(problem)
        cuts.append(kept_edges(np.abs(scores), 0.3))
    assert np.array_equal(*cuts)


@pytest.mark.parametrize("features", [40, 120])
def test_large_graphs_score_the_same_on_any_number_of_threads(features: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(synthetic(n=4200, features=features, seed=3))
    scores = []
    for threads in (1, 2):
        monkeypatch.setenv("KCES_NUM_THREADS", str(threads))
        with threadpool_limits(threads):
            scores.append(LocalEngine().score(problem))
    assert np.array_equal(*scores)


def test_local_is_nearly_exact_and_two_hops_are_nearer() -> None:
    problem = problem_for(synthetic(n=400, seed=7, features=64))
    exact = ExactEngine().score(problem)
    one, two = (spearmanr(exact, LocalEngine(hops=hops).score(problem))[0] for hops in (1, 2))
    assert one > 0.97
    assert two > one - 0.002


def test_local_caps_hubs_without_losing_the_ranking() -> None:
    problem = problem_for(synthetic(n=300, degree=12, seed=8, features=48))
    assert problem.graph.degrees.max() > 30
    exact = ExactEngine().score(problem)
    assert spearmanr(exact, LocalEngine(cap=8).score(problem))[0] > 0.95


@pytest.mark.parametrize(("name", "least"), [("gradient", 0.8), ("subgraph", 0.3), ("montecarlo", 0.2)])
def test_cheaper_engines_follow_exact(name: str, least: float) -> None:
    problem = problem_for(synthetic(n=300, seed=9, features=64))
    scores = choose_engine(name, problem)[0].score(problem)
    assert spearmanr(ExactEngine().score(problem), scores)[0] > least


def test_subgraph_is_the_complexity_of_the_surroundings() -> None:
    """On a star every edge's surroundings are the whole graph, so the subgraph form is exact there."""
    problem = problem_for(star(7))
    found = choose_engine("subgraph", problem)[0].score(problem)
    np.testing.assert_allclose(found, oracle_changes(problem.graph, problem.codes, problem.ridge), atol=1e-6)


@pytest.mark.parametrize(("method", "tolerance"), [("iterative", 0.03), ("partition", 0.7)])
def test_solvers_for_large_graphs_approach_the_direct_one(method: str, tolerance: float) -> None:
    problem = problem_for(synthetic(n=1500, seed=1))
    direct = solve_codes(problem, method="direct").a
    found = solve_codes(problem, method=method).a
    assert np.linalg.norm(found - direct) <= tolerance * np.linalg.norm(direct)


def test_partitioned_solve_with_one_block_is_exact() -> None:
    problem = problem_for(synthetic(n=300, seed=1))
    direct = solve_codes(problem, method="direct").a
    np.testing.assert_allclose(solve_codes(problem, method="partition").a, direct, rtol=0.02, atol=0.02)


def test_similarity_blocks_cover_every_node_once() -> None:
    problem = problem_for(synthetic(n=500, seed=1))
    blocks = similarity_blocks(problem.unit, 60)
    assert max(map(len, blocks)) <= 60
    assert np.array_equal(np.sort(np.concatenate(blocks)), np.arange(500))


def test_far_field_is_the_gradient_of_f() -> None:
    """Against numerical differentiation of ``f(z) = Σ_r a_r k(z·z_r)`` along X_k, self term left out."""
    problem = problem_for(synthetic(n=60, seed=2))
    a = solve_codes(problem).a
    field = far_field(problem, a, method="pairs")
    unit, X = problem.unit, problem.graph.features
    nearest = (unit @ unit.T - 2 * np.eye(60)).max(axis=1)
    nodes = np.flatnonzero(nearest < 0.95)[:5]  # the slope is capped where nodes are more alike
    assert len(nodes) == 5
    for k in nodes:
        others = np.arange(60) != k

        def f(z: np.ndarray, others: np.ndarray = others) -> float:
            c = unit[others] @ z
            return float(a[others, 0] @ (c * (np.pi - np.arccos(c)) / (2 * np.pi)))

        step = 1e-5
        slope = (f(unit[k] + step * X[k]) - f(unit[k] - step * X[k])) / (2 * step)
        assert field.x_dot[k, 0] == pytest.approx(slope, rel=1e-2, abs=1e-3)


def alike_nodes(n: int, seed: int = 3) -> Graph:
    """Features that are not negative, so that most pairs of nodes are somewhat alike."""
    graph = synthetic(n=n, seed=seed)
    return replace(graph, features=np.abs(graph.features))


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("graph", [alike_nodes(700), thorny()], ids=["alike", "thorny"])
def test_far_field_from_the_stored_kernel_is_that_of_all_pairs(graph: Graph, columns: int) -> None:
    """With as many directions as features nothing is left out, on graphs of one strip and of several."""
    problem = problem_for(graph)
    a = np.random.default_rng(1).standard_normal((graph.n_nodes, columns))
    triangle = KernelTriangle(dense(problem.unit, np.float32))
    assert graph.n_features <= DIRECTIONS
    expected = far_field(problem, a, method="pairs")
    found = far_field(problem, a, method="series", triangle=triangle)
    plain = far_field(problem, a, method="series")
    for name in ("z_dot", "x_dot", "neighbour_dot"):
        right, left, without = (getattr(field, name) for field in (expected, found, plain))
        size = np.abs(right).max()
        assert np.abs(left - right).max() < 2e-3 * size
        assert np.abs(left - right).max() < 0.1 * np.abs(without - right).max()


def test_neighbours_and_the_node_itself_are_taken_out_of_the_correction() -> None:
    """Their slope is in the series in full. With a code on one node, only that node's row is felt."""
    graph = synthetic(n=400, seed=3)
    problem = problem_for(replace(graph, features=np.random.default_rng(0).standard_normal((400, 2))))
    unit = dense(problem.unit, np.float32)
    touched = np.append(graph.adjacency[[0]].indices, 0)
    assert np.abs(unit[touched] @ unit[0]).max() > 0.9
    correction = slope_correction(problem, unit, KernelTriangle(unit), np.eye(400)[:, :1])
    np.testing.assert_allclose(correction.z_dot[touched], 0.0, atol=2e-3)
    np.testing.assert_allclose(correction.fields[0][touched], 0.0, atol=2e-3)
    assert np.abs(correction.fields[0]).max() > 0.1


@pytest.mark.parametrize("flat", [False, True])
def test_curvature_is_the_hessian_of_f(flat: bool) -> None:
    """Along a combination of Z_k, X_k and X_m; flat where the kernel is taken as c/4 + c²/2π."""
    problem = problem_for(alike_nodes(60, seed=2))
    a = np.random.default_rng(0).standard_normal((60, 1))
    curvature = far_field(problem, a, method="series" if flat else "pairs", curved=True).curvature
    assert curvature is not None
    assert curvature.flat == flat
    unit, X, Z = problem.unit, problem.graph.features, problem.Z
    indptr, indices = problem.graph.adjacency.indptr, problem.graph.adjacency.indices
    for k in np.flatnonzero(np.diff(indptr))[:8]:
        at = indptr[k]
        m, others = indices[at], np.arange(60) != k
        c = unit @ unit[k]
        second = np.full(60, 1.0 / np.pi) if flat else np.array([kernel_curvature(value) for value in c])
        weights = 0.5 * a[:, 0] * second * (1.0 if flat else others)
        u, v, w = 0.3, -0.2, 0.5
        expected = float(weights @ (unit @ (u * Z[k] + v * X[k] + w * X[m])) ** 2)
        found = u * u * curvature.zz[k] + v * v * curvature.xx[k] + w * w * curvature.neighbour_xx[at]
        found += 2 * (
            u * v * curvature.zx[k] + u * w * curvature.neighbour_zx[at] + v * w * curvature.neighbour_cross[at]
        )
        assert found[0] == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_curvature_of_the_kernel() -> None:
    c, step = 0.3, 1e-4
    slope = (kernel_slope(c + step) - kernel_slope(c - step)) / (2 * step)
    assert kernel_curvature(c) == pytest.approx(slope, rel=1e-4)
    assert kernel_curvature(0.0) == pytest.approx(1 / np.pi)


def test_explained_part_is_the_mean_of_what_others_predict() -> None:
    problem = problem_for(alike_nodes(300))
    G = problem.unit @ problem.unit.T
    ratio = 1.0 + 4.0 * problem.ridge
    freedom = np.trace(G @ np.linalg.inv(G + ratio * np.eye(300)))
    assert explained_linear_part(problem) == pytest.approx(0.25 * (1 - freedom / 300), abs=0.003)


def test_conditioning_on_the_far_nodes_brings_local_nearer_to_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(synthetic(n=400, seed=7, features=64))
    exact = np.abs(ExactEngine().score(problem))
    conditioned = spearmanr(exact, np.abs(LocalEngine().score(problem)))[0]
    monkeypatch.setattr("kces.engines.local.explained_linear_part", lambda problem: 0.0)
    plain = spearmanr(exact, np.abs(LocalEngine().score(problem)))[0]
    assert conditioned > max(0.97, plain)


def test_fewer_directions_take_most_of_the_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(alike_nodes(700))
    a = solve_codes(problem, method="direct").a
    triangle = KernelTriangle(dense(problem.unit, np.float32))
    whole = far_field(problem, a, method="series", triangle=triangle)
    monkeypatch.setattr("kces.engines.slope_correction.DIRECTIONS", 8)
    short = far_field(problem, a, method="series", triangle=triangle)
    plain = far_field(problem, a, method="series")
    np.testing.assert_allclose(short.z_dot, whole.z_dot, rtol=1e-5, atol=1e-5)  # along z_k nothing is left out
    assert np.linalg.norm(short.x_dot - whole.x_dot) < 0.5 * np.linalg.norm(plain.x_dot - whole.x_dot)


def test_auto_says_what_it_chose_and_why() -> None:
    engine, reason = choose_engine("auto", problem_for(barbell()))
    assert (engine.name, reason) == ("exact", "10 nodes and 21 edges are few enough")
    large = problem_for(synthetic(n=9000, seed=0))
    engine, reason = choose_engine("auto", large)
    assert engine.name == "local"
    assert "exact would cost" in reason


def test_auto_yields_to_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(20_000))
    engine, reason = choose_engine("auto", problem_for(thorny()))
    assert engine.name == "local"
    assert "exact would need" in reason


def test_refuses_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match=r"the exact engine needs .* use --engine local"):
        choose_engine("exact", problem_for(thorny()))


def test_unknown_engine_and_options() -> None:
    with pytest.raises(InvalidParameterError, match="unknown engine 'magic'; there are: auto, exact, local"):
        choose_engine("magic", problem_for(barbell()))
    with pytest.raises(InvalidParameterError, match="engine exact has no option hops; it has none"):
        choose_engine("exact", problem_for(barbell()), {"hops": 2})
    with pytest.raises(InvalidParameterError, match="has no option hopz; it has: hops, cap, fill, seed"):
        choose_engine("local", problem_for(barbell()), {"hopz": 2})
    with pytest.raises(InvalidParameterError, match="engine auto takes no options"):
        choose_engine("auto", problem_for(barbell()), {"hops": 2})
    with pytest.raises(InvalidParameterError, match="hops must be 1 or 2"):
        LocalEngine(hops=3)


def test_singular_kernel_without_ridge_is_a_clear_error() -> None:
    with pytest.raises(SingularKernelError, match="singular at ridge 0"):
        ExactEngine().score(problem_for(thorny(), ridge=0.0))


def test_no_ridge_is_allowed_where_the_kernel_is_regular() -> None:
    problem = problem_for(star(4), ridge=0.0)
    np.testing.assert_allclose(
        ExactEngine().score(problem), oracle_changes(problem.graph, problem.codes, 0.0), rtol=1e-6, atol=1e-9
    )


def _dense(matrix) -> np.ndarray:  # type: ignore[no-untyped-def]
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix
