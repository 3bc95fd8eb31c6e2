"""What a file may claim: sizes are checked against the memory at hand before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kces.errors import KCESError, MemoryLimitError, UnreadableFileError

__all__ = ["available_memory", "check_fits", "damage_named", "one_line", "read_bytes"]

# Reading, converting to float64 and building the adjacency hold about this much per node at once.
BYTES_PER_NODE = 100


def available_memory() -> int:
    """Bytes that can be allocated now, as far as the system tells; a generous guess where it does not."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 8 * 2**30


def check_fits(needed: int, what: str) -> None:
    """Refuse ``what`` when it would need more bytes than there are.

    >>> check_fits(1000, "a small table")
    """
    available = available_memory()
    if needed > available:
        raise MemoryLimitError(
            f"{what} would need {needed / 1e9:,.1f} GB of memory, and {available / 1e9:,.1f} GB is available"
        )


def read_bytes(path: Path) -> bytes:
    """The whole file, or one line that says why not."""
    try:
        if path.is_dir():
            raise UnreadableFileError(f"{path} is a folder; name a file")
        check_fits(path.stat().st_size, f"reading {path}")
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise UnreadableFileError(f"{path} does not exist") from error
    except OSError as error:
        raise UnreadableFileError(f"cannot read {path}: {error.strerror or error}") from error
    if not content:
        raise UnreadableFileError(f"{path} is empty")
    return content


def one_line(error: BaseException, limit: int = 160) -> str:
    """The error's message on one line, cut where it rambles.

    >>> one_line(ValueError("first\\n  second"))
    'first second'
    """
    message = " ".join(str(error).split()) or type(error).__name__
    return message if len(message) <= limit else message[: limit - 1] + "…"


@contextmanager
def damage_named(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a third-party parser raises on a damaged file into one line.

    The net is wide because those parsers promise no exception types; put nothing but their calls in it.
    """
    try:
        yield
    except KCESError:
        raise
    except Exception as error:
        raise UnreadableFileError(f"{path} is not a readable {kind} file: {one_line(error)}") from error
