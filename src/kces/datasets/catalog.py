"""Which data sets there are, which files each needs and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kces.datasets import arxiv, coauthor, flickr, npz_graphs, planetoid
from kces.datasets.builtin import is_builtin
from kces.datasets.file_registry import FILES
from kces.datasets.local_files import path_of
from kces.datasets.roots import cache_folder, data_root, is_writable
from kces.datasets.splits import prognn_split
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.offered import DATASETS as OFFERED
from kces.plugins import Registry, origin_of
from kces.progress import Progress

__all__ = ["DATASETS", "Counts", "DatasetEntry", "LoadRequest", "register_dataset"]


@dataclass(frozen=True)
class LoadRequest:
    """What a reader needs beyond its files: the data root, the split number and who watches."""

    root: str | Path | None
    split: int
    progress: Progress

    def path(self, file: str) -> Path:
        return path_of(file, self.root, self.progress)


class Counts(NamedTuple):
    """What a reader gets from the published files; listed without reading them."""

    nodes: int
    edges: int
    features: int
    classes: int


@dataclass(frozen=True)
class DatasetEntry:
    """A data set: a line about it, its counts if they are known, the files it is read from, and the reader.

    One's own is added with :func:`register_dataset`.
    """

    name: str
    about: str
    counts: Counts | None
    files: tuple[str, ...]
    read: Callable[[LoadRequest], Graph]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(FILES[file].size for file in self.files)

    @property
    def license(self) -> str:
        """Licenses that the sources of the files state, each named once, the graph's own first."""
        return ", ".join(dict.fromkeys(FILES[file].license for file in self.files))


def _meta_attack(name: str, *counts: int) -> DatasetEntry:
    graph, split = f"gnn-meta-attack/data/{name}.npz", f"Pro-GNN/splits/{name}_prognn_splits.json"

    def read(request: LoadRequest) -> Graph:
        nodes = prognn_split(request.path(split))
        return npz_graphs.read_meta_attack(request.path(graph), name, nodes)

    return DatasetEntry(name, OFFERED[name], Counts(*counts), (graph, split), read)


def _pubmed() -> DatasetEntry:
    parts = {part: f"planetoid/data/ind.pubmed.{part}" for part in planetoid.PARTS}
    split = "Pro-GNN/splits/pubmed_prognn_splits.json"

    def read(request: LoadRequest) -> Graph:
        paths = {part: request.path(file) for part, file in parts.items()}
        return planetoid.read_planetoid(paths, "pubmed", prognn_split(request.path(split)))

    return DatasetEntry("pubmed", OFFERED["pubmed"], Counts(19717, 44324, 500, 3), (*parts.values(), split), read)


def _flickr() -> DatasetEntry:
    file = "Pro-GNN/other_datasets/flickr.zip"

    def read(request: LoadRequest) -> Graph:
        # The name changes with the archive, so a cache of another version is never read.
        cache = cache_folder() / "derived" / f"flickr-{FILES[file].sha256[:12]}.npz"
        return flickr.read_flickr(request.path(file), cache, progress=request.progress)

    return DatasetEntry("flickr", OFFERED["flickr"], Counts(7575, 239738, 12047, 9), (file,), read)


def _coauthor_physics() -> DatasetEntry:
    file, name = "GraphData/datasets/coauthor_phy.npz", "coauthor_physics"

    def read(request: LoadRequest) -> Graph:
        return coauthor.read_coauthor(request.path(file), name, request.split)

    return DatasetEntry(name, OFFERED[name], Counts(34493, 247962, 8415, 5), (file,), read)


def _arxiv() -> DatasetEntry:
    adjacency, labels = "ogbn-arxiv/adj_full.npz", "ogbn-arxiv/labels_split_year.npz"

    def read(request: LoadRequest) -> Graph:
        root = data_root(request.root)
        ogb_folder = arxiv.find_ogb_folder(root, root if is_writable(root) else cache_folder())
        if ogb_folder is not None:
            return arxiv.read_ogb(ogb_folder, "ogbn-arxiv")
        return arxiv.read_structure(request.path(adjacency), request.path(labels), "ogbn-arxiv")

    return DatasetEntry(
        "ogbn-arxiv",
        OFFERED["ogbn-arxiv"],
        Counts(169343, 1157799, 128, 40),
        (adjacency, labels),
        read,
    )


def _heterophilous(name: str, *counts: int) -> DatasetEntry:
    file = f"heterophilous/{name}.npz"

    def read(request: LoadRequest) -> Graph:
        return npz_graphs.read_heterophilous(request.path(file), name, request.split)

    return DatasetEntry(name, OFFERED[name], Counts(*counts), (file,), read)


_OWN = {
    entry.name: entry
    for entry in (
        _meta_attack("cora", 2485, 5069, 1433, 7),
        _meta_attack("citeseer", 2110, 3668, 3703, 6),
        _meta_attack("cora_ml", 2810, 7981, 2879, 7),
        _meta_attack("polblogs", 1222, 16714, 1222, 2),
        _pubmed(),
        _flickr(),
        _coauthor_physics(),
        _arxiv(),
        _heterophilous("texas", 183, 279, 1703, 5),
        _heterophilous("wisconsin", 251, 450, 1703, 5),
        _heterophilous("cornell", 183, 277, 1703, 5),
        _heterophilous("actor", 7600, 26659, 932, 5),
        _heterophilous("chameleon_filtered", 890, 8854, 2325, 5),
        _heterophilous("squirrel_filtered", 2223, 46998, 2089, 5),
    )
}

DATASETS: Registry[DatasetEntry] = Registry("data set", "kces.datasets", _OWN)


def register_dataset(
    name: str, *, about: str = "", counts: Counts | None = None
) -> Callable[[Callable[[LoadRequest], Graph]], Callable[[LoadRequest], Graph]]:
    """Decorate a function that returns a graph: the data set is then known by name, everywhere.

    Parameters
    ----------
    name : lower-case letters, digits, ``-`` and ``_``.
    about, counts : what lists show; without counts a dash.

    Examples
    --------
    >>> from kces.datasets import load
    >>> @register_dataset("little-ring", about="a ring of ten nodes")
    ... def little_ring(request: LoadRequest) -> Graph:
    ...     return Graph.from_edges([[i, (i + 1) % 10] for i in range(10)], name="little-ring")
    >>> load("little-ring").n_edges
    10
    >>> DATASETS.forget("little-ring")
    """

    if is_builtin(name):
        raise InvalidParameterError(f"there is already a built-in graph called '{name}'; choose another name")

    def register(read: Callable[[LoadRequest], Graph]) -> Callable[[LoadRequest], Graph]:
        DATASETS.register(name, DatasetEntry(name, about, counts, (), read), origin=origin_of(read))
        return read

    return register
