"""numpy's ``.npy`` and ``.npz`` files, read without ever unpickling and without trusting declared sizes."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kces.errors import UnreadableFileError
from kces.interop.limits import check_fits, damage_named, read_bytes
from kces.types import Values

__all__ = [
    "ArrayHeader",
    "Members",
    "PickledArrayError",
    "array_from",
    "header_of",
    "members_in",
    "npy_bytes",
    "read_members",
    "read_npy",
    "write_members",
]

HEADER_BYTES = 2**14
"""A header is shorter than this: numpy refuses longer ones."""
_HEADER_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


class PickledArrayError(UnreadableFileError):
    """The array holds Python objects: reading it could run code."""


@dataclass(frozen=True)
class ArrayHeader:
    """What an ``.npy`` file says of itself before its numbers begin, at byte ``offset``."""

    shape: tuple[int, ...]
    column_major: bool
    dtype: np.dtype[Any]
    offset: int

    @property
    def count(self) -> int:
        return math.prod(self.shape)


def header_of(start: bytes, size: int, what: str) -> ArrayHeader:
    """The header in the first bytes of an ``.npy`` file of ``size`` bytes, refused if it declares anything else.

    >>> raw = npy_bytes(np.arange(3))
    >>> header_of(raw[:128], len(raw), "numbers").shape
    (3,)
    """
    stream = io.BytesIO(start[:HEADER_BYTES])
    with damage_named(Path(what), "numpy array"):
        version = np.lib.format.read_magic(stream)
        if version not in _HEADER_READERS:
            raise UnreadableFileError(f"{what} has numpy format version {version}; save it again")
        shape, column_major, dtype = _HEADER_READERS[version](stream)
    header = ArrayHeader(shape, column_major, dtype, stream.tell())
    if dtype.hasobject:
        raise PickledArrayError(
            f"{what} holds pickled Python objects, which are never loaded because they can run code;"
            " save it as numbers or strings"
        )
    if dtype.itemsize == 0:
        raise UnreadableFileError(f"{what} declares items of no size")
    if any(isinstance(length, bool) or length < 0 for length in shape):  # True passes for 1 in numpy's own check
        raise UnreadableFileError(f"{what} declares shape {shape}, which is none")
    if header.count * dtype.itemsize != size - header.offset:
        raise UnreadableFileError(f"{what} declares shape {shape}, which does not match its size")
    return header


def array_from(raw: bytes, what: str) -> Values:
    """The array in the bytes of an ``.npy`` file, as a read-only view of them.

    >>> array_from(npy_bytes(np.arange(3)), "numbers").tolist()
    [0, 1, 2]
    """
    header = header_of(raw, len(raw), what)
    if not header.count:
        return np.empty(header.shape, header.dtype)
    flat = np.frombuffer(raw, dtype=header.dtype, count=header.count, offset=header.offset)
    return flat.reshape(header.shape[::-1]).T if header.column_major else flat.reshape(header.shape)


def npy_bytes(array: Values) -> bytes:
    """The bytes of an ``.npy`` file with ``array``."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
    return stream.getvalue()


def read_npy(path: Path) -> Values:
    """The array of an ``.npy`` file."""
    return array_from(read_bytes(path), str(path))


def read_members(path: Path) -> Members:
    """The arrays of an ``.npz`` file by name."""
    return members_in(read_bytes(path), path)


def members_in(content: bytes, path: Path) -> Members:
    """The arrays in the bytes of an ``.npz`` file; ``path`` names it in errors."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise UnreadableFileError(f"{path} is not an npz file (no zip archive), or it is cut short")
    with damage_named(path, "npz"):
        archive = zipfile.ZipFile(io.BytesIO(content))
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
    return Members(archive, entries, path)


class Members(Mapping[str, bytes]):
    """The members of an ``.npz`` file, each inflated when asked for, as the bytes of its ``.npy`` file.

    What is not understood (pickled members too) is never looked into, only written back as it was.
    """

    def __init__(self, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], path: Path) -> None:
        self._archive, self._entries, self.path = archive, entries, path

    def __getitem__(self, name: str) -> bytes:
        entry = self._entries[name]
        # The archive never inflates past the declared size, so this check also stops zip bombs.
        check_fits(2 * entry.file_size, f"reading {name} of {self.path}")
        with damage_named(self.path, "npz"):
            return self._archive.read(entry)

    def __contains__(self, name: object) -> bool:
        return name in self._entries  # the inherited way would inflate the member

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def header(self, name: str) -> ArrayHeader:
        """What a member declares, checked against its size, without inflating more than its first bytes."""
        entry = self._entries[name]
        with damage_named(self.path, "npz"), self._archive.open(entry) as stream:
            start = stream.read(HEADER_BYTES)
        return header_of(start, entry.file_size, f"array {name} of {self.path}")

    def array(self, name: str) -> Values:
        """A member as an array."""
        self.header(name)
        return array_from(self[name], f"array {name} of {self.path}")


def write_members(path: Path, members: Mapping[str, bytes]) -> None:
    """Write an ``.npz`` file from named ``.npy`` bytes, compressed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in members.items():
            is_array = raw.startswith(np.lib.format.MAGIC_PREFIX)
            archive.writestr(f"{name}.npy" if is_array else name, raw)
