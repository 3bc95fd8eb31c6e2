"""Files that describe the nodes beside an edge file: features, and labels, one row per node."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse as sp

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.interop.arrays import array_from, read_members, read_npy
from kces.interop.limits import check_fits
from kces.interop.sparse import read_matrix
from kces.interop.text_table import WHITESPACE, TextTable, is_number, read_text, read_text_table

__all__ = ["LABEL_NAMES", "NodeTable", "class_numbers", "dense_features", "read_labels", "read_node_table"]

LABEL_NAMES = frozenset({"label", "labels", "class"})
_ID_NAMES = frozenset({"id", "node", "node_id", "name"})
_SEPARATORS = {".csv": (",", ";", "\t", WHITESPACE), ".tsv": ("\t", ",", ";", WHITESPACE)}
_TEXT_SEPARATORS = ("\t", WHITESPACE, ",", ";")


@dataclass(frozen=True)
class NodeTable:
    """Features and labels of nodes, either in node order (``ids`` is None) or by name.

    Attributes
    ----------
    ids : the nodes' names as text, one per row, or None when row r describes node r.
    features : matrix with as many rows, or None when the file has labels alone.
    labels : class of each row, or None.
    path : the file, for messages.
    """

    ids: npt.NDArray[Any] | None
    features: Any
    labels: npt.NDArray[np.int64] | None
    path: Path

    def taken(self, rows: npt.NDArray[np.int64]) -> tuple[Any, npt.NDArray[np.int64] | None]:
        """Features and labels of the given rows, in that order."""
        features = None if self.features is None else self.features[rows]
        return features, None if self.labels is None else self.labels[rows]

    def aligned(self, names: npt.NDArray[Any]) -> tuple[Any, npt.NDArray[np.int64] | None]:
        """Features and labels in the order of ``names``: the nodes of a file that lists its own."""
        if self.ids is None:
            return self.features, self.labels
        wanted = pd.Index(names.astype(str))
        rows = pd.Index(self.ids).get_indexer(wanted)
        if (rows < 0).any():
            raise InvalidGraphError(f"{self.path} has no row for node {wanted[int((rows < 0).argmax())]!r}")
        if len(self.ids) != len(wanted):
            raise InvalidGraphError(f"{self.path} describes {len(self.ids)} nodes, but the graph has {len(wanted)}")
        return self.taken(rows)


def read_node_table(path: str | Path) -> NodeTable:
    """Read a features file: ``.npy``, ``.npz`` (sparse, or one dense array), or text with the id first."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return NodeTable(None, dense_features(read_npy(path), path), None, path)
    if suffix == ".npz":
        return NodeTable(None, _npz_features(path), None, path)
    if suffix in (".csv", ".tsv", ".txt", ".tab"):
        return _text_features(path, _SEPARATORS.get(suffix, _TEXT_SEPARATORS))
    raise UnreadableFileError(f"features file {path} has an unknown format; use .csv, .tsv, .npy or .npz")


def read_labels(path: str | Path) -> npt.NDArray[np.int64]:
    """One class per node, in node order: an ``.npy`` list, or text with one class per line.

    Classes may be words; they are numbered in alphabetical order.
    """
    path = Path(path)
    if path.suffix.lower() == ".npy":
        labels = read_npy(path)
        if labels.ndim != 1:
            raise UnreadableFileError(f"labels {path} must be a list, got shape {labels.shape}")
        return class_numbers(labels, str(path))
    lines = pd.Series([line.strip() for line in read_text(path).splitlines() if line.strip()], dtype=object)
    if len(lines) > 1 and not is_number(lines[:1]).all() and is_number(lines[1:]).all():
        lines = lines[1:]  # a heading above numbers
    return class_numbers(lines.to_numpy(), str(path))


def class_numbers(values: npt.NDArray[Any], what: str) -> npt.NDArray[np.int64]:
    """Classes as whole numbers; words are numbered in alphabetical order, and empty text is unknown (-1).

    >>> class_numbers(np.array(["cat", "dog", "", "cat"]), "labels").tolist()
    [0, 1, -1, 0]
    >>> class_numbers(np.array(["2", "0"]), "labels").tolist()
    [2, 0]
    """
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
    else:
        text = pd.Series([str(value).strip() for value in values], dtype=object)
        known = (text != "").to_numpy()
        if not is_number(text[known]).all():
            codes, _ = pd.factorize(text.where(known), sort=True, use_na_sentinel=True)
            return codes.astype(np.int64)
        numbers = np.where(known, pd.to_numeric(text.where(known, "-1")).to_numpy(dtype=np.float64), -1.0)
    # Whole numbers beyond 2**31 are no class numbers, and beyond 2**53 they would be rounded.
    if not (np.abs(numbers) < 2**31).all() or (numbers != np.floor(numbers)).any():
        raise InvalidGraphError(f"{what} must hold classes: whole numbers or words, one per node")
    return numbers.astype(np.int64)


def dense_features(array: npt.NDArray[Any], path: Path) -> npt.NDArray[np.float64]:
    """A stored array as the feature matrix; a list is one feature."""
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise UnreadableFileError(
            f"features file {path} must hold a numeric matrix, got {array.dtype} of shape {array.shape}"
        )
    check_fits(16 * array.size, f"features of {path}")
    return array.astype(np.float64)


def _npz_features(path: Path) -> Any:
    members = read_members(path)
    if "indptr" in members or "row" in members:
        return sp.csr_array(read_matrix(members, f"features file {path}").coo())
    if len(members) != 1:
        raise UnreadableFileError(
            f"features file {path} must hold a sparse matrix or one array, it holds {len(members)}"
        )
    ((name, raw),) = members.items()
    return dense_features(array_from(raw, f"array {name} of {path}"), path)


def _text_features(path: Path, separators: tuple[str, ...]) -> NodeTable:
    table = read_text_table(path, separators=separators, header_names=LABEL_NAMES | _ID_NAMES)
    if table.cells.empty:
        raise UnreadableFileError(f"{path} holds a header, but no nodes")
    ids = np.array([str(cell).strip() for cell in table.cells[0]], dtype=object)
    duplicated = pd.Index(ids).duplicated()
    if duplicated.any():
        record = int(duplicated.argmax())
        raise InvalidGraphError(f"{path} {table.where(record)} names node {ids[record]!r} a second time")
    names = [name.lower() for name in table.columns or []]
    label_column = next((c for c, name in enumerate(names) if c > 0 and name in LABEL_NAMES), None)
    labels = None
    if label_column is not None:
        labels = class_numbers(table.cells[label_column].to_numpy(dtype=object), f"labels in {path}")
    wanted = [column for column in table.cells.columns[1:] if column != label_column]
    features = _numbers(table, wanted, path) if wanted else None
    if features is None and labels is None:
        raise UnreadableFileError(f"{path} has one column; a features file has the node id, then the features")
    return NodeTable(ids, features, labels, path)


def _numbers(table: TextTable, columns: list[int], path: Path) -> npt.NDArray[np.float64]:
    check_fits(16 * len(table.cells) * len(columns), f"features of {path}")
    matrix = np.empty((len(table.cells), len(columns)))
    for position, column in enumerate(columns):
        cells = table.cells[column]
        matrix[:, position] = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64)
        # "nan" is a number that is missing (refused later, as in every format); "abc" is none at all.
        bad = np.isnan(matrix[:, position]) & (cells.str.strip().str.lower() != "nan").to_numpy()
        if bad.any():
            record = int(bad.argmax())
            cell = str(cells.iloc[record])[:40]
            raise InvalidGraphError(f"{path} {table.where(record)} has {cell!r} where a number is expected")
    return matrix
