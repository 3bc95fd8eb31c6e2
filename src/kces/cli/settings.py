"""Options of the form ``NAME=VALUE``, for whatever has parameters of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import typer

from kces.errors import InvalidParameterError

__all__ = ["parse_settings", "settings_option"]


def settings_option(flag: str, what: str, *, panel: str | None = None) -> Any:
    """A repeatable option whose words :func:`parse_settings` reads."""
    return typer.Option(flag, metavar="NAME=VALUE", help=f"{what}; may be given several times.", rich_help_panel=panel)


def parse_settings(option: str, given: list[str] | None) -> dict[str, int | float | bool | str]:
    """The ``NAME=VALUE`` words of an option, each value as the simplest type that it reads as.

    >>> parse_settings("--engine-option", ["hops=2", "share=0.5", "fast=true", "name=x"])
    {'hops': 2, 'share': 0.5, 'fast': True, 'name': 'x'}
    """
    settings = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InvalidParameterError(f"{option} takes NAME=VALUE, got '{text}'")
        settings[name.strip()] = _parse_value(value.strip())
    return settings


def _parse_value(text: str) -> int | float | bool | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        return float(text)
    return text
