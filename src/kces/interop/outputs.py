"""Where results go: a file, whole or not at all, packed if its name ends in .gz, or standard output."""

from __future__ import annotations

import gzip
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kces.atomic import atomic_write, output_named
from kces.interop.limits import STANDARD_STREAM

__all__ = ["open_output", "plain_name"]


def plain_name(path: Path) -> Path:
    """The name without .gz.

    >>> plain_name(Path("links.csv.gz")).name, plain_name(Path("links.csv")).name
    ('links.csv', 'links.csv')
    """
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


@contextmanager
def open_output(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a temporary path to write to; when the block succeeds, its content goes to ``path``.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "note.txt.gz"
    ...     with open_output(target) as temporary:
    ...         _ = temporary.write_text("done")
    ...     gzip.decompress(target.read_bytes())
    b'done'
    """
    target = Path(path)
    if target == STANDARD_STREAM:
        with _workspace(target) as plain, output_named("standard output"):
            yield plain
            with plain.open("rb") as content:
                shutil.copyfileobj(content, sys.stdout.buffer)
            sys.stdout.buffer.flush()
    elif target.suffix.lower() == ".gz":
        with atomic_write(target, force=force) as packed, _workspace(target) as plain:
            yield plain
            # No name and no time inside: the same result is the same file.
            with plain.open("rb") as content, packed.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as stream:
                shutil.copyfileobj(content, stream)
    else:
        with atomic_write(target, force=force) as temporary:
            yield temporary


@contextmanager
def _workspace(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kces-") as folder:
        yield Path(folder) / plain_name(path).name
