"""Lines on stderr, and output that any terminal can show. Light: it is loaded before every command."""

from __future__ import annotations

import codecs
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["print_error", "shortened", "shown", "stay_printable", "warnings_as_lines"]

_PLAIN = {
    "–": "-", "−": "-", "…": "...", "±": "+/-", "×": "x", "≥": ">=", "≤": "<=", "≈": "~", "→": "->", "²": "^2",
    "’": "'", "“": '"', "”": '"', "α": "alpha", "λ": "lambda", "ρ": "rho", "Δ": "Delta", "ε": "eps",
}  # fmt: skip
_HANDLER = "kces-plain"
_LONGEST = 1_000


def stay_printable(*streams: TextIO) -> None:
    """Let the streams replace what their encoding lacks (an ASCII terminal has no ±) instead of failing."""
    codecs.register_error(_HANDLER, _plain_text)
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and getattr(stream, "errors", None) == "strict":
            reconfigure(errors=_HANDLER)


def _plain_text(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in missing), error.end


def shown(text: str) -> str:
    """Text whose control characters are spelled out: a node called like a command of the terminal gives none.

    >>> print(shown("\\x1b[31mred"), shown("ann"))
    \\x1b[31mred ann
    """
    if text.isprintable():
        return text
    return "".join(character if _is_harmless(character) else _spelled(character) for character in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character in "\n\t" or unicodedata.category(character) in ("Zs", "Zl", "Zp")


def _spelled(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def shortened(text: str) -> str:
    """The beginning and the end of a text that would fill the screen, such as one with a name of a million letters.

    >>> len(shortened("a" * 10**6)), shortened("ann")
    (1000, 'ann')
    """
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half + 1 :]}"


def print_error(message: str) -> None:
    """One line on stderr that says why the program ends."""
    _print_line("error:", "bold red", message)


@contextmanager
def warnings_as_lines(*, quiet: bool) -> Iterator[None]:
    """Show each warning as one line on stderr instead of Python's two.

    Parameters
    ----------
    quiet : show none.
    """

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if not quiet:
            _print_line("warning:", "yellow", str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        # What torch says while it is imported is meant for whoever programs with it.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = show
        yield


def _print_line(label: str, style: str, message: str) -> None:
    from rich.console import Console
    from rich.text import Text

    line = Text.assemble((label, style), " ", " ".join(shown(shortened(message)).split()))
    Console(file=sys.stderr).print(line, highlight=False, soft_wrap=True)
