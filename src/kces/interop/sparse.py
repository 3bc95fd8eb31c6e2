"""Sparse matrices as they lie in an ``.npz`` file: checked before they are built, filtered entry by entry."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.interop.arrays import Members, npy_bytes
from kces.interop.limits import BYTES_PER_ENTRY, BYTES_PER_NODE, check_fits, damage_named
from kces.types import Values

__all__ = ["StoredMatrix", "read_matrix"]


@dataclass(frozen=True)
class StoredMatrix:
    """The stored entries of a matrix, in file order, and what is needed to store them alike again.

    ``layout`` is csr, csc or coo; ``prefix`` is put before each array's name (``adj_`` or nothing).
    """

    rows: npt.NDArray[np.int64]
    cols: npt.NDArray[np.int64]
    values: Values
    shape: tuple[int, int]
    layout: str
    prefix: str
    index_dtype: np.dtype[Any]

    def coo(self) -> sp.coo_array:
        """The matrix in float64 with duplicates still apart; scipy takes neither half precision nor swapped bytes."""
        with np.errstate(over="ignore"):
            values = self.values.astype(np.float64)
        return sp.coo_array((values, (self.rows, self.cols)), shape=self.shape)

    def filtered(self, mask: npt.NDArray[np.bool_]) -> dict[str, bytes]:
        """The members that change when only the entries in ``mask`` stay."""
        rows, cols, values = self.rows[mask], self.cols[mask], self.values[mask]
        if self.layout == "coo":
            changed = {"row": rows, "col": cols}
        else:
            major, minor = (rows, cols) if self.layout == "csr" else (cols, rows)
            size = self.shape[0 if self.layout == "csr" else 1]
            changed = {"indptr": _pointer(major, size), "indices": minor}
        members = {self.prefix + name: npy_bytes(array.astype(self.index_dtype)) for name, array in changed.items()}
        return members | {f"{self.prefix}data": npy_bytes(values)}


def read_matrix(members: Members, what: str, *, prefix: str = "") -> StoredMatrix:
    """The matrix under ``prefix`` in the members of an npz file; ``what`` names it in errors."""
    arrays = _Arrays(members, what, prefix)
    layout = arrays.layout()
    shape = arrays.shape()
    n_entries = arrays.checked_lengths(layout, shape)
    check_fits(BYTES_PER_ENTRY * n_entries, f"{what} with {n_entries} entries")
    values = arrays.one("data")
    if values.dtype.kind not in "biuf":
        raise UnreadableFileError(f"{what} holds {values.dtype}, not numbers")
    if layout == "coo":
        rows, cols = arrays.indices("row", shape[0]), arrays.indices("col", shape[1])
        index_dtype = members.header(f"{prefix}row").dtype
    else:
        major_size, minor_size = shape if layout == "csr" else shape[::-1]
        minor = arrays.indices("indices", minor_size)
        major = _expand(arrays.one("indptr"), major_size, len(minor), what)
        rows, cols = (major, minor) if layout == "csr" else (minor, major)
        index_dtype = members.header(f"{prefix}indices").dtype
    return StoredMatrix(rows, cols, values, shape, layout, prefix, index_dtype)


@dataclass(frozen=True)
class _Arrays:
    """The arrays of one matrix, each checked as it is taken."""

    members: Members
    what: str
    prefix: str

    def length(self, name: str) -> int:
        """How many numbers the array declares."""
        key = self.prefix + name
        if key not in self.members:
            raise UnreadableFileError(f"{self.what} lacks the array {key}")
        header = self.members.header(key)
        if len(header.shape) > 1:
            raise UnreadableFileError(f"array {key} of {self.what} must be a list, got shape {header.shape}")
        return header.count

    def one(self, name: str) -> Values:
        self.length(name)
        return self.members.array(self.prefix + name)

    def checked_lengths(self, layout: str, shape: tuple[int, int]) -> int:
        """The number of entries, on which all arrays agree before any of them is inflated."""
        n_values = self.length("data")
        for name in ("row", "col") if layout == "coo" else ("indices",):
            if self.length(name) != n_values:
                raise UnreadableFileError(f"{self.what} has {n_values} values for {self.length(name)} positions")
        if layout != "coo":
            _check_pointer_length(self.length("indptr"), shape[layout == "csc"], self.what)
        return n_values

    def layout(self) -> str:
        if self.prefix or "format" not in self.members:
            return "csr"
        stored = self.one("format") if self.length("format") == 1 else np.empty(0)
        with damage_named(Path(self.what), "matrix"):
            name = stored.item() if stored.size == 1 else ""
        layout = name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)
        if layout not in ("csr", "csc", "coo"):
            raise UnreadableFileError(f"{self.what} is a {layout[:20]!r} matrix; save it with .tocsr()")
        return layout

    def shape(self) -> tuple[int, int]:
        if self.length("shape") != 2:
            raise UnreadableFileError(f"{self.what} declares no matrix shape")
        shape = self.one("shape")
        if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
            raise UnreadableFileError(f"{self.what} declares no matrix shape")
        n_rows, n_cols = (int(size) for size in shape)
        check_fits(BYTES_PER_NODE * max(n_rows, n_cols), f"{self.what} of declared shape {n_rows} x {n_cols}")
        return n_rows, n_cols

    def indices(self, name: str, size: int) -> npt.NDArray[np.int64]:
        array = self.one(name)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise UnreadableFileError(f"array {self.prefix}{name} of {self.what} must hold whole numbers")
        if array.size and (int(array.min()) < 0 or int(array.max()) >= size):
            bad = int(array.min()) if int(array.min()) < 0 else int(array.max())
            raise InvalidGraphError(f"{self.what} names position {bad}, outside its shape (0…{size - 1})")
        return array.astype(np.int64)


def _expand(pointer: Values, size: int, n_entries: int, what: str) -> npt.NDArray[np.int64]:
    """The row of each entry from a CSR row pointer."""
    if pointer.ndim != 1 or pointer.dtype.kind not in "iu":
        raise UnreadableFileError(f"the row pointer of {what} must hold whole numbers")
    pointer = pointer.astype(np.int64)
    counts = np.diff(pointer)
    if pointer[0] != 0 or pointer[-1] != n_entries or (counts < 0).any():
        raise UnreadableFileError(f"{what} is damaged: its row pointer does not fit its {n_entries} entries")
    return np.repeat(np.arange(size, dtype=np.int64), counts)


def _check_pointer_length(length: int, size: int, what: str) -> None:
    if length != size + 1:
        raise UnreadableFileError(f"{what} declares {size} rows, but its row pointer has {length} entries")


def _pointer(major: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.bincount(major, minlength=size))])
