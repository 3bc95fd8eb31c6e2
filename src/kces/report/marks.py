"""Marks on edges, fine or harmful, in a file beside the graph: they can be taken up again and handed on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from kces.atomic import atomic_write
from kces.errors import InvalidParameterError, UnreadableFileError
from kces.graph import Graph, edge_keys
from kces.report.held import Held
from kces.report.numbers import Json
from kces.report.shown_graph import node_title

__all__ = ["MARKS", "Marks"]

MARKS = ("fine", "harmful")
_FIELDS = {"source", "target", "mark"}
_FORMAT = 1
_LARGEST_FILE = 64_000_000


@dataclass(eq=False)
class Marks:
    """The marks on the edges of one graph.

    Attributes
    ----------
    graph : whose edges are marked.
    path : the file that holds the marks.
    of_edge : mark of each marked edge, by its number.

    Examples
    --------
    >>> import tempfile
    >>> from kces.datasets.toys import barbell
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "barbell.kces-marks.json"
    ...     Marks.opened(barbell(), path).put("5", "4", "harmful")
    ...     Marks.opened(barbell(), path).listed()
    [{'source': '4', 'target': '5', 'mark': 'harmful'}]
    """

    graph: Graph
    path: Path
    of_edge: dict[int, str] = field(default_factory=dict)

    @classmethod
    def opened(cls, graph: Graph, path: Path) -> Marks:
        """The marks that the file holds, checked; none where there is no file yet."""
        marks = cls(graph, path)
        rows = _rows(path) if path.exists() else []
        try:
            marks.of_edge |= {marks.edge(row["source"], row["target"]): _checked_mark(row["mark"]) for row in rows}
        except InvalidParameterError as error:
            raise UnreadableFileError(f"{path}: {error}; move the file away to begin anew") from error
        return marks

    def put(self, source: object, target: object, mark: object) -> None:
        """Mark an edge, or take its mark away with None, and keep that in the file."""
        edge = self.edge(source, target)
        changed = {marked: its for marked, its in self.of_edge.items() if marked != edge}
        if mark is not None:
            changed[edge] = _checked_mark(mark)
        content = {"format": _FORMAT, "graph": self.graph.name, "marks": Marks(self.graph, self.path, changed).listed()}
        text = json.dumps(content, indent=1, ensure_ascii=False)
        with atomic_write(self.path, force=True) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8", errors="replace")
        self.of_edge = changed  # only what is in the file counts

    def listed(self) -> list[Json]:
        """All marks, in the order of the edges, by the names that the page shows."""
        return [
            {
                "source": node_title(self.graph, int(self.graph.edges[edge, 0])),
                "target": node_title(self.graph, int(self.graph.edges[edge, 1])),
                "mark": self.of_edge[edge],
            }
            for edge in sorted(self.of_edge)
        ]

    def held(self) -> Held:
        """The marks as masks."""
        fine, harmful = (np.zeros(self.graph.n_edges, dtype=bool) for _ in MARKS)
        for edge, mark in self.of_edge.items():
            (fine if mark == "fine" else harmful)[edge] = True
        return Held(fine, harmful)

    def edge(self, source: object, target: object) -> int:
        """The number of the edge between two nodes, by the names that the page shows."""
        ends = np.sort([self._node(source), self._node(target)])[None, :]
        key = int(edge_keys(ends, self.graph.n_nodes)[0])
        place = int(np.searchsorted(self._keys, key))
        if place == len(self._keys) or self._keys[place] != key:
            raise InvalidParameterError(f"there is no edge between {source} and {target}")
        return place

    def _node(self, name: object) -> int:
        if not isinstance(name, str) or name not in self._nodes:
            raise InvalidParameterError(f"the graph has no node {str(name)[:100]}")
        return self._nodes[name]

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {node_title(self.graph, node): node for node in range(self.graph.n_nodes)}

    @cached_property
    def _keys(self) -> np.ndarray:
        return edge_keys(self.graph.edges, self.graph.n_nodes)  # ascending, as the edges are


def _checked_mark(mark: object) -> str:
    if mark not in MARKS:
        raise InvalidParameterError(f"a mark is {' or '.join(MARKS)}, not {str(mark)[:100]}")
    return str(mark)


def _rows(path: Path) -> list[dict[str, object]]:
    """The rows of the file, of the right shape."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise UnreadableFileError(f"{path} is larger than any file of marks; move it away to begin anew")
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f"{path} is not a file of marks: {error}; move it away to begin anew") from error
    rows = content.get("marks") if isinstance(content, dict) and content.get("format") == _FORMAT else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and set(row) >= _FIELDS for row in rows):
        raise UnreadableFileError(f"{path} is not a file of marks; move it away to begin anew")
    return rows
