"""Files that describe the nodes beside an edge file: features, and labels, one row per node."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse as sp

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.features import scale_matrix
from kces.features.own_values import own_columns
from kces.interop.arrays import read_members, read_npy
from kces.interop.arrow_table import arrow_frame, read_arrow
from kces.interop.foreign_files import remedy_for
from kces.interop.json_records import json_frame, json_lines, json_records
from kces.interop.limits import STANDARD_STREAM, check_fits, read_bytes
from kces.interop.node_columns import FeatureOptions, RawTable, rows_of_table
from kces.interop.node_labels import LABEL_NAMES, class_numbers, read_labels
from kces.interop.node_rows import NodeRows
from kces.interop.outputs import plain_name
from kces.interop.sparse import read_matrix
from kces.interop.text_table import parse_text_table, refuse_title, text_in
from kces.types import Features, Values

__all__ = ["LABEL_NAMES", "NodeTable", "class_numbers", "dense_features", "read_labels", "read_node_table"]

_SEPARATORS = {".csv": (",", ";", "\t", "|", " "), ".tsv": ("\t", ",", ";", "|", " ")}
_TEXT_SEPARATORS = ("\t", " ", ",", ";", "|")
_BYTES_PER_NAME = 400
"""Of a node that a matrix describes: its number as text, how it is looked up, and its place in the graph."""
_NODE_KEYS = ("nodes", "records", "data")


@dataclass(frozen=True)
class NodeTable:
    """What a features file holds: a matrix whose row r is node r, or a table that names its nodes.

    Attributes
    ----------
    path : the file, for messages.
    content : features by node number, or a table; which of its columns names the nodes is found when they are known.
    options : what the caller said about the columns.
    """

    path: Path
    content: RawTable | Features
    options: FeatureOptions = field(default_factory=FeatureOptions)

    @property
    def names_nodes(self) -> bool:
        """Whether rows belong to nodes by name, not by number."""
        return isinstance(self.content, RawTable)

    def rows_for(self, names: Values) -> NodeRows:
        """All rows, with the nodes' names as text; ``names`` are those of the graph."""
        if isinstance(self.content, RawTable):
            return rows_of_table(self.content, names, self.options, self.path)
        self.options.refuse_for_matrix(self.path)
        check_fits(_BYTES_PER_NAME * self.content.shape[0], f"{self.path} of {self.content.shape[0]} rows")
        features, note = scale_matrix(self.content, self.options.scale)
        ids = np.array([str(node) for node in range(features.shape[0])], dtype=object)
        own = own_columns(self.content) if note else None
        return NodeRows(ids, features, notes=[note] if note else [], own_values=own)

    def aligned(self, names: Values) -> NodeRows:
        """Rows in the order of ``names``: the nodes of a file that lists its own."""
        wanted = pd.Index([str(name) for name in names], dtype=object)
        rows = self.rows_for(wanted.to_numpy(dtype=object))
        if not self.names_nodes:
            return rows  # row r is node r, whatever its name
        unknown = wanted[~wanted.isin(rows.ids)]
        if len(unknown) and not rows.may_lack(len(unknown), len(wanted)):
            raise InvalidGraphError(f"{self.path} has no row for node {unknown[0]!r}")
        if len(rows.ids) + len(unknown) != len(wanted):
            raise InvalidGraphError(f"{self.path} describes {len(rows.ids)} nodes, but the graph has {len(wanted)}")
        rows = rows.with_unknown(unknown.to_numpy(dtype=object))
        return rows.taken(pd.Index(rows.ids).get_indexer(wanted))


def read_node_table(path: str | Path, options: FeatureOptions | None = None) -> NodeTable:
    """Read a features file: a table (text, Parquet, JSON), ``.npy``, or ``.npz`` (sparse, or one dense array)."""
    path = Path(path)
    if path == STANDARD_STREAM:
        raise UnreadableFileError(
            "- (standard input) is read for the graph only; write the features to a file, name it"
        )
    options = options or FeatureOptions()
    suffix = plain_name(path).suffix.lower()
    if suffix == ".npy":
        return NodeTable(path, dense_features(read_npy(path), path), options)
    if suffix == ".npz":
        return NodeTable(path, _npz_features(path), options)
    if suffix in (".csv", ".tsv", ".txt", ".tab"):
        parsed = parse_text_table(read_bytes(path), path, separators=_SEPARATORS.get(suffix, _TEXT_SEPARATORS))
        refuse_title(parsed, path)
        return NodeTable(path, RawTable(parsed.cells, None, parsed.where), options)
    if suffix in (".parquet", ".pq"):
        return NodeTable(path, _raw(arrow_frame(read_arrow(read_bytes(path), path), path)), options)
    if suffix in (".json", ".jsonl", ".ndjson"):
        text = text_in(read_bytes(path), path).text
        found = json_records(text, path, keys=_NODE_KEYS) if suffix == ".json" else json_lines(text, path)
        return NodeTable(path, _raw(json_frame(found.records, path)), options)
    remedy = remedy_for(path, "use .csv, .tsv, .parquet, .json, .jsonl, .npy or .npz")
    raise UnreadableFileError(f"features file {path} has an unknown format; {remedy}")


def _raw(frame: pd.DataFrame) -> RawTable:
    return RawTable(frame, [str(name) for name in frame.columns], lambda row: f"row {row + 1}")


def dense_features(array: Values, path: Path) -> npt.NDArray[np.float64]:
    """A stored array as the feature matrix; a list is one feature."""
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise UnreadableFileError(
            f"features file {path} must hold a numeric matrix, got {array.dtype} of shape {array.shape}"
        )
    check_fits(16 * array.size, f"features of {path}")
    with np.errstate(over="ignore"):  # what float64 cannot hold is infinite, and refused as that
        return array.astype(np.float64)


def _npz_features(path: Path) -> Features:
    members = read_members(path)
    if "indptr" in members or "row" in members:
        return sp.csr_array(read_matrix(members, f"features file {path}").coo())
    if len(members) != 1:
        raise UnreadableFileError(
            f"features file {path} must hold a sparse matrix or one array, it holds {len(members)}"
        )
    (name,) = members
    return dense_features(members.array(name), path)
