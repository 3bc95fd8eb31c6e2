"""``.npz`` files: the public robustness data (``adj_*``, ``attr_*``, ``labels``) and scipy's ``save_npz``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import GraphWarning, UnreadableFileError
from kces.graph import Graph
from kces.interop.arrays import Members, PickledArrayError, members_in, npy_bytes, write_members
from kces.interop.edge_columns import plain_ids
from kces.interop.formats.base import Format, Request
from kces.interop.limits import check_fits, damage_named
from kces.interop.node_table import dense_features
from kces.interop.records import surviving_records
from kces.interop.sparse import StoredMatrix, read_matrix
from kces.types import Values

__all__ = ["NPZ"]

_SPLITS = {"train": "idx_train", "val": "idx_val", "test": "idx_test"}


@dataclass(frozen=True)
class _Members:
    """Every member of the file, unread, and the adjacency among them."""

    members: Members
    adjacency: StoredMatrix


def _read(request: Request) -> tuple[Graph, _Members]:
    path = request.path
    members = members_in(request.read(), path)
    if "adj_indptr" in members or "adj_data" in members:
        prefix = "adj_"
    elif "data" in members:
        prefix = ""
    else:
        _refuse(members, path)
    adjacency = read_matrix(members, f"adjacency matrix of {path}", prefix=prefix)
    own = _node_arrays(members, path, max(adjacency.shape)) if prefix else {}
    graph = Graph.from_scipy(adjacency.coo(), name=path.stem, **own)
    _warn_of_pickles(members, path)
    return graph, _Members(members, adjacency)


def _refuse(members: Members, path: Path) -> Any:
    for name in members:
        members.header(name)  # a pickled or damaged one is the better reason
    raise UnreadableFileError(
        f"{path} holds no graph: expected the arrays adj_data, adj_indices, adj_indptr, adj_shape,"
        f" or a matrix of scipy.sparse.save_npz; found {', '.join(sorted(members))[:80] or 'nothing'}"
    )


def _node_arrays(members: Members, path: Path, n_nodes: int) -> dict[str, Any]:
    """The keyword arguments of ``Graph.from_scipy`` that the file holds."""
    for name in ("attr_matrix", "labels", "node_ids", *_SPLITS.values()):
        _check_rows(members, name, n_nodes)
    found: dict[str, Any] = {}
    if "attr_matrix" in members:
        found["features"] = dense_features(members.array("attr_matrix"), path)
    elif "attr_data" in members:
        found["features"] = sp.csr_array(read_matrix(members, f"features of {path}", prefix="attr_").coo())
    if "labels" in members:
        found["labels"] = members.array("labels")
    found |= {split: members.array(name) for split, name in _SPLITS.items() if name in members}
    if "node_ids" in members:
        found["node_ids"] = _ids(members.array("node_ids"), path)
    return found


def _check_rows(members: Members, name: str, n_nodes: int) -> None:
    """Refuse, before it is inflated, an array that declares more rows than there are nodes."""
    if name in members and max(members.header(name).shape[:1], default=0) > n_nodes:
        rows = members.header(name).shape[0]
        raise UnreadableFileError(f"array {name} of {members.path} has {rows} rows, but the graph has {n_nodes} nodes")


def _ids(stored: Values, path: Path) -> Values | None:
    if stored.ndim != 1 or stored.dtype.kind not in "iuU":
        raise UnreadableFileError(f"array node_ids of {path} must be a list of integers or text")
    with damage_named(path, "npz"):  # bytes that are no characters show up only here
        names = np.array([str(name) for name in stored], dtype=object)
    return plain_ids(names)


def _is_pickled(members: Members, name: str) -> bool:
    try:
        members.header(name)
    except PickledArrayError:
        return True
    except UnreadableFileError:
        return False  # not an array at all: it too is only carried along
    return False


def _warn_of_pickles(members: Members, path: Path) -> None:
    """The public Cora and Citeseer files carry pickled name tables: kept as bytes, never loaded."""
    pickled = [name for name in members if _is_pickled(members, name)]
    if pickled:
        warnings.warn(
            f"{path}: pickled array(s) {', '.join(sorted(pickled))} not read, only copied to the output",
            GraphWarning,
            stacklevel=3,
        )


def _write_filtered(graph: Graph, payload: _Members, kept: npt.NDArray[np.bool_], path: Path) -> None:
    adjacency = payload.adjacency
    survives = surviving_records(graph, kept, adjacency.rows, adjacency.cols)
    write_members(path, {**payload.members, **adjacency.filtered(survives)})


def _write_graph(graph: Graph, path: Path) -> None:
    arrays = _matrix_arrays("adj_", graph.adjacency)
    if sp.issparse(graph.features):
        if graph.has_features:
            arrays |= _matrix_arrays("attr_", graph.features)
    else:
        arrays["attr_matrix"] = graph.features
    if graph.labels is not None:
        arrays["labels"] = graph.labels
    for split, name in _SPLITS.items():
        if (nodes := getattr(graph, split)) is not None:
            arrays[name] = nodes
    if graph.node_ids is not None:
        ids = graph.node_ids
        arrays["node_ids"] = ids if ids.dtype.kind in "iuU" else _of_one_width([str(name) for name in ids], path)
    write_members(path, {name: npy_bytes(array) for name, array in arrays.items()})


def _of_one_width(names: list[str], path: Path) -> Values:
    """An array of text is as wide as its longest name throughout."""
    check_fits(8 * len(names) * max(map(len, names), default=0), f"writing the names of the nodes to {path}")
    return np.array(names)


def _matrix_arrays(prefix: str, matrix: Any) -> dict[str, Values]:
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    return {prefix + name: part for name, part in parts.items()} | {f"{prefix}shape": np.array(matrix.shape)}


NPZ = Format("npz", (".npz",), _read, _write_filtered, _write_graph)
