"""How long-running work reports its progress, without depending on a terminal."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "silent"]


class Progress(Protocol):
    """Called with a short description, the units done so far and the units in all."""

    def __call__(self, what: str, done: int, total: int) -> None: ...


def silent(what: str, done: int, total: int) -> None:
    """Report nothing: the default in the library."""
