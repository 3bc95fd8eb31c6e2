"""Stored hops in the memory of a process, which is kept: fresh memory is slow, and so is reading them again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np

from kces.types import Array

__all__ = ["held_hops", "read_hops"]

_Key: TypeAlias = tuple[tuple[str, int, int], ...]

_ROWS = 2**14
_memory = np.empty(0)
_held: dict[_Key, Array] = {}


def read_hops(file: Path) -> Array:
    """(N, 3, width) a stored block, read into the memory of the one before it, which is overwritten."""
    global _memory
    with file.open("rb") as stream:
        shape = _shape(stream)
        size = int(np.prod(shape))
        if _memory.size < size:
            _memory = np.empty(size)
        stream.readinto(_memory[:size].data.cast("B"))
    return _memory[:size].reshape(shape)


def held_hops(files: Sequence[Path], blocks: Sequence[tuple[int, int]]) -> Array:
    """(N, 3, F) stored blocks side by side, read once: asked for the same files again, they are at hand.

    Parameters
    ----------
    files : of one space, a block of columns each.
    blocks : first and last + 1 column of each.
    """
    key = tuple((str(file), file.stat().st_ino, file.stat().st_mtime_ns) for file in files)
    if key not in _held:
        here = files[0].parent
        for other in [each for each in _held if Path(each[0][0]).parent != here or each[0][0] == key[0][0]]:
            del _held[other]  # of another run, or of one that was made again
        _held[key] = _side_by_side(files, blocks)
    return _held[key]


def _side_by_side(files: Sequence[Path], blocks: Sequence[tuple[int, int]]) -> Array:
    hops = np.empty(0)
    for file, (first, last) in zip(files, blocks, strict=True):
        with file.open("rb") as stream:
            n_nodes, n_hops, width = _shape(stream)
            if not hops.size:
                hops = np.empty((n_nodes, n_hops, blocks[-1][1]))
            for start in range(0, n_nodes, _ROWS):
                count = min(_ROWS, n_nodes - start)
                rows = np.fromfile(stream, count=count * n_hops * width)
                hops[start : start + count, :, first:last] = rows.reshape(count, n_hops, width)
    return hops


def _shape(stream: BinaryIO) -> tuple[int, ...]:
    np.lib.format.read_magic(stream)
    return tuple(np.lib.format.read_array_header_1_0(stream)[0])
