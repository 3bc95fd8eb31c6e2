"""Every engine behind one contract, and how one is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from kces.datasets.builtin import synthetic
from kces.datasets.toys import barbell, thorny
from kces.engines import ENGINES, choose_engine
from kces.engines.exact import ExactEngine
from kces.engines.local import LocalEngine
from kces.errors import InvalidParameterError, MemoryLimitError
from kces.graph import Graph
from kces.ranking import kept_edges
from problems import problem_for


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("columns", [1, 2])
def test_contract(name: str, columns: int, awkward_graph: Graph) -> None:
    problem = problem_for(awkward_graph, columns)
    engine, reason = choose_engine(name, problem, seed=5)
    scores = engine.score(problem)
    assert engine.name == name
    assert reason.startswith("asked for")
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


@pytest.mark.parametrize(("name", "least"), [("gradient", 0.8), ("subgraph", 0.3), ("montecarlo", 0.2)])
def test_cheaper_engines_follow_exact(name: str, least: float) -> None:
    problem = problem_for(synthetic(n=300, seed=9, features=64))
    scores = choose_engine(name, problem)[0].score(problem)
    assert spearmanr(ExactEngine().score(problem), scores)[0] > least


def test_auto_says_what_it_chose_and_why() -> None:
    engine, reason = choose_engine("auto", problem_for(barbell()))
    assert (engine.name, reason) == ("exact", "10 nodes, 21 edges and 20 triangles are few enough")
    engine, reason = choose_engine("auto", problem_for(synthetic(n=9000, seed=0)))
    assert engine.name == "local"
    assert reason.startswith("exact would cost ")
    assert reason.endswith("; iterative solve, far field from series")
    assert choose_engine("gradient", problem_for(barbell()))[1] == "asked for; direct solve, far field from pairs"


def test_free_memory_refuses_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_for(thorny())
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(50_000))
    assert choose_engine("auto", problem)[0].name == "exact"
    monkeypatch.setenv("KCES_MEMORY_LIMIT", str(15_000))
    with pytest.raises(MemoryLimitError, match=r"the exact engine needs .*; use engine local$"):
        choose_engine("auto", problem)
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match=r"the local engine needs .*; use a machine with more memory$"):
        choose_engine("local", problem)


def test_refuses_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCES_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match=r"the exact engine needs .* use engine local"):
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
