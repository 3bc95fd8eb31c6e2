"""Graphs stored as arrays, read piece by piece: ``.npz`` files and the folders of the Open Graph Benchmark.

A member of an ``.npz`` file is a stream behind a small header: links go from it to the sorting table some at a time,
and rows of features to their blocks.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.interop.limits import check_fits, damage_named
from kces.progress import Progress, silent
from kces.scale.folder_writer import FolderWriter
from kces.scale.from_graph import DENSE_COLUMNS, column_blocks, write_ids, write_sparse_features
from kces.scale.graph_folder import block_name
from kces.scale.streamed_nodes import StoredNodes
from kces.scale.workbench import quoted, run_query
from kces.types import Values

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["ArraySource", "array_source", "insert_links"]

_LINKS = 1_000_000
_ROWS = 100_000
_SPLITS = {"train": "idx_train", "val": "idx_val", "test": "idx_test"}


class ArraySource(Protocol):
    """A graph stored as arrays."""

    def load_links(self, connection: DuckDBPyConnection, progress: Progress = ...) -> None:
        """Fill the table ``links(s, t)``."""

    def write_nodes(self, writer: FolderWriter, progress: Progress = ...) -> StoredNodes:
        """Write what is known of the nodes."""


def array_source(path: Path) -> ArraySource:
    """The source behind a file or folder, or one line that says what can be read."""
    if path.is_dir():
        raw = path / "raw" if (path / "raw").is_dir() else path
        if (raw / "data.npz").is_file():
            return StoredMembers(raw / "data.npz")
        if (raw / "edge.csv.gz").is_file():
            return OgbTables(raw)
        raise UnreadableFileError(f"{path} is a folder without raw/edge.csv.gz or raw/data.npz; it is no OGB data set")
    if path.suffix.lower() == ".npz":
        return StoredMembers(path)
    raise UnreadableFileError(f"{path} cannot be read in a stream; use .csv, .parquet, .npz or a folder of OGB")


class MemberStream:
    """One array of an ``.npz`` file as a stream of its rows.

    Attributes
    ----------
    shape, dtype : of what is stored row after row.
    turned : whether its columns are stored one after another: rows here are then columns of the array.
    """

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._file: IO[bytes] = archive.open(name + ".npy")
        version = np.lib.format.read_magic(self._file)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, self.dtype = reader(self._file)
        self.turned = bool(fortran) and len(shape) > 1
        self.shape: tuple[int, ...] = shape[::-1] if self.turned else shape
        if self.dtype.hasobject:
            raise UnreadableFileError(f"array {name} holds pickled values; store it as plain numbers")

    def pieces(self, rows: int) -> Iterator[Values]:
        """The rows, at most so many at a time."""
        width = int(np.prod(self.shape[1:], dtype=np.int64))
        for start in range(0, self.shape[0], rows):
            count = min(rows, self.shape[0] - start)
            content = self._file.read(count * width * self.dtype.itemsize)
            if len(content) < count * width * self.dtype.itemsize:
                raise UnreadableFileError("an array is cut short; copy the file again")
            yield np.frombuffer(content, dtype=self.dtype).reshape(count, *self.shape[1:])


@dataclass(frozen=True)
class StoredMembers:
    """An ``.npz`` file: ``adj_*`` as this library writes it, or ``edge_index`` and ``node_feat`` as OGB does."""

    path: Path

    def load_links(self, connection: DuckDBPyConnection, progress: Progress = silent) -> None:
        run_query(connection, "CREATE TABLE links (s BIGINT, t BIGINT)", str(self.path))
        with damage_named(self.path, "npz"), zipfile.ZipFile(self.path) as archive:
            done = 0
            for pairs, total in self._links(archive):
                insert_links(connection, pairs, self.path)
                done += len(pairs)
                progress("read links", done, total)

    def _links(self, archive: zipfile.ZipFile) -> Iterator[tuple[npt.NDArray[np.int64], int]]:
        names = _names(archive)
        if "edge_index" in names:
            yield from _two_rows(archive, "edge_index")
        elif {"adj_indptr", "adj_indices"} <= names:
            yield from _matrix_rows(archive, "adj_")
        elif {"indptr", "indices"} <= names:
            yield from _matrix_rows(archive, "")
        else:
            raise UnreadableFileError(
                f"{self.path} holds no graph: expected edge_index, or adj_indices and adj_indptr; found"
                f" {', '.join(sorted(names))[:80] or 'nothing'}"
            )

    def write_nodes(self, writer: FolderWriter, progress: Progress = silent) -> StoredNodes:
        with damage_named(self.path, "npz"), zipfile.ZipFile(self.path) as archive:
            names = _names(archive)
            n_nodes = self._n_nodes(archive, names)
            for name, stored in {"labels": "labels", **_SPLITS}.items():
                if stored in names:
                    writer.array(name, _whole(archive, stored).astype(np.int64))
            ids = write_ids(_whole(archive, "node_ids") if "node_ids" in names else None, writer)
            dense = next((name for name in ("attr_matrix", "node_feat") if name in names), None)
            if dense is not None:
                rows = MemberStream(archive, dense)
                blocks = _stream_rows(rows, n_nodes, writer, progress)
                return StoredNodes(n_nodes, ids, "dense", int(rows.shape[1]), blocks)
            if "attr_data" in names:
                matrix = _sparse(archive, "attr_")
                blocks = write_sparse_features(matrix, writer)
                return StoredNodes(n_nodes, ids, "sparse", int(matrix.shape[1]), blocks)
        return StoredNodes(n_nodes, ids, n_features=n_nodes)

    def _n_nodes(self, archive: zipfile.ZipFile, names: set[str]) -> int:
        if "num_nodes_list" in names:
            return int(_whole(archive, "num_nodes_list").sum())
        if "node_feat" in names:
            return int(MemberStream(archive, "node_feat").shape[0])
        shape = "adj_shape" if "adj_shape" in names else "shape"
        if shape not in names:
            raise UnreadableFileError(f"{self.path} does not say how many nodes it has")
        rows, columns = _whole(archive, shape)
        if rows != columns:
            raise InvalidGraphError(f"adjacency matrix must be square, got shape ({rows}, {columns})")
        return int(rows)


@dataclass(frozen=True)
class OgbTables:
    """A folder of OGB: ``edge.csv.gz``, ``num-node-list.csv.gz`` and, where there are any, ``node-feat.csv.gz``."""

    folder: Path

    def load_links(self, connection: DuckDBPyConnection, progress: Progress = silent) -> None:
        file = self.folder / "edge.csv.gz"
        read = f"read_csv({quoted(str(file))}, header = false, columns = {{'s': 'BIGINT', 't': 'BIGINT'}})"
        run_query(connection, f"CREATE TABLE links AS SELECT s, t FROM {read}", str(file))

    def write_nodes(self, writer: FolderWriter, progress: Progress = silent) -> StoredNodes:
        import pandas as pd

        counted = self.folder / "num-node-list.csv.gz"
        with damage_named(counted, "csv"):
            n_nodes = int(pd.read_csv(counted, header=None)[0].sum())
        file = self.folder / "node-feat.csv.gz"
        label = self.folder / "node-label.csv.gz"
        if label.is_file():
            with damage_named(label, "csv"):
                values = pd.read_csv(label, header=None)[0].fillna(-1).to_numpy()
            writer.array("labels", values.astype(np.int64))
        if not file.is_file():
            return StoredNodes(n_nodes, "numbers", n_features=n_nodes)
        with damage_named(file, "csv"), pd.read_csv(file, header=None, chunksize=_ROWS) as reader:
            pieces = (frame.to_numpy(dtype=np.float32) for frame in reader)
            first = next(pieces)
            blocks = _write_rows(_chained(first, pieces), first.shape[1], first.dtype, n_nodes, writer, progress)
        return StoredNodes(n_nodes, "numbers", "dense", int(first.shape[1]), blocks)


def _chained(first: Values, rest: Iterator[Values]) -> Iterator[Values]:
    yield first
    yield from rest


def _names(archive: zipfile.ZipFile) -> set[str]:
    return {name.removesuffix(".npy") for name in archive.namelist()}


def _whole(archive: zipfile.ZipFile, name: str) -> Values:
    stream = MemberStream(archive, name)
    check_fits(int(np.prod(stream.shape)) * stream.dtype.itemsize, f"array {name}")
    pieces = list(stream.pieces(_LINKS))
    return np.concatenate(pieces) if pieces else np.empty(stream.shape, dtype=stream.dtype)


def _two_rows(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[npt.NDArray[np.int64], int]]:
    """An array of two long rows, read at two places at once."""
    sources, targets = MemberStream(archive, name), MemberStream(archive, name)
    if sources.turned and sources.shape[1:] == (2,):
        for pairs in sources.pieces(_LINKS):
            yield pairs.astype(np.int64), sources.shape[0]
        return
    if sources.turned or len(sources.shape) != 2 or sources.shape[0] != 2:
        raise UnreadableFileError(f"array {name} must have two rows, it has shape {sources.shape}")
    total = int(sources.shape[1])
    size = sources.dtype.itemsize
    _skip(targets._file, total * size)
    for start in range(0, total, _LINKS):
        count = min(_LINKS, total - start)
        ends = [np.frombuffer(each._file.read(count * size), dtype=each.dtype) for each in (sources, targets)]
        yield np.stack(ends, axis=1).astype(np.int64), total


def _matrix_rows(archive: zipfile.ZipFile, prefix: str) -> Iterator[tuple[npt.NDArray[np.int64], int]]:
    """The stored entries of a sparse matrix; entries of zero are no links."""
    indptr = _whole(archive, prefix + "indptr").astype(np.int64)
    columns, values = MemberStream(archive, prefix + "indices"), MemberStream(archive, prefix + "data")
    total, done = int(columns.shape[0]), 0
    for places, weights in zip(columns.pieces(_LINKS), values.pieces(_LINKS), strict=True):
        rows = np.searchsorted(indptr, np.arange(done, done + len(places)), side="right") - 1
        yield np.stack([rows, places.astype(np.int64)], axis=1)[weights != 0], total
        done += len(places)


def _sparse(archive: zipfile.ZipFile, prefix: str) -> Any:
    import scipy.sparse as sp

    parts = tuple(_whole(archive, prefix + part) for part in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=tuple(_whole(archive, prefix + "shape").tolist()), dtype=np.float64)


def _skip(file: IO[bytes], count: int) -> None:
    while count > 0:
        count -= len(file.read(min(count, 2**24))) or count


def insert_links(connection: DuckDBPyConnection, pairs: npt.NDArray[np.int64], path: Path) -> None:
    """Add (P, 2) pairs to the table ``links(s, t)``; ``path`` is where they came from, for messages."""
    import pyarrow as pa

    piece = pa.table({"s": pairs[:, 0], "t": pairs[:, 1]})
    connection.register("kces_piece", piece)
    run_query(connection, "INSERT INTO links SELECT s, t FROM kces_piece", str(path))
    connection.unregister("kces_piece")


def _stream_rows(
    rows: MemberStream, n_nodes: int, writer: FolderWriter, progress: Progress
) -> tuple[tuple[int, int], ...]:
    if rows.turned or len(rows.shape) != 2 or rows.dtype.kind not in "biuf":
        raise UnreadableFileError(
            f"features must be a numeric matrix stored by rows, got {rows.dtype} of shape {rows.shape}"
        )
    kind = np.float32 if rows.dtype.kind == "f" and rows.dtype.itemsize <= 4 else np.float64
    return _write_rows(rows.pieces(_ROWS), int(rows.shape[1]), np.dtype(kind), n_nodes, writer, progress)


def _write_rows(
    pieces: Iterator[Values],
    width: int,
    kind: npt.DTypeLike,
    n_nodes: int,
    writer: FolderWriter,
    progress: Progress,
) -> tuple[tuple[int, int], ...]:
    blocks, done = column_blocks(width, DENSE_COLUMNS), 0
    with ExitStack() as stack:
        files = [
            stack.enter_context(writer.growing(block_name(block), kind, (last - first,)))
            for block, (first, last) in enumerate(blocks)
        ]
        for piece in pieces:
            if not np.isfinite(piece).all():
                raise InvalidGraphError(f"features hold NaN or an infinite value near row {done}; replace it first")
            for file, (first, last) in zip(files, blocks, strict=True):
                file.append(piece[:, first:last])
            done += len(piece)
            progress("write features", done, n_nodes)
    if done != n_nodes:
        raise InvalidGraphError(f"features describe {done} nodes, but the graph has {n_nodes}")
    return blocks
