"""The names of nodes on disk: none where they only count, integers, or text as bytes with where each name ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.text_ids import text_ids
from kces.types import Ints, Values

__all__ = ["StoredIds", "packed_text"]

_SCAN = 1_000_000


@dataclass(frozen=True, eq=False)
class StoredIds:
    """Names of nodes by number, and numbers by name.

    Attributes
    ----------
    n_nodes : how many there are.
    values : (N,) integers, or the bytes of all names; None where nodes are 0 … N-1.
    ends : (N,) where each name ends among the bytes; None for integers.

    Examples
    --------
    >>> ids = StoredIds(2, *packed_text(["ann", "bob"]))
    >>> ids.names(np.array([1, 0])).tolist(), ids.numbers(["bob", "cy"]).tolist()
    (['bob', 'ann'], [1, -1])
    """

    n_nodes: int
    values: Values | None = None
    ends: Values | None = None

    def names(self, nodes: Ints) -> Values:
        """The names of some nodes."""
        if self.values is None:
            return nodes
        if self.ends is None:
            return np.asarray(self.values[nodes])
        starts = np.where(nodes > 0, self.ends[np.maximum(nodes - 1, 0)], 0)
        pieces = zip(starts.tolist(), self.ends[nodes].tolist(), strict=True)
        return np.array([self.values[start:stop].tobytes().decode() for start, stop in pieces], dtype=object)

    def all_names(self) -> Values | None:
        """Names of all nodes, in memory; None where they only count."""
        if self.values is None:
            return None
        names = self.names(np.arange(self.n_nodes))
        return names if self.ends is None else text_ids(names)

    def numbers(self, names: list[Any]) -> Ints:
        """The numbers of the nodes with these names, -1 for a name that nobody has; one pass over the names."""
        if self.values is None:
            found = np.array([_whole(name) for name in names], dtype=np.int64)
            return np.where((found >= 0) & (found < self.n_nodes), found, -1)
        wanted = {str(name) for name in names}
        known: dict[str, int] = {}
        for start in range(0, self.n_nodes, _SCAN):
            nodes = np.arange(start, min(start + _SCAN, self.n_nodes))
            known |= {
                text: int(node)
                for node, name in zip(nodes, self.names(nodes).tolist(), strict=True)
                if (text := str(name)) in wanted
            }
        return np.array([known.get(str(name), -1) for name in names], dtype=np.int64)


def packed_text(names: list[str]) -> tuple[npt.NDArray[np.uint8], Ints]:
    """The bytes of all names, and where each ends.

    >>> [part.tolist() for part in packed_text(["a", "bc"])]
    [[97, 98, 99], [1, 3]]
    """
    encoded = [name.encode() for name in names]
    ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ends


def _whole(name: Any) -> int:
    text = str(name)
    return int(text) if text.isdecimal() else -1
