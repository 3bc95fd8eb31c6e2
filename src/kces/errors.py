"""What can go wrong on the user's side: every message is one line that says what, where and what to do."""

from __future__ import annotations

__all__ = [
    "GraphWarning",
    "InvalidGraphError",
    "InvalidParameterError",
    "KCESError",
    "MemoryLimitError",
    "MissingDependencyError",
    "OutputError",
    "SingularKernelError",
    "UnreadableFileError",
]


class KCESError(ValueError):
    """Base of all user errors; the command line prints it on one line and exits with code 2."""


class InvalidGraphError(KCESError):
    """The graph itself is unusable: no edges, NaN features, an edge to a node that does not exist."""


class InvalidParameterError(KCESError):
    """A parameter is outside its range or names something that does not exist."""


class UnreadableFileError(KCESError):
    """A file is missing, of an unknown format, damaged, or would need unpickling."""


class OutputError(KCESError):
    """The result cannot be written: the target exists, or its folder is missing or full."""


class MemoryLimitError(KCESError):
    """The job needs more memory than there is; the message names both and an alternative."""


class SingularKernelError(KCESError):
    """The kernel matrix cannot be inverted without a ridge."""


class MissingDependencyError(KCESError, ImportError):
    """An optional package is needed; the message says which extra installs it."""


class GraphWarning(UserWarning):
    """The graph was accepted after a repair (direction, duplicates, self-loops or weights dropped)."""
