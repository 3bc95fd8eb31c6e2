"""How a piece of work can end, and which of these an exception means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kces.errors import KCESError, MemoryLimitError

__all__ = [
    "ERROR",
    "NOT_APPLICABLE",
    "OK",
    "OOM",
    "TIMEOUT",
    "Answer",
    "JsonObject",
    "NotApplicableError",
    "status_of",
]

JsonObject: TypeAlias = dict[str, Any]
"""What passes between processes: plain values that JSON can hold."""

OK, OOM, ERROR, TIMEOUT, NOT_APPLICABLE = "ok", "oom", "error", "timeout", "not applicable"

_ALLOCATION_FAILED = ("can't allocate memory", "cannot allocate memory", "unable to allocate", "bad_alloc")


class NotApplicableError(KCESError):
    """The method cannot run on this graph at all; tables show a dash."""


@dataclass(frozen=True)
class Answer:
    """How the work ended, what it returned, why it failed (one line) and the wall time of its process."""

    status: str
    result: JsonObject = field(default_factory=dict)
    message: str = ""
    seconds: float = 0.0


def status_of(error: BaseException) -> str:
    """Out of memory, not applicable, or any other error.

    >>> status_of(MemoryError()), status_of(RuntimeError("can't allocate memory")), status_of(OSError())
    ('oom', 'oom', 'error')
    >>> status_of(NotApplicableError("needs features"))
    'not applicable'
    """
    if isinstance(error, (MemoryError, MemoryLimitError)):
        return OOM
    if any(words in str(error).lower() for words in _ALLOCATION_FAILED):
        return OOM
    return NOT_APPLICABLE if isinstance(error, NotApplicableError) else ERROR
