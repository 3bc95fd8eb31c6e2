"""The types of the fixture ``run_kces``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Ran", "RunKces"]


class Ran(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


RunKces = Callable[..., Ran]
