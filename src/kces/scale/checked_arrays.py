"""Arrays in files, written whole or not at all, with a size and a checksum by which damage is noticed."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import numpy as np

from kces.scale.folder_manifest import pieces_of
from kces.types import Values

__all__ = ["file_size", "is_intact", "write_checked"]


def write_checked(final: Path, values: Values) -> tuple[int, int]:
    """Write an array beside its place and rename it; its size and the checksum of all its bytes.

    Parameters
    ----------
    final : a file that ends in .npy.
    values : the array.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     check = write_checked(Path(place) / "a.npy", np.arange(3))
    ...     is_intact(Path(place) / "a.npy", check), is_intact(Path(place) / "b.npy", check)
    (True, False)
    """
    values = np.ascontiguousarray(values)
    temporary = final.with_suffix(f".{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            said = {"descr": np.lib.format.dtype_to_descr(values.dtype), "fortran_order": False, "shape": values.shape}
            np.lib.format.write_array_header_1_0(file, said)
            file.flush()
            header = temporary.read_bytes()
            content = values.reshape(-1).view(np.uint8).data if values.size else memoryview(b"")
            file.write(content)
            size = file.tell()
        os.replace(temporary, final)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return size, zlib.crc32(content, zlib.crc32(header))


def is_intact(path: Path, check: tuple[int, int]) -> bool:
    """Whether a file has the size and the checksum that it was written with."""
    size, expected = check
    if file_size(path) != size:
        return False
    checksum = 0
    for piece in pieces_of(path):
        checksum = zlib.crc32(piece, checksum)
    return checksum == expected


def file_size(path: Path) -> int:
    """Bytes of a file; -1 where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return -1
