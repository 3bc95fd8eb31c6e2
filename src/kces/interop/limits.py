"""What a file may claim: sizes are checked against the memory at hand before anything is allocated."""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kces.errors import KCESError, UnreadableFileError, one_line
from kces.memory import require_memory

__all__ = [
    "STANDARD_INPUT",
    "STANDARD_STREAM",
    "check_fits",
    "damage_named",
    "read_bytes",
    "read_standard_input",
]

STANDARD_STREAM = Path("-")
"""The name that stands for standard input and standard output."""
STANDARD_INPUT = Path("standard input")
"""How messages and graphs name what came from there."""

# Reading, converting to float64 and building the adjacency hold about this much per node at once.
BYTES_PER_NODE = 100
# Positions, values, their sorted copies and the graph made of them.
BYTES_PER_ENTRY = 60
GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 2**24


def check_fits(needed: int, what: str) -> None:
    """Refuse ``what`` when it would need more bytes than there are.

    >>> check_fits(1000, "a small table")
    """
    require_memory(needed, what, "use a smaller file or a larger machine")


def read_bytes(path: Path) -> bytes:
    """The whole file, unpacked if its name ends in .gz, or one line that says why not."""
    try:
        if path.is_dir():
            raise UnreadableFileError(f"{path} is a folder; name a file")
        check_fits(path.stat().st_size, f"reading {path}")
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise UnreadableFileError(f"{path} does not exist") from error
    except OSError as error:
        raise UnreadableFileError(f"cannot read {path}: {error.strerror or error}") from error
    return _not_empty(unpacked(content, path) if path.suffix.lower() == ".gz" else content, path)


def read_standard_input() -> bytes:
    """All of standard input, unpacked if it is gzip."""
    content = sys.stdin.buffer.read()
    plain = unpacked(content, STANDARD_INPUT) if content.startswith(GZIP_MAGIC) else content
    return _not_empty(plain, STANDARD_INPUT)


def unpacked(content: bytes, path: Path) -> bytes:
    """The content of a gzip file, piece by piece, so that a small file that unfolds without end is noticed.

    >>> import gzip
    >>> unpacked(gzip.compress(b"a,b"), Path("links.csv.gz"))
    b'a,b'
    """
    pieces = io.BytesIO()
    while content:
        stream = zlib.decompressobj(wbits=31)
        try:
            while content and not stream.eof:
                pieces.write(stream.decompress(content, _PIECE))
                check_fits(pieces.tell(), f"unpacking {path}")
                content = stream.unconsumed_tail
        except zlib.error as error:
            raise UnreadableFileError(f"{path} is not a readable gzip file: {one_line(error)}") from error
        if not stream.eof:
            raise UnreadableFileError(f"{path} is not a readable gzip file: it is cut short")
        content = stream.unused_data.lstrip(b"\0")
    return pieces.getvalue()


def _not_empty(content: bytes, path: Path) -> bytes:
    if not content:
        raise UnreadableFileError(f"{path} is empty")
    return content


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
