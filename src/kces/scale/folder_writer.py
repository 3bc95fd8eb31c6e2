"""Writing a graph folder: files grow in a temporary folder beside it, which takes its name when all is there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from kces.atomic import hidden_prefix, output_named
from kces.errors import OutputError
from kces.scale.folder_manifest import MANIFEST, FolderManifest, StoredFile, file_hash
from kces.types import Values

__all__ = ["FolderWriter", "GrowingArray", "array_file", "new_folder", "sync"]


class GrowingArray:
    """A ``.npy`` file that rows are appended to; how many there are is written when it is closed.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with GrowingArray(Path(folder) / "x.npy", np.int64, (2,)) as rows:
    ...         rows.append(np.array([[1, 2], [3, 4]]))
    ...     np.load(Path(folder) / "x.npy").tolist()
    [[1, 2], [3, 4]]
    """

    def __init__(self, path: Path, dtype: npt.DTypeLike, row_shape: tuple[int, ...] = ()) -> None:
        self.path, self.dtype, self.row_shape = path, np.dtype(dtype), row_shape
        self.length = 0
        self._file = path.open("wb")
        self._write_header()
        self._start = self._file.tell()

    def append(self, rows: Values) -> None:
        self._file.write(np.ascontiguousarray(rows, dtype=self.dtype).data)
        self.length += len(rows)

    def close(self) -> None:
        # numpy pads headers so that the first axis can be given its length later, in place.
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._start:
            raise OutputError(f"cannot write {self.path}: the array is too long for its header")
        sync(self._file.fileno())
        self._file.close()

    def _write_header(self) -> None:
        shape = (self.length, *self.row_shape)
        said = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, said)

    def __enter__(self) -> GrowingArray:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self._file.close()


class FolderWriter:
    """Collects the files of a folder that is being made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def array(self, name: str, values: Values) -> None:
        """A whole array as one file."""
        with self.growing(name, values.dtype, values.shape[1:]) as rows:
            rows.append(values)

    def growing(self, name: str, dtype: npt.DTypeLike, row_shape: tuple[int, ...] = ()) -> GrowingArray:
        """A file to append rows to."""
        return GrowingArray(self.folder / array_file(name), dtype, row_shape)

    def stored(self) -> dict[str, StoredFile]:
        """All files so far, with their checksums."""
        return {path.name: _described(path) for path in sorted(self.folder.glob("*.npy"))}

    def finish(self, manifest: FolderManifest) -> None:
        """Write the manifest, the last file: a folder without one is no graph."""
        path = self.folder / MANIFEST
        path.write_text(manifest.to_json())
        with path.open("rb") as file:
            sync(file.fileno())


def array_file(name: str) -> str:
    """The file name of an array."""
    return f"{name}.npy"


def sync(handle: int) -> None:
    """Make sure that what was written survives a crash of the machine, where the system can."""
    os.fsync(handle)


@contextmanager
def new_folder(path: Path, *, force: bool = False) -> Iterator[FolderWriter]:
    """Yield a writer into a temporary folder, which becomes ``path`` only if the block succeeds.

    A link stays, and the folder that it leads to is replaced.

    Parameters
    ----------
    path : where the folder belongs.
    force : replace a graph folder that exists; anything else is never replaced.
    """
    check_new_folder(path, force=force)
    with output_named(path):
        target = Path(os.path.realpath(path))
        temporary = Path(tempfile.mkdtemp(prefix=hidden_prefix(target.name), dir=target.parent))
        try:
            yield FolderWriter(temporary)
            os.chmod(temporary, 0o777 & ~_umask())
            _move(temporary, target, replace=force)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def check_new_folder(path: Path, *, force: bool) -> None:
    """Refuse early a folder that could not be made."""
    with output_named(path):
        folder, is_new = Path(os.path.realpath(path)).parent, not path.exists()
    if not folder.is_dir():
        raise OutputError(f"output folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"output folder {folder} is read-only; choose another")
    if is_new:
        return
    if not path.is_dir() or not (path / MANIFEST).is_file():
        raise OutputError(f"output {path} exists and is no graph folder; choose another name")
    if not force:
        raise OutputError(f"output {path} exists; use force to replace it")


def _move(finished: Path, target: Path, *, replace: bool) -> None:
    """To its place in one step, unless something is there: then a graph folder makes room, if it may be replaced."""
    while True:
        try:
            os.rename(finished, target)
            return
        except OSError as error:
            if not target.exists():
                raise
            if not replace or not (target / MANIFEST).is_file():
                raise FileExistsError(target) from error
        aside = tempfile.TemporaryDirectory(prefix=hidden_prefix(target.name), dir=target.parent)
        with aside as place, suppress(FileNotFoundError):  # another writer has just made room
            os.rename(target, Path(place) / "old")


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def _described(path: Path) -> StoredFile:
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return StoredFile(path.stat().st_size, file_hash(path), dtype.str, tuple(shape))
