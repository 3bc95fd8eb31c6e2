"""Engines: ways to compute the signed change of GKC for every edge, behind one protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from kces.engines.exact import ExactEngine
from kces.engines.problem import Array, Problem
from kces.errors import InvalidParameterError
from kces.progress import Progress

__all__ = ["ENGINES", "Engine", "Problem", "choose_engine"]


class Engine(Protocol):
    """Computes ``GKC(G) − GKC(G−e)`` for every edge e, in the order of ``graph.edges``."""

    name: str

    def memory_needed(self, problem: Problem) -> int:
        """Bytes at the peak, asked before anything large is made."""
        ...

    def score(self, problem: Problem, progress: Progress = ...) -> Array:
        """One signed number per edge."""
        ...


ENGINES: dict[str, Callable[..., Engine]] = {"exact": ExactEngine}


def choose_engine(
    name: str, problem: Problem, options: dict[str, Any] | None = None, seed: int = 0
) -> tuple[Engine, str]:
    """The engine of that name, and why it was taken."""
    if name == "auto":
        return ExactEngine(), "the only engine"
    if name not in ENGINES:
        raise InvalidParameterError(f"unknown engine '{name}'; there are: auto, {', '.join(ENGINES)}")
    return ENGINES[name](**(options or {})), "asked for"
