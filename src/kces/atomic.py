"""Writing files so that a reader sees the whole result or none of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kces.errors import OutputError

__all__ = ["atomic_write", "check_output"]


def check_output(path: Path, *, force: bool = False) -> None:
    """Refuse early, before any long computation, an output that could not be written."""
    if not path.parent.is_dir():
        raise OutputError(f"output folder {path.parent} does not exist; create it first")
    if path.is_dir():
        raise OutputError(f"output {path} is a folder; name a file")
    if path.exists() and not force:
        raise OutputError(f"output {path} exists; use --force to replace it")


@contextmanager
def atomic_write(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that is moved there only if the block succeeds.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "note.txt"
    ...     with atomic_write(target) as temporary:
    ...         _ = temporary.write_text("done")
    ...     target.read_text()
    'done'
    """
    path = Path(path)
    check_output(path, force=force)
    try:
        # The suffix is kept because writers such as numpy's choose or append one by the name.
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise OutputError(f"cannot write in {path.parent}: {error.strerror}") from error
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes a private file; the result gets the permissions any new file would have.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
