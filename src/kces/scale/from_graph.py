"""A graph in memory written as a graph folder."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.graph import Graph
from kces.scale.folder_manifest import FolderManifest
from kces.scale.folder_writer import FolderWriter, new_folder
from kces.scale.graph_folder import SPLITS, GraphFolder, block_name
from kces.scale.origin import made_here
from kces.scale.stored_ids import packed_text
from kces.types import Array, Values, is_sparse

__all__ = [
    "DENSE_COLUMNS",
    "SPARSE_COLUMNS",
    "column_blocks",
    "index_type",
    "write_dense_features",
    "write_graph_folder",
    "write_ids",
    "write_sparse_features",
]

DENSE_COLUMNS = 16
SPARSE_COLUMNS = 256
"""Columns in a block of features: what is read at once is a multiple or a part of it."""


def write_graph_folder(graph: Graph, path: str | Path, *, force: bool = False, source: str = "") -> GraphFolder:
    """Write ``graph`` to a folder and open it.

    Parameters
    ----------
    graph : anything that fits into memory.
    path : the folder to make.
    force : replace a graph folder that is there.
    source : where the graph came from, for the manifest.
    """
    target = Path(path)
    with new_folder(target, force=force) as writer:
        narrow = index_type(graph.n_nodes)
        writer.array("indptr", graph.adjacency.indptr.astype(np.int64))
        writer.array("indices", graph.adjacency.indices.astype(narrow))
        writer.array("edges", graph.edges.astype(narrow))
        for name in ("labels", *SPLITS):
            if (values := getattr(graph, name)) is not None:
                writer.array(name, values)
        kind, blocks = _write_features(graph, writer)
        manifest = FolderManifest(
            name=graph.name,
            n_nodes=graph.n_nodes,
            n_edges=graph.n_edges,
            n_features=graph.n_features,
            features=kind,
            column_blocks=blocks,
            ids=write_ids(graph.node_ids, writer),
            files=writer.stored(),
            feature_names=graph.feature_names,
            repairs=asdict(graph.repairs),
            made_by=made_here(source or graph.name),
        )
        writer.finish(manifest)
    return GraphFolder.open(target)


def index_type(n_nodes: int) -> npt.DTypeLike:
    """32 bits where they can number the nodes: half the disk.

    >>> np.dtype(index_type(10)).itemsize, np.dtype(index_type(2**40)).itemsize
    (4, 8)
    """
    return np.int32 if n_nodes < np.iinfo(np.int32).max else np.int64


def column_blocks(n_columns: int, width: int) -> tuple[tuple[int, int], ...]:
    """First and last + 1 column of each block.

    >>> column_blocks(20, 16)
    ((0, 16), (16, 20))
    """
    return tuple((first, min(first + width, n_columns)) for first in range(0, n_columns, width))


def write_ids(node_ids: Values | None, writer: FolderWriter) -> str:
    """Store the nodes' names; how, in a word for the manifest."""
    if node_ids is None:
        return "numbers"
    if node_ids.dtype.kind in "iu":
        writer.array("ids", node_ids.astype(np.int64))
        return "integers"
    values, ends = packed_text([str(name) for name in node_ids])
    writer.array("ids", values)
    writer.array("ids_ends", ends)
    return "text"


def _write_features(graph: Graph, writer: FolderWriter) -> tuple[str, tuple[tuple[int, int], ...]]:
    if not graph.has_features:
        return "none", ()
    if is_sparse(graph.features):
        return "sparse", write_sparse_features(graph.features, writer)
    return "dense", write_dense_features(graph.features, writer)


def write_sparse_features(features: sp.csr_array, writer: FolderWriter) -> tuple[tuple[int, int], ...]:
    """Store sparse features, a matrix of its own for each block of columns."""
    blocks = column_blocks(features.shape[1], SPARSE_COLUMNS)
    by_column = features.tocsc()
    for block, (first, last) in enumerate(blocks):
        part = by_column[:, first:last].tocsr()
        part.sort_indices()
        writer.array(f"{block_name(block)}_data", lossless(part.data))
        writer.array(f"{block_name(block)}_indices", part.indices.astype(np.int32))
        writer.array(f"{block_name(block)}_indptr", part.indptr.astype(np.int64))
    return blocks


def write_dense_features(features: Array, writer: FolderWriter) -> tuple[tuple[int, int], ...]:
    """Store dense features in blocks of columns."""
    blocks = column_blocks(features.shape[1], DENSE_COLUMNS)
    for block, (first, last) in enumerate(blocks):
        writer.array(block_name(block), lossless(np.ascontiguousarray(features[:, first:last])))
    return blocks


def lossless(values: npt.NDArray[np.float64]) -> Values:
    """The same numbers in 32 bits, where that changes none of them.

    >>> [lossless(np.array([number])).dtype.itemsize for number in (0.5, 0.1)]
    [4, 8]
    """
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    return short if np.array_equal(short.astype(np.float64), values) else values
