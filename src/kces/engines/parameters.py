"""Checks of the engines' options: they also come from the command line, so a wrong one must read well."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from numbers import Integral

from kces.errors import InvalidParameterError

__all__ = ["check_names", "whole_number"]


def whole_number(name: str, value: object, least: int = 1) -> int:
    """``value`` if it is a whole number of at least ``least``.

    >>> whole_number("cap", 8)
    8
    >>> whole_number("cap", "many")
    Traceback (most recent call last):
    ...
    kces.errors.InvalidParameterError: cap must be a whole number of at least 1, got many
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InvalidParameterError(f"{name} must be a whole number of at least {least}, got {value}")
    return int(value)


def check_names(name: str, engine: Callable[..., object], given: Iterable[str]) -> None:
    """Refuse options that the engine of that name does not have, and name those it has."""
    known = list(inspect.signature(engine).parameters)
    unknown = [option for option in given if option not in known]
    if unknown:
        has = f"it has: {', '.join(known)}" if known else "it has none"
        raise InvalidParameterError(f"engine {name} has no option {', '.join(unknown)}; {has}")
