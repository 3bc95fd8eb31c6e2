"""Writing files so that a reader sees the whole result or none of it."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kces.errors import OutputError

__all__ = ["atomic_write", "check_output", "hidden_prefix", "is_standard_output", "is_stream", "output_named"]

_PREFIX_LETTERS = 40
"""Of four bytes at most: with ten more for the temporary part a name stays below the 255 of most systems."""
_OPEN_STREAM = re.compile(r"/dev/(stdout|stderr)|(?:/dev|/proc/self)/fd/(\d+)")


def check_output(path: Path, *, force: bool = False) -> None:
    """Refuse early, before any long computation, an output that could not be written.

    Parameters
    ----------
    path : a file, or a pipe or device, which is written into and never replaced.
    force : allow a file that exists; it will be replaced.
    """
    if not path.parent.is_dir():
        raise OutputError(f"output folder {path.parent} does not exist; create it first")
    mode = _mode(path)
    if mode is None:
        if not (folder := _target(path).parent).is_dir():
            raise OutputError(f"output {path} is a link into {folder}, which does not exist; create it first")
    elif stat.S_ISDIR(mode):
        raise OutputError(f"output {path} is a folder; name a file")
    elif not _is_stream(path, mode) and not force:
        raise OutputError(f"output {path} exists; use force to replace it")
    if not is_stream(path) and not os.access(_target(path).parent, os.W_OK | os.X_OK):
        raise OutputError(f"output folder {_target(path).parent} is read-only; choose another")


@contextmanager
def atomic_write(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a temporary path; what the block wrote there becomes ``path`` only if the block succeeds.

    A link stays, and the file that it leads to is replaced. A pipe or device (``/dev/stdout``) stays too, and the whole
    result is written into it. Of two that write at once, with ``force`` the last one to finish stays, whole; without,
    the first one stays and the other is refused.

    Parameters
    ----------
    path : where the result belongs.
    force : replace a file that exists.

    Examples
    --------
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
    mode = _mode(path)
    streamed = is_stream(path)
    temporary = _temporary_beside(path, None if streamed else _target(path).parent)
    try:
        with output_named(path):
            yield temporary
            if streamed:
                _pour(temporary, path)
            else:
                os.chmod(temporary, _permissions(mode))
                _move(temporary, _target(path), replace=force)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


@contextmanager
def output_named(path: str | Path) -> Iterator[None]:
    """Turn what the system says of a failed write into one line that names the output."""
    try:
        yield
    except BrokenPipeError:  # the reader has heard enough, which is no failure of the output
        raise
    except FileExistsError as error:
        raise OutputError(f"output {path} has come to exist meanwhile; use force to replace it") from error
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def is_stream(path: Path) -> bool:
    """Whether the path is a pipe, a device or a stream that is open, beside which nothing can stand.

    >>> is_stream(Path("/dev/stdout")), is_stream(Path("no such file"))
    (True, False)
    """
    mode = _mode(path)
    return mode is not None and _is_stream(path, mode)


def is_standard_output(path: Path) -> bool:
    """Whether the path stands for what this process prints to, under any of its names.

    >>> [is_standard_output(Path(name)) for name in ("-", "/dev/stdout", "/dev/fd/1", "/dev/stderr", "stdout")]
    [True, True, True, False, False]
    """
    match = _OPEN_STREAM.fullmatch(str(path))
    return path == Path("-") or (match is not None and (match[1] == "stdout" or match[2] == "1"))


def _mode(path: Path) -> int | None:
    """Type and permissions of what is there, links followed; None for nothing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


def _is_stream(path: Path, mode: int) -> bool:
    # /dev/stdout is a regular file where the shell redirected it; replacing that would lose what is printed there.
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _OPEN_STREAM.fullmatch(str(path)) is not None


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _temporary_beside(path: Path, folder: Path | None) -> Path:
    """A new empty file in ``folder`` (so that it can be moved to its place), or where temporary files go."""
    try:
        # The suffix is kept because writers such as numpy's choose or append one by the name.
        handle, name = tempfile.mkstemp(prefix=hidden_prefix(path.stem), suffix=path.suffix, dir=folder)
        os.close(handle)
    except OSError as error:
        raise OutputError(f"cannot write in {folder or tempfile.gettempdir()}: {error.strerror}") from error
    return Path(name)


def hidden_prefix(name: str) -> str:
    """How a temporary name begins: hidden, like the name it is for, and no longer than that may be.

    >>> hidden_prefix("clean"), len(hidden_prefix("x" * 250))
    ('.clean-', 42)
    """
    return f".{name[:_PREFIX_LETTERS]}-"


def _move(finished: Path, target: Path, *, replace: bool) -> None:
    """To its place in one step; without ``replace`` only if nothing is there, which a second name tells in one step."""
    if not replace:
        try:
            os.link(finished, target)
            return
        except FileExistsError:
            raise
        except OSError:  # a file system without second names: a look just before is the best there is
            if target.exists():
                raise FileExistsError(target) from None
    os.replace(finished, target)


def _permissions(mode: int | None) -> int:
    """Those of the file that is replaced, else those that any new file would have; a temporary file is private."""
    if mode is not None:
        return stat.S_IMODE(mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _pour(finished: Path, stream: Path) -> None:
    with finished.open("rb") as source, _open_stream(stream) as sink:
        shutil.copyfileobj(source, sink)


def _open_stream(path: Path) -> BinaryIO:
    """The pipe or device, open for writing; one that this process has open shares its position with what is printed."""
    match = _OPEN_STREAM.fullmatch(str(path))
    if match is None:
        return path.open("wb")
    sys.stdout.flush()
    number = int(match[2]) if match[2] else {"stdout": 1, "stderr": 2}[match[1]]
    return os.fdopen(os.dup(number), "wb")
