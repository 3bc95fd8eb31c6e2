"""Graphs published as numpy archives: the ``gnn-meta-attack`` files and the heterophilous set."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.errors import InvalidParameterError, UnreadableFileError
from kces.graph import Graph
from kces.types import Values

__all__ = [
    "N_HETEROPHILOUS_SPLITS",
    "load_arrays",
    "read_adjacency",
    "read_heterophilous",
    "read_meta_attack",
]

N_HETEROPHILOUS_SPLITS = 10
_ADJACENCY_KEYS = ("adj_data", "adj_indices", "adj_indptr", "adj_shape", "labels")
_FEATURE_KEYS = ("attr_data", "attr_indices", "attr_indptr", "attr_shape")
_HETEROPHILOUS_KEYS = ("node_features", "node_labels", "edges", "train_masks", "val_masks", "test_masks")


def read_meta_attack(path: Path, name: str, split: dict[str, npt.NDArray[np.int64]]) -> Graph:
    """The largest connected component, undirected and without loops; identity features if there are none.

    The published splits and attacked adjacency matrices number the nodes of this component in file order.
    """
    arrays = load_arrays(path, _ADJACENCY_KEYS, optional=_FEATURE_KEYS)
    adjacency = _csr(arrays, "adj")
    undirected = adjacency.maximum(adjacency.T).tocsr()
    undirected.setdiag(0)
    undirected.eliminate_zeros()
    undirected.data[:] = 1
    nodes = _largest_component(undirected)
    features = _csr(arrays, "attr")[nodes] if "attr_data" in arrays else None
    labels = arrays["labels"][nodes]
    return Graph.from_scipy(undirected[nodes][:, nodes], features, labels=labels, name=name, **split)


def read_heterophilous(path: Path, name: str, split: int) -> Graph:
    """One of the heterophilous graphs with the masks of split number ``split``."""
    if not 0 <= split < N_HETEROPHILOUS_SPLITS:
        raise InvalidParameterError(f"{name} has splits 0 to {N_HETEROPHILOUS_SPLITS - 1}, got split {split}")
    arrays = load_arrays(path, _HETEROPHILOUS_KEYS)
    masks = {part: arrays[f"{part}_masks"][split] for part in ("train", "val", "test")}
    return Graph.from_edges(
        arrays["edges"],
        sp.csr_array(arrays["node_features"]),  # bags of words: mostly zeros
        labels=arrays["node_labels"],
        name=name,
        **masks,
    )


def read_adjacency(path: Path) -> sp.csr_array:
    """A square matrix saved by :func:`scipy.sparse.save_npz`."""
    try:
        return sp.csr_array(sp.load_npz(path))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise UnreadableFileError(f"{path} is not a sparse matrix saved by scipy: {error}") from error


def load_arrays(path: Path, required: Iterable[str], optional: Iterable[str] = ()) -> dict[str, Values]:
    """The named arrays only: some archives also hold pickled objects, which are never touched."""
    try:
        with np.load(path) as archive:
            wanted = [*required, *(key for key in optional if key in archive.files)]
            return {key: archive[key] for key in wanted}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise UnreadableFileError(f"{path} is not a graph archive: {error}") from error


def _csr(arrays: dict[str, Values], prefix: str) -> sp.csr_array:
    data, indices, indptr = (arrays[f"{prefix}_{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_array((data, indices, indptr), shape=tuple(arrays[f"{prefix}_shape"]))


def _largest_component(adjacency: sp.csr_array) -> npt.NDArray[np.int64]:
    from scipy.sparse.csgraph import connected_components  # here: slow to load, and most graphs are no data sets

    _, component = connected_components(adjacency, directed=False)
    return np.flatnonzero(component == np.bincount(component).argmax())
