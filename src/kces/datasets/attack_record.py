"""What only the laboratory knows about an attacked graph, as plain arrays that a file can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.datasets.attacked import AttackedGraph
from kces.errors import UnreadableFileError
from kces.graph import Graph, edge_keys
from kces.interop.arrays import array_from, npy_bytes
from kces.interop.edge_columns import plain_ids
from kces.types import Ints

__all__ = ["AttackRecord"]

Names: TypeAlias = npt.NDArray[np.str_]

_PREFIX = "attack_"


@dataclass(frozen=True, eq=False)
class AttackRecord:
    """What was attacked and how, in the node numbers of the attacked graph; None is not known.

    Attributes
    ----------
    node_ids : the name of every node, as text.
    clean_edges, added_edges : ``(E, 2)`` edges ``i < j`` before the attack, and those that it put in.
    targets : the nodes on which accuracy is judged.
    labels, train, val, test : as of the graph, for files that have no place for them.
    method, budget, seed : of the attack.
    """

    node_ids: Names
    clean_edges: Ints
    added_edges: Ints
    targets: Ints | None = None
    labels: Ints | None = None
    train: Ints | None = None
    val: Ints | None = None
    test: Ints | None = None
    method: str | None = None
    budget: float | None = None
    seed: int | None = None

    @classmethod
    def of(cls, attacked: AttackedGraph) -> AttackRecord:
        """The record of a graph that is at hand."""
        graph, log = attacked.graph, attacked.log
        return cls(
            node_ids=_ids(graph),
            clean_edges=attacked.clean.edges,
            added_edges=attacked.added,
            targets=attacked.targets,
            labels=graph.labels,
            train=graph.train,
            val=graph.val,
            test=graph.test,
            method=log.get("method"),
            budget=log.get("budget"),
            seed=log.get("seed"),
        )

    def members(self) -> dict[str, bytes]:
        """The arrays for an npz file, none of them pickled."""
        known = {name: value for name, value in asdict(self).items() if value is not None}
        return {_PREFIX + name: npy_bytes(np.asarray(value)) for name, value in known.items()}

    @classmethod
    def from_members(cls, members: Mapping[str, bytes], source: Path) -> AttackRecord | None:
        """The record among the arrays of an npz file; None when there is none."""
        own = {name.removeprefix(_PREFIX): raw for name, raw in members.items() if name.startswith(_PREFIX)}
        return _Stored(own, source).record() if "clean_edges" in own else None

    def applied_to(self, graph: Graph, source: Path) -> AttackedGraph:
        """The graph read from ``source``, its nodes in the order of the record, with the clean graph it came from."""
        graph = _in_order(graph, self.node_ids, source)
        self._check_edges(graph, source)
        graph = replace(
            graph,
            labels=self.labels if graph.labels is None else graph.labels,
            train=self.train if graph.train is None else graph.train,
            val=self.val if graph.val is None else graph.val,
            test=self.test if graph.test is None else graph.test,
        )
        log = {"method": self.method, "budget": self.budget, "seed": self.seed}
        return AttackedGraph(graph, graph.with_edges(self.clean_edges), self.targets, log)

    def _check_edges(self, graph: Graph, source: Path) -> None:
        """Edges may have been removed since, by a defense; others than those of the record belong to another graph."""
        known = edge_keys(np.concatenate([self.clean_edges, self.added_edges]), graph.n_nodes)
        strange = ~np.isin(edge_keys(graph.edges, graph.n_nodes), known)
        if strange.any():
            first, second = graph.ids_of(graph.edges[strange][0])
            raise _misfit(source, f"edge {first} - {second}")


@dataclass(frozen=True)
class _Stored:
    """The arrays of a record in a file, checked as they are taken out."""

    members: Mapping[str, bytes]
    source: Path

    def record(self) -> AttackRecord:
        ids = self._array("node_ids", "U", 1)
        if ids is None:
            raise self._damaged("node_ids")
        labels = self._whole("labels", 1)
        if labels is not None and len(labels) != len(ids):
            raise self._damaged("labels")
        method, seed = self._array("method", "U", 0), self._array("seed", "iu", 0)
        budget = self._array("budget", "iuf", 0)
        return AttackRecord(
            node_ids=ids.astype(str),
            clean_edges=self._edges("clean_edges", len(ids)),
            added_edges=self._edges("added_edges", len(ids)),
            targets=self._nodes("targets", len(ids)),
            labels=labels,
            train=self._nodes("train", len(ids)),
            val=self._nodes("val", len(ids)),
            test=self._nodes("test", len(ids)),
            method=None if method is None else str(method),
            budget=None if budget is None else float(budget),
            seed=None if seed is None else int(seed),
        )

    def _array(self, name: str, kinds: str, dimensions: int) -> npt.NDArray[np.generic] | None:
        if name not in self.members:
            return None
        array: npt.NDArray[np.generic] = array_from(self.members[name], f"array {_PREFIX}{name} of {self.source}")
        if array.dtype.kind not in kinds or array.ndim != dimensions:
            raise self._damaged(name)
        return array

    def _whole(self, name: str, dimensions: int) -> Ints | None:
        array = self._array(name, "iu", dimensions)
        return None if array is None else array.astype(np.int64)

    def _nodes(self, name: str, n_nodes: int) -> Ints | None:
        nodes = self._whole(name, 1)
        if nodes is not None and len(nodes) and not (nodes.min() >= 0 and nodes.max() < n_nodes):
            raise self._damaged(name)
        return nodes

    def _edges(self, name: str, n_nodes: int) -> Ints:
        pairs = self._whole(name, 2)
        if pairs is None or pairs.shape[1] != 2:
            raise self._damaged(name)
        low, high = pairs.T
        in_range = bool(((low >= 0) & (low < high) & (high < n_nodes)).all())
        if not in_range or len(np.unique(edge_keys(pairs, n_nodes))) < len(pairs):
            raise self._damaged(name)
        return pairs

    def _damaged(self, name: str) -> UnreadableFileError:
        return UnreadableFileError(
            f"array {_PREFIX}{name} of {self.source} is missing or damaged; make the attacked graph again"
        )


def _ids(graph: Graph) -> Names:
    return np.array([str(name) for name in graph.ids_of(np.arange(graph.n_nodes))])


def _in_order(graph: Graph, ids: Names, source: Path) -> Graph:
    """The same graph with nodes in the order of ``ids``, and with those that its file has lost."""
    names = _ids(graph)
    if np.array_equal(names, ids):
        return graph
    number_of = pd.Index(ids).get_indexer(pd.Index(names))
    if (number_of < 0).any():
        raise _misfit(source, f"node {names[number_of < 0][0]}")
    rows = pd.Index(names).get_indexer(pd.Index(ids))
    lost = rows < 0
    if lost.any() and graph.has_features:
        raise UnreadableFileError(
            f"{source} has {graph.n_nodes} nodes with features, but {len(ids)} were attacked; "
            "give the features of all of them"
        )
    return Graph.from_edges(
        number_of[graph.edges],
        graph.features[rows] if graph.has_features else None,
        n_nodes=len(ids),
        labels=None if graph.labels is None else np.where(lost, -1, graph.labels[rows]),
        train=None if graph.train is None else number_of[graph.train],
        val=None if graph.val is None else number_of[graph.val],
        test=None if graph.test is None else number_of[graph.test],
        node_ids=plain_ids(ids.astype(object)),
        feature_names=graph.feature_names if graph.has_features else None,
        own_values=None if graph.own_values is None else graph.own_values.taken(rows),
        name=graph.name,
    )


def _misfit(source: Path, what: str) -> UnreadableFileError:
    return UnreadableFileError(f"the record of the attack on {source} is of another graph: it does not know {what}")
