"""How long-running work reports its progress, without depending on a terminal."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "in_minutes", "silent"]


class Progress(Protocol):
    """Called with a short description, the units done so far and the units in all."""

    def __call__(self, what: str, done: int, total: int) -> None: ...


def silent(what: str, done: int, total: int) -> None:
    """Report nothing: the default in the library."""


def in_minutes(seconds: float) -> str:
    """A time for people, who need not know it better than that; at least a minute.

    >>> in_minutes(45), in_minutes(200)
    ('a minute', '3 minutes')
    """
    minutes = round(seconds / 60)
    return "a minute" if minutes <= 1 else f"{minutes} minutes"
