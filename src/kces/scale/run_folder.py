"""A run folder: what a long computation has finished, so that it goes on after a kill and ends with the same bytes.

Results of an item are written under temporary names and renamed; a small record with their checksums comes last. An
item without a whole record has not been done. The manifest says what is computed: another input or parameter in the
same folder is refused, and a lock keeps a second process out.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kces.atomic import output_named
from kces.errors import OutputError, UnreadableFileError
from kces.scale.checked_arrays import file_size, is_intact, write_checked
from kces.types import Values

__all__ = ["RunFolder", "locked_run", "start_run"]

_MANIFEST = "run.json"
_FORMAT = 1


@dataclass(frozen=True)
class RunFolder:
    """Results of items, by stage and number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run = RunFolder(Path(place))
    ...     run.save("square", 3, {"value": np.array([9])})
    ...     run.is_done("square", 3), run.is_done("square", 4), run.load("square", 3, "value").tolist()
    (True, False, [9])
    """

    path: Path

    def file(self, stage: str, item: int, name: str) -> Path:
        return self.path / f"{stage}-{item:05d}-{name}.npy"

    def record(self, stage: str, item: int) -> Path:
        return self.path / f"{stage}-{item:05d}.json"

    def save(self, stage: str, item: int, results: Mapping[str, Values]) -> None:
        """Write the results of an item, whole or not at all."""
        checks = {}
        with output_named(self.path):
            for name, values in results.items():
                final = self.file(stage, item, name)
                checks[final.name] = write_checked(final, values)
            record = self.record(stage, item)
            temporary = record.with_suffix(f".{os.getpid()}.tmp")
            temporary.write_text(json.dumps(checks))
            os.replace(temporary, record)

    def is_done(self, stage: str, item: int) -> bool:
        """Whether an item has a record and its files are there in full size."""
        checks = self._checks(stage, item)
        return checks is not None and all(file_size(self.path / name) == size for name, (size, _) in checks.items())

    def is_sound(self, stage: str, item: int) -> bool:
        """The same, with every byte compared with the checksums."""
        checks = self._checks(stage, item)
        return checks is not None and all(is_intact(self.path / name, check) for name, check in checks.items())

    def load(self, stage: str, item: int, name: str) -> Values:
        """One result, mapped into memory."""
        file = self.file(stage, item, name)
        try:
            with file.open("rb") as stream:
                np.lib.format.read_magic(stream)
                empty = not np.prod(np.lib.format.read_array_header_1_0(stream)[0])
            return np.asarray(np.load(file, mmap_mode=None if empty else "r", allow_pickle=False))
        except (OSError, ValueError) as error:
            raise UnreadableFileError(
                f"{file} is damaged or gone ({error}); resume the run, which makes it again"
            ) from error

    def forget(self, stage: str) -> None:
        """Drop the results of a stage that nobody needs any more."""
        for path in self.path.glob(f"{stage}-*"):
            path.unlink(missing_ok=True)

    def _checks(self, stage: str, item: int) -> dict[str, tuple[int, int]] | None:
        try:
            said = json.loads(self.record(stage, item).read_text())
            return {str(name): (int(size), int(checksum)) for name, (size, checksum) in said.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return None


def start_run(path: Path, parameters: Mapping[str, Any], *, resume: bool) -> dict[str, Any]:
    """Make the folder for a run of these parameters, or go on with the one that is there; what its manifest says.

    Parameters
    ----------
    path : the run folder.
    parameters : all that results depend on; those under ``layout`` are taken from the run that is there.
    resume : whether a run that is there is meant to go on.
    """
    manifest = path / _MANIFEST
    if not manifest.is_file():
        if path.exists() and not path.is_dir():
            raise OutputError(f"run folder {path} is a file; name another")
        if path.is_dir() and any(each.name != "lock" for each in path.iterdir()):
            raise OutputError(f"{path} holds other files and no run; name another folder")
        with output_named(path):
            path.mkdir(exist_ok=True)
            temporary = manifest.with_suffix(".tmp")
            temporary.write_text(json.dumps({"format": _FORMAT, **parameters}, indent=1))
            os.replace(temporary, manifest)
        return dict(parameters)
    try:
        known = json.loads(manifest.read_text())
    except (OSError, ValueError) as error:
        raise UnreadableFileError(f"{manifest} is damaged ({error}); delete {path} to start over") from error
    if not resume:
        raise OutputError(f"{path} holds an unfinished run; resume it, or delete it to start over")
    differences = _differences(known, {"format": _FORMAT, **parameters})
    if differences:
        raise OutputError(f"{path} holds another run: {differences}; name another folder")
    return {**parameters, "layout": known["layout"]}


@contextmanager
def locked_run(path: Path) -> Iterator[None]:
    """Keep a second process out of a run folder; the lock goes with this process, also when it is killed."""
    with output_named(path):
        path.mkdir(exist_ok=True)
        lock = (path / "lock").open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(f"another process is using the run folder {path}; wait for it, or name another") from None
        try:
            yield
        finally:
            _leave_nothing(path)


def _leave_nothing(path: Path) -> None:
    """A folder in which no run was started goes again."""
    if [each.name for each in path.iterdir()] == ["lock"]:
        shutil.rmtree(path, ignore_errors=True)


def delete_run(path: Path) -> None:
    """Remove a run folder that is finished."""
    if (path / _MANIFEST).is_file():
        shutil.rmtree(path, ignore_errors=True)


def _differences(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    names = [name for name in {**known, **wanted} if name != "layout" and known.get(name) != wanted.get(name)]
    return ", ".join(f"{name} is {known.get(name)!r} there and {wanted.get(name)!r} here" for name in names)
