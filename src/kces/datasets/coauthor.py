"""The co-authors of physics papers as GraphData publishes them: an archive of pickled matrices, read without letting
them run anything."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from kces.datasets.builtin import stratified_split
from kces.datasets.npz_graphs import load_arrays
from kces.datasets.planetoid import restricted_load
from kces.errors import UnreadableFileError
from kces.graph import Graph

__all__ = ["read_coauthor"]


def read_coauthor(path: Path, name: str, split: int) -> Graph:
    """The whole graph, undirected, with seeded train, validation and test nodes: none are published.

    Parameters
    ----------
    path : the archive.
    name : of the graph.
    split : seed of the split, 10 / 10 / 80 percent of each class.
    """
    labels = load_arrays(path, ["node_label"])["node_label"].astype(np.int64)
    adjacency, features = _read_matrix(path, "adj_matrix"), _read_matrix(path, "node_attr")
    train, val, test = stratified_split(labels, seed=split)
    return Graph.from_scipy(
        adjacency.maximum(adjacency.T), features, labels=labels, train=train, val=val, test=test, name=name
    )


def _read_matrix(path: Path, member: str) -> sp.csr_array:
    """A scipy matrix that numpy saved as an array of one object."""
    try:
        with zipfile.ZipFile(path) as archive:
            handle = io.BytesIO(archive.read(f"{member}.npy"))
        np.lib.format.read_magic(handle)
        np.lib.format.read_array_header_1_0(handle)
        holder: Any = restricted_load(handle)
        return sp.csr_array(holder.item().to_csr())
    except Exception as error:  # a damaged pickle can raise nearly anything
        raise UnreadableFileError(f"refused to read {member} of {path}: {error}") from error
