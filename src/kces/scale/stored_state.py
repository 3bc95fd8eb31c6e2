"""Shared read-only state on disk: named tuples of arrays, written once and mapped by every process that reads them.

Plain arrays with a description in JSON, and no pickle: nothing in a folder can make a program run anything.
"""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from kces.atomic import output_named
from kces.errors import UnreadableFileError
from kces.scale.checked_arrays import is_intact, write_checked

__all__ = ["is_sound", "load_state", "save_state"]

_DESCRIPTION = "state.json"
_ROOM = "kces.engines."
"""Where the named tuples are defined that may be read."""


def save_state(state: Any, folder: Path) -> None:
    """Write nested named tuples of arrays, sparse matrices and numbers to a folder; the description comes last.

    Parameters
    ----------
    state : what to write.
    folder : is made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     save_state((np.arange(3), 0.5, None), Path(place) / "state")
    ...     [part if part is None else float(np.sum(part)) for part in load_state(Path(place) / "state")]
    [3.0, 0.5, None]
    """
    with output_named(folder):
        folder.mkdir(exist_ok=True)
        description = _described(state, folder, "state")
        temporary = folder / f"{_DESCRIPTION}.tmp"
        temporary.write_text(json.dumps(description))
        os.replace(temporary, folder / _DESCRIPTION)


def load_state(folder: Path) -> Any:
    """What :func:`save_state` wrote; arrays are mapped, and changes to them are nobody else's."""
    try:
        return _rebuilt(json.loads((folder / _DESCRIPTION).read_text()), folder)
    except (OSError, ValueError, KeyError, AttributeError, ImportError) as error:
        raise UnreadableFileError(f"{folder} is damaged ({error}); delete it and run again") from error


def is_sound(folder: Path) -> bool:
    """Whether a folder holds a state, every byte of it as it was written."""
    try:
        checks = _checks(json.loads((folder / _DESCRIPTION).read_text()))
        return all(is_intact(folder / name, check) for name, check in checks.items())
    except (OSError, ValueError, TypeError, KeyError):
        return False


def _checks(said: Any) -> dict[str, tuple[int, int]]:
    """Size and checksum of every file of a described state."""
    if "array" in said:
        size, checksum = said["check"]
        return {Path(said["array"]).name: (int(size), int(checksum))}
    inner = said["sparse"].values() if "sparse" in said else said.get("tuple", [])
    return {name: check for part in inner for name, check in _checks(part).items()}


def _described(part: Any, folder: Path, name: str) -> Any:
    if part is None or isinstance(part, (bool, int, float, str)):
        return {"value": part}
    if isinstance(part, np.generic):
        return {"value": part.item()}
    if isinstance(part, np.ndarray):
        return {"array": f"{name}.npy", "check": write_checked(folder / f"{name}.npy", part)}
    if sp.issparse(part):
        parts = {each: _described(getattr(part, each), folder, f"{name}.{each}") for each in _SPARSE}
        return {"sparse": parts, "shape": list(part.shape)}
    if isinstance(part, tuple):
        kind = f"{type(part).__module__}:{type(part).__qualname__}" if hasattr(part, "_fields") else None
        listed = [_described(each, folder, f"{name}.{place}") for place, each in enumerate(part)]
        return {"tuple": listed, "kind": kind}
    raise TypeError(f"{type(part).__name__} cannot be shared")


_SPARSE = ("data", "indices", "indptr")


def _rebuilt(said: Any, folder: Path) -> Any:
    if "value" in said:
        return said["value"]
    if "array" in said:
        file = folder / Path(said["array"]).name
        return _mapped(file)
    if "sparse" in said:
        parts = tuple(_rebuilt(said["sparse"][each], folder) for each in _SPARSE)
        return sp.csr_array(parts, shape=tuple(said["shape"]))
    parts = tuple(_rebuilt(each, folder) for each in said["tuple"])
    if said["kind"] is None:
        return parts
    module, _, name = said["kind"].partition(":")
    if not module.startswith(_ROOM):
        raise ValueError(f"{module} is no module of engines")
    return getattr(importlib.import_module(module), name)(*parts)


def _mapped(file: Path) -> Any:
    """Copied when written to: compiled loops take such arrays as those that they were compiled for."""
    try:
        return np.asarray(np.load(file, mmap_mode="c", allow_pickle=False))
    except ValueError:  # an empty array cannot be mapped
        return np.load(file, allow_pickle=False)
