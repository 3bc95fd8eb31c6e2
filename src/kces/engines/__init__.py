"""Engines: ways to compute the signed change of GKC for every edge, behind one protocol."""

from __future__ import annotations

from typing import Any, Protocol

from kces.engines.exact import ExactEngine
from kces.engines.gradient import GradientEngine
from kces.engines.local import LocalEngine
from kces.engines.parameters import check_names
from kces.engines.problem import Problem
from kces.engines.subgraph import MonteCarloEngine, SubgraphEngine
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.memory import available_memory, format_bytes, require_memory
from kces.progress import Progress
from kces.types import Array

__all__ = ["ENGINES", "Engine", "Problem", "choose_engine", "engine_by_size", "make_engine"]


class Engine(Protocol):
    """Computes ``GKC(G) − GKC(G−e)`` for every edge e, in the order of ``graph.edges``."""

    name: str

    def memory_needed(self, problem: Problem) -> int:
        """Bytes at the peak, asked before anything large is made."""
        ...

    def score(self, problem: Problem, progress: Progress = ...) -> Array:
        """One signed number per edge."""
        ...


ENGINES: dict[str, Any] = {
    engine.name: engine for engine in (ExactEngine, LocalEngine, GradientEngine, SubgraphEngine, MonteCarloEngine)
}

_EXACT_WORK = 4e11
"""Multiplications that the exact engine may cost before ``auto`` prefers the local one: some ten seconds."""


def choose_engine(
    name: str, problem: Problem, options: dict[str, Any] | None = None, seed: int = 0
) -> tuple[Engine, str]:
    """The engine of that name, and why it was taken; refuses one that does not fit in memory."""
    if name == "auto":
        if options:
            raise InvalidParameterError("engine auto takes no options; name the engine they are for")
        engine, reason = _automatic(problem, seed)
    else:
        engine, reason = make_engine(name, options, seed), "asked for"
    instead = "use a machine with more memory" if engine.name == "gradient" else "use --engine local"
    require_memory(engine.memory_needed(problem), f"the {engine.name} engine", instead)
    return engine, reason


def make_engine(name: str, options: dict[str, Any] | None = None, seed: int = 0) -> Engine:
    """The engine of that name with these options; ``seed`` is used unless the options have their own.

    >>> make_engine("local", {"hops": 2}).name
    'local'
    """
    if name not in ENGINES:
        raise InvalidParameterError(f"unknown engine '{name}'; there are: auto, {', '.join(ENGINES)}")
    check_names(ENGINES[name], options or {})
    defaults = {} if name == "exact" else {"seed": seed}
    return ENGINES[name](**(defaults | (options or {})))


def engine_by_size(graph: Graph) -> str:
    """What ``auto`` takes where memory is no matter: the same on every machine, however busy.

    >>> from kces.datasets.toys import barbell
    >>> engine_by_size(barbell())
    'exact'
    """
    return "exact" if _exact_work(graph) <= _EXACT_WORK else "local"


def _exact_work(graph: Graph) -> float:
    return 4.0 * graph.n_edges * graph.n_nodes**2


def _automatic(problem: Problem, seed: int) -> tuple[Engine, str]:
    """Exact where it takes seconds and fits; else local, whose ranking is nearly the same."""
    graph = problem.graph
    exact = ExactEngine()
    needed, available = exact.memory_needed(problem), available_memory()
    if needed > available:
        return LocalEngine(seed=seed), f"exact would need {format_bytes(needed)} of {format_bytes(available)}"
    if engine_by_size(graph) != exact.name:
        cost = f"{_exact_work(graph):.1e} multiplications"
        return LocalEngine(seed=seed), f"exact would cost {cost} on {graph.n_edges} edges"
    return exact, f"{graph.n_nodes} nodes and {graph.n_edges} edges are few enough"
