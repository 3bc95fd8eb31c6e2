"""What can go wrong on the user's side: every message is one line that says what, where and what to do."""

from __future__ import annotations

__all__ = [
    "AmbiguousInputError",
    "ClusterError",
    "GraphWarning",
    "InvalidGraphError",
    "InvalidParameterError",
    "KCESError",
    "MemoryLimitError",
    "MissingDependencyError",
    "OutputError",
    "SingularKernelError",
    "UnreadableFileError",
    "briefly",
    "one_line",
]


_ANSWERS = {"header": "header=True or header=False"}


class KCESError(ValueError):
    """Base of all user errors; the command line prints it on one line and exits with code 2."""


class InvalidGraphError(KCESError):
    """The graph itself is unusable: no edges, NaN features, an edge to a node that does not exist."""


class InvalidParameterError(KCESError):
    """A parameter is outside its range or names something that does not exist."""


class UnreadableFileError(KCESError):
    """A file is missing, of an unknown format, damaged, or would need unpickling."""


class AmbiguousInputError(KCESError):
    """An input can be read in more than one way: the message is one question, and says how to answer it.

    ``parameters`` names the keyword parameters that answer it; the command line shows its options in their place.

    >>> raise AmbiguousInputError("links.csv: is its first line a header?", ("header",))
    Traceback (most recent call last):
        ...
    kces.errors.AmbiguousInputError: links.csv: is its first line a header? Answer with header=True or header=False
    """

    def __init__(self, question: str, parameters: tuple[str, ...]) -> None:
        self.question = question
        self.parameters = parameters
        answers = [_ANSWERS.get(name, f"{name}=") for name in parameters]
        super().__init__(f"{question} Answer with {' and '.join(answers)}")


class OutputError(KCESError):
    """The result cannot be written: the target exists, or its folder is missing or full."""


class MemoryLimitError(KCESError):
    """The job needs more memory than there is; the message names both and an alternative."""


class ClusterError(KCESError):
    """Workers or the scheduler of a cluster are lost; the message says what is kept and how to go on."""


class SingularKernelError(KCESError):
    """The kernel matrix cannot be inverted without a ridge."""


class MissingDependencyError(KCESError, ImportError):
    """An optional package is needed; the message says which extra installs it."""


class GraphWarning(UserWarning):
    """The graph was accepted after a repair (direction, duplicates, self-loops or weights dropped)."""


def one_line(error: BaseException, limit: int = 200) -> str:
    """The error's message on one line, cut where it rambles; its name where it has none.

    >>> one_line(ValueError("first\\n  second")), one_line(MemoryError()), one_line(KeyError("perhaps"))
    ('first second', 'MemoryError', "unknown 'perhaps'")
    """
    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, KeyError):  # all that it says is what was looked for
        message = f"unknown {message}"
    return message if len(message) <= limit else message[: limit - 1] + "…"


def briefly(value: object, limit: int = 40) -> str:
    """A wrong value in a few characters: numbers and words as they are, of anything large only what it is.

    >>> import numpy as np
    >>> briefly(1.5), briefly("x" * 99, 9), briefly(np.ones((3, 2))), briefly(None)
    ('1.5', "'xxxxxxx…", 'ndarray', 'None')
    """
    is_plain = value is None or isinstance(value, (str, bytes, int, float, complex)) or getattr(value, "shape", 0) == ()
    shown = repr(value) if isinstance(value, (str, bytes)) else str(value) if is_plain else type(value).__name__
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
