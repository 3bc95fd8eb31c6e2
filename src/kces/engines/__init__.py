"""Engines: ways to compute the signed change of GKC for every edge, behind one protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from kces.engines.exact import ExactEngine
from kces.engines.gradient import GradientEngine
from kces.engines.local import LocalEngine
from kces.engines.parameters import check_names
from kces.engines.parts import Parts
from kces.engines.problem import Problem
from kces.engines.regime import Regime
from kces.errors import InvalidParameterError
from kces.memory import require_memory
from kces.offered import ENGINES as OFFERED
from kces.offered import load_target
from kces.progress import Progress
from kces.types import Array

__all__ = ["ENGINES", "Engine", "Problem", "choose_engine", "make_engine"]


class Engine(Protocol):
    """Computes ``GKC(G) − GKC(G−e)`` for every edge e, in the order of ``graph.edges``."""

    name: str

    def memory_needed(self, problem: Problem) -> int:
        """Bytes at the peak, asked before anything large is made."""
        ...

    def score(self, problem: Problem, progress: Progress = ..., parts: Parts = ...) -> Array:
        """One signed number per edge; ``parts`` says where edges are scored, and what is kept."""
        ...


ENGINES: dict[str, Callable[..., Engine]] = {name: load_target(target) for name, target in OFFERED.items()}

_SOLVING = (LocalEngine.name, GradientEngine.name)
"""Engines that take the regime's solver and far field; none needs less memory."""


def choose_engine(
    name: str, problem: Problem, options: Mapping[str, object] | None = None, seed: int = 0
) -> tuple[Engine, str]:
    """The engine of that name, and why it was taken, with its way through a graph of this size.

    Free memory may make it refuse; it does not change what is chosen.
    """
    if name == "auto":
        if options:
            raise InvalidParameterError("engine auto takes no options; name the engine they are for")
        engine, reason = _automatic(problem.regime, seed)
    else:
        engine = make_engine(name, options, seed)
        reason = f"asked for; {problem.regime}" if name in _SOLVING else "asked for"
    instead = "use a machine with more memory" if engine.name in _SOLVING else "use engine local"
    require_memory(engine.memory_needed(problem), f"the {engine.name} engine", instead)
    return engine, reason


def make_engine(name: str, options: Mapping[str, object] | None = None, seed: int = 0) -> Engine:
    """The engine of that name with these options; ``seed`` is used unless the options have their own.

    >>> make_engine("local", {"hops": 2}).name
    'local'
    """
    if name not in ENGINES:
        raise InvalidParameterError(f"unknown engine '{name}'; there are: auto, {', '.join(ENGINES)}")
    check_names(name, ENGINES[name], options or {})
    defaults = {} if name == "exact" else {"seed": seed}
    engine: Engine = ENGINES[name](**{**defaults, **(options or {})})
    return engine


def _automatic(regime: Regime, seed: int) -> tuple[Engine, str]:
    """Exact where it takes seconds; else local, whose ranking is nearly the same."""
    size = f"{regime.nodes} nodes, {regime.edges} edges and {regime.triangles} triangles"
    if regime.engine == ExactEngine.name:
        return ExactEngine(), f"{size} are few enough"
    return LocalEngine(seed=seed), f"exact would cost {regime.exact_work:.1e} multiplications on {size}; {regime}"
