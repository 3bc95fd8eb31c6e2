"""The attacked graphs that Pro-GNN published: full adjacency matrices on the nodes of the clean graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kces.datasets.attacked import AttackedGraph
from kces.datasets.file_registry import FILES
from kces.datasets.local_files import path_of
from kces.datasets.names import GraphName
from kces.datasets.npz_graphs import read_adjacency
from kces.datasets.splits import prognn_nettack_targets, prognn_split
from kces.errors import UnreadableFileError
from kces.graph import Graph
from kces.progress import Progress, silent

__all__ = ["METHODS", "files_of", "is_published", "published_attacks", "read_published"]

_METATTACK_BUDGETS = (0.05, 0.1, 0.15, 0.2, 0.25)
_NETTACK_BUDGETS = (1.0, 2.0, 3.0, 4.0, 5.0)
METHODS = {"metattack": _METATTACK_BUDGETS, "nettack": _NETTACK_BUDGETS}


def files_of(name: GraphName) -> tuple[str, ...]:
    """The files that hold the attack, or nothing when it was not published.

    >>> files_of(GraphName("cora", "metattack", 0.25))
    ('Pro-GNN/meta/cora_meta_adj_0.25.npz',)
    """
    if name.method == "metattack":
        files: tuple[str, ...] = (f"Pro-GNN/meta/{name.dataset}_meta_adj_{name.budget}.npz",)
    elif name.method == "nettack":
        folder = f"Pro-GNN/nettack/{name.dataset}"
        files = (f"{folder}_nettack_adj_{name.budget}.npz", f"{folder}_nettacked_nodes.json")
    else:
        return ()
    return files if all(file in FILES for file in files) else ()


def is_published(name: GraphName) -> bool:
    """True for a graph that can be fetched; a name with a seed asks for a graph of our own making."""
    return name.seed is None and bool(files_of(name))


def published_attacks(dataset: str) -> list[str]:
    """Names of the published attacked graphs of one data set.

    >>> published_attacks("cora_ml")[:2]
    ['cora_ml@metattack-0.05', 'cora_ml@metattack-0.1']
    """
    names = [GraphName(dataset, method, budget) for method, budgets in METHODS.items() for budget in budgets]
    return [str(name) for name in names if is_published(name)]


def read_published(
    name: GraphName, clean: Graph, root: str | Path | None = None, progress: Progress = silent
) -> AttackedGraph:
    """The attacked graph with the features and labels of ``clean``; Nettack comes with a split of its own."""
    matrix_file, *nodes_file = (path_of(file, root, progress) for file in files_of(name))
    attacked = Graph.from_scipy(read_adjacency(matrix_file))
    if attacked.n_nodes != clean.n_nodes:
        raise UnreadableFileError(f"{matrix_file} has {attacked.n_nodes} nodes, {clean.name} has {clean.n_nodes}")
    targets = None
    if nodes_file:
        # The targets are test nodes of the split in this file. On Pubmed that is not the split published for
        # the clean graph, under which 31 of the targets would be seen in training or validation.
        targets = prognn_nettack_targets(nodes_file[0])
        split = prognn_split(nodes_file[0])
        clean = replace(clean, train=split["train"], val=split["val"], test=split["test"])
    log = {"method": name.method, "budget": name.budget, "source": "published by Pro-GNN"}
    graph = replace(clean.with_edges(attacked.edges), name=str(name))
    return AttackedGraph(graph, clean, targets, log)
