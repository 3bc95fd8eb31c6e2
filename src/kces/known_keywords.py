"""Calls that Python would answer with a message about the inside: keywords that are unknown, a table out of place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from kces.errors import InvalidParameterError
from kces.scorers.score_options import PaperKeywords

__all__ = ["with_known_keywords"]

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_ABOUT_NODES = frozenset({"nodes", "features", "node_features", "x"})
_ABOUT_COLUMNS = frozenset({"source", "target", "label", "id_column", "scale"})
"""Keywords of :meth:`kces.Graph.from_pandas`, which people try on the functions too."""


def with_known_keywords(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """The function, which answers a keyword that it does not have, or a table beside the graph, in one line.

    Without it ``**paper`` is handed on, and the message names a class that the caller has never heard of.

    >>> @with_known_keywords
    ... def rank(graph, alpha=0.5, *, seed=0):
    ...     return alpha
    >>> rank([], 0.25)
    0.25
    >>> rank([], sead=1)
    Traceback (most recent call last):
        ...
    TypeError: rank() has no keyword 'sead'; it has alpha, seed
    """
    called, pair, before = _called(function)
    known = _keywords(function)

    @wraps(function)
    def checked(*args: Given.args, **keywords: Given.kwargs) -> Answer:
        unknown = next((keyword for keyword in keywords if keyword not in known), None)
        if unknown is not None:
            raise TypeError(
                f"{called}() has no keyword {unknown!r}; {_remedy(unknown, keywords[unknown], known, pair)}"
            )
        if any(_is_table(value) for value in args[before:]):
            raise InvalidParameterError(f"{called}() takes one graph; {pair}")
        return function(*args, **keywords)

    return checked


def _called(function: Callable[..., object]) -> tuple[str, str, int]:
    """What the caller calls, how a table of nodes goes in there, and how many arguments come before the options."""
    owner, _, name = function.__qualname__.rpartition(".")
    is_method = "self" in inspect.signature(function).parameters
    makes = name == "__init__"
    call = f"{owner}().{'fit' if makes else name}" if is_method else name
    pair = f"give a table of nodes with the edges, as a pair: kces.{call}((edges, nodes))"
    return owner if makes else name, pair, int(is_method) + int(not makes)


def _keywords(function: Callable[..., object]) -> list[str]:
    """All names that may be given, with those of ``**paper``."""
    parameters = inspect.signature(function).parameters.values()
    passed_on = [*PaperKeywords.__annotations__] if any(each.kind is each.VAR_KEYWORD for each in parameters) else []
    return [each.name for each in parameters if each.kind is not each.VAR_KEYWORD and each.name != "self"] + passed_on


def _remedy(unknown: str, value: object, known: list[str], pair: str) -> str:
    if unknown in _ABOUT_NODES or _is_table(value):
        return pair
    if unknown in _ABOUT_COLUMNS:
        return f"give the graph as kces.Graph.from_pandas(edges, nodes, {unknown}=...)"
    return f"it has {', '.join(name for name in known if name not in ('graph', 'y'))}"


def _is_table(value: object) -> bool:
    """Whether it is a data frame of any library, or a matrix: no option is one.

    >>> import numpy as np
    >>> _is_table(np.ones((2, 2))), _is_table(np.ones(2)), _is_table("auto")
    (True, False, False)
    """
    shape = getattr(value, "shape", None)
    return isinstance(shape, tuple) and len(shape) == 2
