"""The small Flickr graph: text in a zip archive, read line by line and kept as sparse arrays."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.atomic import atomic_write
from kces.datasets.builtin import stratified_split
from kces.datasets.roots import make_private_folder
from kces.errors import KCESError, UnreadableFileError
from kces.graph import Graph
from kces.progress import Progress, silent
from kces.types import Values

__all__ = ["read_flickr"]

_Arrays = dict[str, Values]
_KEYS = ("edges", "labels", "indices", "indptr", "n_features")


def read_flickr(path: Path, cache: Path, name: str = "flickr", progress: Progress = silent) -> Graph:
    """The graph in the archive ``path``; ``cache`` is the file that keeps its parsed form, if it can.

    No split was published: this is one 10/10/80 split, stratified by class, with seed 0.
    """
    arrays = _from_cache(cache)
    if arrays is None:
        arrays = _parse(path, progress)
        with suppress(KCESError, OSError):  # the cache only saves time
            make_private_folder(cache.parent)
            with atomic_write(cache, force=True) as temporary:
                np.savez_compressed(temporary, **arrays)  # type: ignore[arg-type]
    indices, indptr, labels = arrays["indices"], arrays["indptr"], arrays["labels"]
    shape = (len(labels), int(arrays["n_features"]))
    features = sp.csr_array((np.ones(len(indices)), indices, indptr), shape=shape)
    train, val, test = stratified_split(labels, seed=0)
    return Graph.from_edges(arrays["edges"], features, labels=labels, train=train, val=val, test=test, name=name)


def _from_cache(cache: Path) -> _Arrays | None:
    try:
        with np.load(cache) as archive:
            return {key: archive[key] for key in _KEYS}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None  # not there or damaged: made again


def _parse(path: Path, progress: Progress) -> _Arrays:
    try:
        with zipfile.ZipFile(path) as archive:
            labels = np.loadtxt(archive.open("flickr/flickr.label"), dtype=np.int64)
            edges = np.loadtxt(archive.open("flickr/flickr.edge"), dtype=np.int64)
            rows, n_features = _one_columns(archive, len(labels), progress)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UnreadableFileError(f"{path} is not the Flickr archive: {error}") from error
    return {
        "edges": edges,
        "labels": labels,
        "indices": np.concatenate(rows),
        "indptr": np.cumsum([0, *map(len, rows)]),
        "n_features": np.array(n_features),
    }


def _one_columns(archive: zipfile.ZipFile, n_nodes: int, progress: Progress) -> tuple[list[npt.NDArray[np.int64]], int]:
    """The columns that hold a one, per line of ``0 1 0 …``; only one line is unpacked at a time."""
    rows: list[npt.NDArray[np.int64]] = []
    n_features = 0
    with archive.open("flickr/flickr.feature") as handle:
        for line in handle:
            digits = np.frombuffer(line.rstrip(), dtype=np.uint8)[::2]
            n_features = n_features or len(digits)
            ones = np.flatnonzero(digits == ord("1"))
            if len(digits) != n_features or len(ones) + np.count_nonzero(digits == ord("0")) != n_features:
                raise ValueError(f"line {len(rows) + 1} of flickr.feature is not {n_features} zeros and ones")
            rows.append(ones)
            if len(rows) % 256 == 0 or len(rows) == n_nodes:
                progress("read flickr features", len(rows), n_nodes)
    if len(rows) != n_nodes:
        raise ValueError(f"flickr.feature has {len(rows)} lines for {n_nodes} nodes")
    return rows, n_features
