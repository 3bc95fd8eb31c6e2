"""Whether the arrays of a graph folder fit together: compiled loops follow their numbers without looking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kces.errors import UnreadableFileError
from kces.types import Values

if TYPE_CHECKING:
    from kces.scale.graph_folder import GraphFolder

__all__ = ["check_arrays"]

_PIECE = 2**20


def check_arrays(folder: GraphFolder) -> None:
    """Refuse arrays whose shapes or numbers are not those of one graph with finite features; one pass over each.

    Checksums tell that files are those that were written. They do not tell who wrote them.
    """
    nodes, edges = folder.n_nodes, folder.n_edges
    _check_numbers(folder, "edges", (edges, 2), nodes)
    _check_numbers(folder, "indices", (2 * edges,), nodes)
    _check_pointer(folder, "indptr", nodes, 2 * edges)
    for name in ("train", "val", "test"):
        if folder.has(name):
            _check_numbers(folder, name, folder.array(name).shape[:1], nodes)
    if folder.has("labels"):
        _check_shape(folder, "labels", (nodes,), "iu")
    _check_ids(folder)
    if folder.manifest.features != "none":
        for block, (first, last) in enumerate(folder.manifest.column_blocks):
            _check_features(folder, f"features_{block:04d}", last - first)


def _check_features(folder: GraphFolder, name: str, width: int) -> None:
    if folder.manifest.features == "dense":
        _check_shape(folder, name, (folder.n_nodes, width), "iufb")
        _check_finite(folder, name)
        return
    entries = len(folder.array(f"{name}_data"))
    _check_shape(folder, f"{name}_data", (entries,), "iufb")
    _check_finite(folder, f"{name}_data")
    _check_numbers(folder, f"{name}_indices", (entries,), width)
    _check_pointer(folder, f"{name}_indptr", folder.n_nodes, entries)


def _check_ids(folder: GraphFolder) -> None:
    if not folder.has("ids"):
        return
    if not folder.has("ids_ends"):
        _check_shape(folder, "ids", (folder.n_nodes,), "iu")
        return
    characters = len(folder.array("ids"))
    _check_shape(folder, "ids", (characters,), "u")
    ends = _check_shape(folder, "ids_ends", (folder.n_nodes,), "iu")
    if len(ends) and (int(ends[0]) < 0 or int(ends[-1]) != characters or not _rises(ends)):
        raise _damaged(folder, "ids_ends")


def _check_shape(folder: GraphFolder, name: str, shape: tuple[int, ...], kinds: str) -> Values:
    array = folder.array(name)
    if array.shape != shape or array.dtype.kind not in kinds:
        raise _damaged(folder, name)
    return array


def _check_numbers(folder: GraphFolder, name: str, shape: tuple[int, ...], below: int) -> None:
    array = _check_shape(folder, name, shape, "iu")
    if any(int(piece.min()) < 0 or int(piece.max()) >= below for piece in _pieces(array)):
        raise _damaged(folder, name)


def _check_pointer(folder: GraphFolder, name: str, rows: int, entries: int) -> None:
    pointer = _check_shape(folder, name, (rows + 1,), "iu")
    if int(pointer[0]) != 0 or int(pointer[-1]) != entries or not _rises(pointer):
        raise _damaged(folder, name)


def _check_finite(folder: GraphFolder, name: str) -> None:
    if not all(np.isfinite(piece).all() for piece in _pieces(folder.array(name))):
        raise _damaged(folder, name)


def _rises(array: Values) -> bool:
    return all(
        bool((array[start + 1 : start + 1 + _PIECE] >= array[start : start + _PIECE][: len(array) - start - 1]).all())
        for start in range(0, len(array) - 1, _PIECE)
    )


def _pieces(array: Values) -> Iterator[Values]:
    """Rows, about a million numbers at a time."""
    rows = max(1, _PIECE // max(1, array[:1].size))
    return (array[start : start + rows] for start in range(0, len(array), rows))


def _damaged(folder: GraphFolder, name: str) -> UnreadableFileError:
    said = "its numbers do not fit the graph that the manifest declares"
    return UnreadableFileError(f"{folder.path / name}.npy is damaged: {said}; convert the graph again")
