"""A command line that cannot be understood, said in one line where Typer draws a box."""

from __future__ import annotations

from typing import Any

import typer

__all__ = ["USAGE_ERRORS", "usage_line"]

USAGE_ERRORS: tuple[type[Exception], ...] = tuple(
    parent for parent in typer.BadParameter.__mro__ if parent.__name__ == "ClickException"
)
"""What Typer raises for a wrong command line; older versions take the class from click, newer ones have their own."""


def usage_line(error: Any) -> str:
    """What is wrong with the command line, and which help shows what is right.

    >>> usage_line(typer.BadParameter("'x' is not a valid integer.", param_hint="--seed"))
    "Invalid value for --seed: 'x' is not a valid integer"
    """
    context = getattr(error, "ctx", None)
    message = " ".join(str(error.format_message()).split())
    if context is None:
        return message.removesuffix(".")
    see = " See" if message.endswith("?") else "; see"
    return f"{message.removesuffix('.')}{see} `{context.command_path} --help`"
