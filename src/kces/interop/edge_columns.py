"""Edges given as two columns of names: which columns, which nodes, in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.interop.node_table import NodeTable
from kces.interop.records import count_weights

__all__ = ["END_NAMES", "WEIGHT_NAMES", "EndColumns", "find_end_columns", "integer_ids", "plain_ids"]

_PAIRS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("node1", "node2"))
END_NAMES = frozenset(name for pair in _PAIRS for name in pair)
WEIGHT_NAMES = frozenset({"weight", "weights", "edge_weight"})


def find_end_columns(columns: Sequence[str] | None) -> tuple[int, int]:
    """Positions of the two node columns: by name where a known pair is there, else the first two.

    >>> find_end_columns(["weight", "Source", "Target"]), find_end_columns(None)
    ((1, 2), (0, 1))
    """
    names = [str(name).lower() for name in columns or []]
    for source, target in _PAIRS:
        if source in names and target in names:
            return names.index(source), names.index(target)
    return 0, 1


def integer_ids(names: npt.NDArray[Any]) -> npt.NDArray[np.int64] | None:
    """The names as integers if all of them are (``007`` is not: it would not come back as it was).

    >>> integer_ids(np.array(["3", "-1"], dtype=object)).tolist(), integer_ids(np.array(["007"]))
    ([3, -1], None)
    """
    try:
        numbers = [int(name) for name in names]
        if all(str(number) == name for number, name in zip(numbers, names, strict=True)):
            return np.array(numbers, dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    return None


def plain_ids(names: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Node ids for a graph from names as text: None if they only count 0 … N-1, integers where all are."""
    numbers = integer_ids(names)
    if numbers is None:
        return names.astype(str)
    return None if np.array_equal(numbers, np.arange(len(numbers))) else numbers


@dataclass(frozen=True)
class EndColumns:
    """The two ends of every record, as names.

    ``where`` says where a record stands in the file, for messages.
    """

    sources: npt.NDArray[Any]
    targets: npt.NDArray[Any]
    where: Callable[[int], str]

    def to_graph(
        self,
        path: Path,
        table: NodeTable | None,
        labels: npt.NDArray[np.int64] | None,
        weights: Any = None,
    ) -> tuple[Graph, npt.NDArray[np.int64]]:
        """The graph and each record's pair of node numbers in it."""
        codes, names = pd.factorize(np.concatenate([self.sources, self.targets]))
        names = np.array([str(name) for name in names], dtype=object)
        ends = codes.reshape(2, -1).T
        if "" in names:
            record = int((names[ends] == "").any(axis=1).argmax())
            raise InvalidGraphError(f"{path} {self.where(record)} has an empty node id")
        nodes, features, own_labels = self._nodes(path, names, ends, table)
        number_of = pd.Index(nodes).get_indexer(pd.Index(names))
        pairs = number_of[ends].astype(np.int64).reshape(-1, 2)
        graph = Graph.from_edges(
            pairs,
            features,
            n_nodes=len(nodes),
            labels=own_labels if labels is None else labels,
            node_ids=plain_ids(nodes),
            name=path.stem,
            weighted=0 if weights is None else count_weights(weights),
        )
        return graph, pairs

    def _nodes(
        self, path: Path, names: npt.NDArray[Any], ends: npt.NDArray[np.int64], table: NodeTable | None
    ) -> tuple[npt.NDArray[Any], Any, Any]:
        """All nodes in order (integers by value, words as they come), their features and labels."""
        if table is None:
            return names[_order(names)], None, None
        if table.ids is None:
            known = np.array([str(node) for node in range(table.features.shape[0])], dtype=object)
            if integer_ids(names) is None:
                raise InvalidGraphError(
                    f"{path} names its nodes with words, so {table.path} cannot tell which row is whose;"
                    " give the features as a CSV with the node id in its first column"
                )
        else:
            known = table.ids
        self._refuse_strangers(path, names, ends, known, table.path)
        order = _order(known)
        return known[order], *table.taken(order)

    def _refuse_strangers(
        self,
        path: Path,
        names: npt.NDArray[Any],
        ends: npt.NDArray[np.int64],
        known: npt.NDArray[Any],
        features: Path,
    ) -> None:
        strange = ~pd.Index(names).isin(known)
        if not strange.any():
            return
        record = int(strange[ends].any(axis=1).argmax())
        source, target = names[ends[record]]
        stranger = source if strange[ends[record, 0]] else target
        raise InvalidGraphError(
            f"{path} {self.where(record)}: edge {source} - {target} names node {stranger},"
            f" which is not among the {len(known)} nodes of {features}"
        )


def _order(names: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    numbers = integer_ids(names)
    return np.arange(len(names)) if numbers is None else np.argsort(numbers, kind="stable")
