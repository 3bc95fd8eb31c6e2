"""ogbn-arxiv: OGB's own files where they are, else its structure with features that are made up."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse as sp

from kces.datasets.npz_graphs import load_arrays, read_adjacency
from kces.errors import GraphWarning, UnreadableFileError
from kces.graph import Graph
from kces.types import Values

__all__ = ["find_ogb_folder", "read_ogb", "read_structure"]

_N_FEATURES = 128
# With unit noise, the nearest class center is the right one for about half of the nodes: features that
# help without giving the classes away.
_CENTRE_SCALE = 0.2
_OGB_FOLDER = "ogbn_arxiv"
_OGB_SPLITS = {"train": "train", "val": "valid", "test": "test"}


def find_ogb_folder(root: Path, download_to: Path) -> Path | None:
    """OGB's ``ogbn_arxiv`` folder in one of the two, else one that the ``ogb`` package puts in the second."""
    for folder in (root, download_to):
        if _has_ogb_files(folder):
            return folder / _OGB_FOLDER
    try:
        from ogb.nodeproppred import NodePropPredDataset
    except ImportError:
        return None
    with suppress(Exception):  # offline, or its reader trips over a newer torch: only its files matter here
        NodePropPredDataset(name="ogbn-arxiv", root=str(download_to))
    return download_to / _OGB_FOLDER if _has_ogb_files(download_to) else None


def _has_ogb_files(folder: Path) -> bool:
    return (folder / _OGB_FOLDER / "raw" / "node-feat.csv.gz").is_file()


def read_ogb(folder: Path, name: str) -> Graph:
    """The graph, real features, labels and split by year, from the files as OGB unpacks them."""
    edges = _read_csv(folder / "raw" / "edge.csv.gz", np.int64)
    features = _read_csv(folder / "raw" / "node-feat.csv.gz", np.float64)
    labels = _read_csv(folder / "raw" / "node-label.csv.gz", np.int64)[:, 0]
    split = {
        part: _read_csv(folder / "split" / "time" / f"{ogb}.csv.gz", np.int64)[:, 0]
        for part, ogb in _OGB_SPLITS.items()
    }
    n_nodes = len(features)
    citations = sp.csr_array((np.ones(len(edges)), tuple(edges.T)), shape=(n_nodes, n_nodes))
    return Graph.from_scipy(_undirected(citations), features, labels=labels, name=name, **split)


def read_structure(adjacency: Path, labels_and_split: Path, name: str, seed: int = 0) -> Graph:
    """The real edges, labels and split by year, with seeded class-conditional Gaussian features."""
    arrays = load_arrays(labels_and_split, ("labels", "train_idx", "val_idx", "test_idx"))
    warnings.warn(
        f"{name}: the {_N_FEATURES} real features are not here, seeded class-conditional Gaussian ones are "
        f"used; the ogb package downloads the real ones, or put OGB's folder {_OGB_FOLDER} in the data root",
        GraphWarning,
        stacklevel=2,
    )
    return Graph.from_scipy(
        _undirected(read_adjacency(adjacency)),
        _gaussian_features(arrays["labels"].astype(np.int64), seed),
        labels=arrays["labels"],
        train=arrays["train_idx"],
        val=arrays["val_idx"],
        test=arrays["test_idx"],
        name=name,
    )


def _gaussian_features(labels: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    centers = _CENTRE_SCALE * generator.standard_normal((int(labels.max()) + 1, _N_FEATURES))
    features = generator.standard_normal((len(labels), _N_FEATURES))
    features += centers[labels]
    return features


def _undirected(citations: sp.csr_array) -> sp.csr_array:
    """A citation in either direction is an edge; the direction is dropped by design, without a warning."""
    one_way = citations.astype(np.float64)
    either = sp.csr_array(one_way + one_way.T)
    either.setdiag(0.0)
    either.eliminate_zeros()
    either.data[:] = 1.0
    return either


def _read_csv(path: Path, dtype: Any) -> Values:
    try:
        return pd.read_csv(path, header=None, dtype=dtype).to_numpy()
    except (OSError, ValueError, EOFError) as error:
        raise UnreadableFileError(f"{path} is not a table of OGB: {error}") from error
