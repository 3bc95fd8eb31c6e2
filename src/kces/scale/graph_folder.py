"""A graph that stays on disk: a folder of memory-mapped arrays with a manifest, opened without being read.

The files are ``indptr`` and ``indices`` (both directions of every edge, rows sorted), ``edges`` (E, 2) in the order of
every score, the features in blocks of columns, and where there are any ``ids``, ``labels`` and the nodes of a split.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from kces.errors import UnreadableFileError
from kces.graph import Graph, Repairs
from kces.memory import require_memory
from kces.scale.folder_check import check_arrays
from kces.scale.folder_manifest import MANIFEST, FolderManifest, file_hash
from kces.scale.folder_writer import array_file
from kces.scale.stored_ids import StoredIds
from kces.types import Array, Bools, Features, Ints, Values, is_sparse

__all__ = ["SPLITS", "GraphFolder", "is_address", "is_graph_folder"]

SPLITS = ("train", "val", "test")
_DESCRIBED = ("labels", *SPLITS)
_BYTES_PER_EDGE = 60
"""What a graph in memory and its scoring hold for each edge, at least."""


def is_address(path: str | Path) -> bool:
    """Whether a path is the address of an object store, such as ``s3://bucket/g.kces``.

    >>> is_address("s3://bucket/g.kces"), is_address("data/g.kces")
    (True, False)
    """
    return "://" in str(path)


def is_graph_folder(path: str | Path) -> bool:
    """Whether there is a graph folder at ``path``.

    >>> is_graph_folder("no such folder")
    False
    """
    if is_address(path):
        from kces.scale.remote_folder import remote_manifest_exists

        return remote_manifest_exists(str(path))
    return (Path(path) / MANIFEST).is_file()


@dataclass(frozen=True, eq=False)
class GraphFolder:
    """An open graph folder.

    Attributes
    ----------
    path : the folder.
    manifest : what it says about itself.
    origin : where others find it: its path, or the address in an object store that it was copied from.

    Examples
    --------
    >>> import tempfile
    >>> from kces.datasets.toys import barbell
    >>> from kces.scale.from_graph import write_graph_folder
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_graph_folder(barbell(), Path(place) / "bell.kces")
    ...     folder.n_edges, folder.rows(0, 2).shape, folder.to_graph().edges.tolist() == barbell().edges.tolist()
    (21, (2, 2), True)
    """

    path: Path
    manifest: FolderManifest
    origin: str = ""

    @classmethod
    def open(cls, path: str | Path) -> GraphFolder:
        """Open a folder, or copy it from an address.

        Sizes of all files are compared with the manifest; their content is by :meth:`verify`.
        """
        origin = str(path)
        if is_address(path):
            from kces.scale.remote_folder import local_copy

            path = local_copy(origin)
        else:
            origin = str(Path(path).resolve())
        folder = cls(Path(path), FolderManifest.read(Path(path)), origin)
        for name, stored in folder.manifest.files.items():
            file = folder.path / name
            if not file.is_file():
                raise UnreadableFileError(f"{folder.path} has lost its file {name}; convert the graph again")
            if file.stat().st_size != stored.bytes:
                raise UnreadableFileError(
                    f"{file} has {file.stat().st_size} bytes instead of {stored.bytes}; convert the graph again"
                )
        return folder

    def verify(self) -> None:
        """Read every file once and compare it with its checksum; then no array may lead out of the others."""
        for name, stored in self.manifest.files.items():
            if file_hash(self.path / name) != stored.sha256:
                raise UnreadableFileError(f"{self.path / name} is damaged: its checksum differs; convert it again")
        check_arrays(self)

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def n_nodes(self) -> int:
        return self.manifest.n_nodes

    @property
    def n_edges(self) -> int:
        return self.manifest.n_edges

    @property
    def n_features(self) -> int:
        return self.manifest.n_features

    @property
    def repairs(self) -> Repairs:
        return Repairs(**self.manifest.repairs)

    def array(self, name: str) -> Values:
        """A stored array, mapped into memory and never written to; an empty one is read."""
        file = self.path / array_file(name)
        stored = self.manifest.files.get(file.name)
        if stored is None:
            raise UnreadableFileError(f"{self.path} has no {name}; convert the graph again")
        try:
            empty = not np.prod(stored.shape)
            return np.asarray(np.load(file, mmap_mode=None if empty else "r", allow_pickle=False))
        except (OSError, ValueError) as error:
            raise UnreadableFileError(f"{file} is damaged ({error}); convert the graph again") from error

    def has(self, name: str) -> bool:
        """Whether an array is there."""
        return array_file(name) in self.manifest.files

    @cached_property
    def indptr(self) -> Ints:
        return self.array("indptr")

    @cached_property
    def indices(self) -> Values:
        return self.array("indices")

    @cached_property
    def edges(self) -> Values:
        """(E, 2) node pairs with ``i < j``, in lexicographic order: the order of every score."""
        return self.array("edges")

    @cached_property
    def degrees(self) -> Array:
        """(N,) degree of each node with its self-loop, in memory."""
        return np.diff(self.indptr).astype(np.float64) + 1.0

    @property
    def is_linked(self) -> Bools:
        """(N,) which nodes have a link."""
        return np.diff(self.indptr) > 0

    @cached_property
    def ids(self) -> StoredIds:
        """The nodes' names."""
        parts = {part: self.array(part) for part in ("ids", "ids_ends") if self.has(part)}
        return StoredIds(self.n_nodes, parts.get("ids"), parts.get("ids_ends"))

    def are_edges(self, pairs: Ints) -> Bools:
        """Which of the pairs are edges, by looking into the rows of their first nodes.

        Parameters
        ----------
        pairs : (P, 2) numbers of nodes.
        """
        found = np.zeros(len(pairs), dtype=bool)
        for position, (i, j) in enumerate(pairs.tolist()):
            row = self.indices[self.indptr[i] : self.indptr[i + 1]]
            at = int(np.searchsorted(row, j))
            found[position] = at < len(row) and row[at] == j
        return found

    # -- features -------------------------------------------------------------------------------

    def columns(self, block: int) -> Features:
        """(N, w) the features of one block of columns: a mapped array, or a sparse matrix of mapped arrays."""
        name = block_name(block)
        if self.manifest.features == "dense":
            return self.array(name)
        first, last = self.manifest.column_blocks[block]
        parts = tuple(self.array(f"{name}_{part}") for part in ("data", "indices", "indptr"))
        return sp.csr_array(parts, shape=(self.n_nodes, last - first))

    def rows(self, start: int, stop: int, columns: tuple[int, int] | None = None) -> Array:
        """(stop - start, F) features of some nodes, dense, float64; of all columns, or from one up to another."""
        low, high = columns or (0, self.n_features)
        found = np.empty((min(stop, self.n_nodes) - start, high - low))
        for block, (first, last) in enumerate(self.manifest.column_blocks):
            begin, end = max(first, low), min(last, high)
            if begin < end:
                part = self.columns(block)[start:stop]
                wanted = part[:, begin - first : end - first]
                found[:, begin - low : end - low] = wanted.toarray() if is_sparse(wanted) else wanted
        return found

    def rows_at(self, nodes: Ints) -> Array:
        """(len(nodes), F) features of the given nodes, dense, float64."""
        found = np.empty((len(nodes), self.n_features))
        for block, (first, last) in enumerate(self.manifest.column_blocks):
            part = self.columns(block)[nodes]
            found[:, first:last] = part.toarray() if is_sparse(part) else part
        return found

    # -- in memory ------------------------------------------------------------------------------

    @property
    def memory_needed(self) -> int:
        """Bytes that the graph and its scores take in memory, at least."""
        stored = sum(each.bytes for name, each in self.manifest.files.items() if name.startswith("features"))
        return _BYTES_PER_EDGE * self.n_edges + 50 * self.n_nodes + 3 * stored

    def to_graph(self) -> Graph:
        """The whole graph in memory, if it fits; else an error that names the amount."""
        instead = "preset robust keeps features of up to 2048 columns on disk, else use a larger machine"
        require_memory(self.memory_needed, f"{self.path} in memory", instead)
        values = np.ones(len(self.indices))
        adjacency = sp.csr_array((values, self.indices.copy(), self.indptr.copy()), shape=(self.n_nodes,) * 2)
        if adjacency.indices.dtype == np.int32 and adjacency.nnz < np.iinfo(np.int32).max:
            adjacency.indptr = adjacency.indptr.astype(np.int32)
        labels, train, val, test = (self.array(name).copy() if self.has(name) else None for name in _DESCRIBED)
        return Graph(
            adjacency,
            self._all_features(),
            labels=labels,
            train=train,
            val=val,
            test=test,
            node_ids=self.ids.all_names(),
            feature_names=self.manifest.feature_names,
            name=self.name,
            repairs=self.repairs,
        )

    def _all_features(self) -> Features:
        if self.manifest.features == "none":
            return sp.csr_array(sp.eye_array(self.n_nodes, dtype=np.float64))
        if self.manifest.features == "dense":
            return self.rows(0, self.n_nodes)
        blocks = [self.columns(block) for block in range(len(self.manifest.column_blocks))]
        return sp.csr_array(sp.hstack(blocks, format="csr", dtype=np.float64))


def block_name(block: int) -> str:
    """The name of the files of a block of columns.

    >>> block_name(3)
    'features_0003'
    """
    return f"features_{block:04d}"
