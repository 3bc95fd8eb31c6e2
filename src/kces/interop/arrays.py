"""numpy's ``.npy`` and ``.npz`` files, read without ever unpickling and without trusting declared sizes."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.errors import UnreadableFileError
from kces.interop.limits import check_fits, damage_named, read_bytes

__all__ = ["PickledArrayError", "array_from", "members_in", "npy_bytes", "read_members", "read_npy", "write_members"]


class PickledArrayError(UnreadableFileError):
    """The array holds Python objects: reading it could run code."""


def array_from(raw: bytes, what: str) -> npt.NDArray[Any]:
    """The array in the bytes of an ``.npy`` file, as a read-only view of them.

    >>> array_from(npy_bytes(np.arange(3)), "numbers").tolist()
    [0, 1, 2]
    """
    stream = io.BytesIO(raw)
    with damage_named(Path(what), "numpy array"):
        readers = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        version = np.lib.format.read_magic(stream)
        if version not in readers:
            raise UnreadableFileError(f"{what} has numpy format version {version}; save it again")
        shape, column_major, dtype = readers[version](stream)
    if dtype.hasobject:
        raise PickledArrayError(
            f"{what} holds pickled Python objects, which are never loaded because they can run code;"
            " save it as numbers or strings"
        )
    count = math.prod(shape)
    if any(size < 0 for size in shape) or count * dtype.itemsize != len(raw) - stream.tell():
        raise UnreadableFileError(f"{what} declares shape {shape}, which does not match its size")
    flat = np.frombuffer(raw, dtype=dtype, count=count, offset=stream.tell()) if count else np.empty(0, dtype)
    return flat.reshape(shape[::-1]).T if column_major else flat.reshape(shape)


def npy_bytes(array: npt.NDArray[Any]) -> bytes:
    """The bytes of an ``.npy`` file with ``array``."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
    return stream.getvalue()


def read_npy(path: Path) -> npt.NDArray[Any]:
    """The array of an ``.npy`` file."""
    return array_from(read_bytes(path), str(path))


def read_members(path: Path) -> dict[str, bytes]:
    """The arrays of an ``.npz`` file by name, each as the unread bytes of its ``.npy`` member.

    Unread, so that what is not understood (pickled members too) can be written back as it was.
    """
    return members_in(read_bytes(path), path)


def members_in(content: bytes, path: Path) -> dict[str, bytes]:
    """The arrays in the bytes of an ``.npz`` file; ``path`` names it in errors."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise UnreadableFileError(f"{path} is not an npz file (no zip archive), or it is cut short")
    with damage_named(path, "npz"), zipfile.ZipFile(io.BytesIO(content)) as archive:
        # The reader never inflates past the declared size, so this check also stops zip bombs.
        check_fits(2 * sum(member.file_size for member in archive.infolist()), f"reading {path}")
        return {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}


def write_members(path: Path, members: Mapping[str, bytes]) -> None:
    """Write an ``.npz`` file from named ``.npy`` bytes, compressed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            is_array = raw.startswith(np.lib.format.MAGIC_PREFIX)
            archive.writestr(f"{name}.npy" if is_array else name, raw)
