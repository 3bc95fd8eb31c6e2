"""How a piece of laboratory work can end, and which of these an exception means."""

from __future__ import annotations

from kces.errors import MemoryLimitError

__all__ = ["ERROR", "NOT_APPLICABLE", "OK", "OOM", "TIMEOUT", "one_line", "status_of"]

OK, OOM, ERROR, TIMEOUT, NOT_APPLICABLE = "ok", "oom", "error", "timeout", "not applicable"

_ALLOCATION_FAILED = ("can't allocate memory", "cannot allocate memory", "unable to allocate", "bad_alloc")


def status_of(error: BaseException) -> str:
    """Out of memory, not applicable, or any other error.

    >>> status_of(MemoryError()), status_of(RuntimeError("can't allocate memory")), status_of(OSError())
    ('oom', 'oom', 'error')
    """
    if isinstance(error, (MemoryError, MemoryLimitError)):
        return OOM
    if any(words in str(error).lower() for words in _ALLOCATION_FAILED):
        return OOM
    # By name: importing the class would import torch, which work without training need not wait for.
    names = {base.__name__ for base in type(error).__mro__}
    return NOT_APPLICABLE if "NotApplicableError" in names else ERROR


def one_line(error: BaseException) -> str:
    """The message without line breaks, or the name of the error when it has none.

    >>> one_line(ValueError("bad\\n  input")), one_line(MemoryError())
    ('bad input', 'MemoryError')
    """
    return " ".join(str(error).split())[:300] or type(error).__name__
