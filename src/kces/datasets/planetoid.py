"""The Planetoid files of Pubmed: Python 2 pickles, read without letting them run anything."""

from __future__ import annotations

import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import UnreadableFileError
from kces.graph import Graph
from kces.types import Values

__all__ = ["PARTS", "read_planetoid", "restricted_load"]

PARTS = ("allx", "ally", "tx", "ty", "graph", "test.index")


class _CsrState:
    """Stands in for scipy's matrix class: takes its pickled attributes and runs none of its code."""

    data: Values
    indices: Values
    indptr: Values
    _shape: tuple[int, int]

    def to_csr(self) -> sp.csr_array:
        return sp.csr_array((self.data, self.indices, self.indptr), shape=self._shape)


_reconstruct_array = np.empty(0).__reduce__()[0]  # numpy's own, wherever this version keeps it
_ALLOWED = {
    ("scipy.sparse.csr", "csr_matrix"): _CsrState,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct_array,
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("collections", "defaultdict"): defaultdict,
    ("__builtin__", "list"): list,
}


class _RestrictedUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not allowed") from None


def restricted_load(handle: BinaryIO) -> Any:
    """Unpickle numpy arrays, scipy CSR matrices and plain containers; refuse everything else.

    >>> import io
    >>> restricted_load(io.BytesIO(pickle.dumps({0: [1, 2]})))
    {0: [1, 2]}
    """
    return _RestrictedUnpickler(handle, encoding="latin1").load()


def read_planetoid(paths: dict[str, Path], name: str, split: dict[str, npt.NDArray[np.int64]]) -> Graph:
    """The whole graph from its parts (keys: :data:`PARTS`), nodes in the order of the published graph."""
    parts = {part: _read_pickle(paths[part]) for part in PARTS if part != "test.index"}
    test_nodes = _read_index(paths["test.index"])
    try:
        features = sp.vstack([parts["allx"].to_csr(), parts["tx"].to_csr()]).tocsr()
        classes = np.concatenate([parts["ally"], parts["ty"]]).argmax(axis=1)
        edges = [(node, other) for node, others in parts["graph"].items() for other in others]
        # The last rows are the test nodes in the order of test.index, not of the graph.
        row_of_node = np.arange(features.shape[0])
        row_of_node[test_nodes] = np.arange(features.shape[0] - len(test_nodes), features.shape[0])
        adjacency = _undirected(np.array(edges), features.shape[0])
    except (AttributeError, ValueError, IndexError, TypeError) as error:
        raise UnreadableFileError(f"{paths['allx']} and its neighbors are not a Planetoid set: {error}") from error
    return Graph.from_scipy(adjacency, features[row_of_node], labels=classes[row_of_node], name=name, **split)


def _undirected(edges: npt.NDArray[np.int64], n_nodes: int) -> sp.csr_array:
    """Loops and repeated edges, known to be in the published lists, are dropped without a warning."""
    source, target = edges[edges[:, 0] != edges[:, 1]].T
    both = (np.concatenate([source, target]), np.concatenate([target, source]))
    matrix = sp.csr_array((np.ones(len(both[0])), both), shape=(n_nodes, n_nodes))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return matrix


def _read_pickle(path: Path) -> Any:
    try:
        with path.open("rb") as handle:
            return restricted_load(handle)
    except Exception as error:  # a damaged pickle can raise nearly anything
        raise UnreadableFileError(f"refused to read {path}: {error}") from error


def _read_index(path: Path) -> npt.NDArray[np.int64]:
    try:
        return np.array(path.read_text(encoding="ascii").split(), dtype=np.int64)
    except (OSError, ValueError) as error:
        raise UnreadableFileError(f"{path} is not a list of node numbers: {error}") from error
