"""A look through a GraphML file as the XML parser decodes it, before anything is built from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from kces.errors import UnreadableFileError, one_line

__all__ = ["Elements", "checked_elements"]

_NAMESPACE_END = "}"


def checked_elements(content: bytes, path: Path) -> Elements:
    """What elements the file holds; what could unfold, or would be lost unnoticed, is refused.

    >>> checked_elements(b"<graphml><graph><node id='a'/></graph></graphml>", Path("g.graphml")).counts["node"]
    1
    """
    seen = Elements(path)
    parser = expat.ParserCreate(namespace_separator=_NAMESPACE_END)
    parser.StartDoctypeDeclHandler = seen.refuse_declarations
    parser.EntityDeclHandler = seen.refuse_declarations
    parser.StartElementHandler = seen.open
    parser.EndElementHandler = seen.close
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f"{path} is not a readable GraphML file: {one_line(error)}") from error
    return seen


@dataclass
class Elements:
    """How many elements of each name there were, the nodes that are declared and those that edges name."""

    path: Path
    counts: Counter[str] = field(default_factory=Counter)
    nodes: set[str] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)
    graphs_open: int = 0

    def refuse_declarations(self, *_: object) -> None:
        raise UnreadableFileError(f"{self.path} declares XML entities, which can unfold without end; remove them")

    def open(self, qualified: str, attributes: Mapping[str, str]) -> None:
        name = qualified.rpartition(_NAMESPACE_END)[2]
        self.counts[name] += 1
        if name == "graph":
            self.graphs_open += 1
            if self.graphs_open > 1:
                raise UnreadableFileError(f"{self.path} has a graph inside a node; save it as one flat graph")
            if self.counts["graph"] > 1:
                raise UnreadableFileError(f"{self.path} holds several graphs; save one in each file")
        if name == "node":
            self._see_node(attributes)
        if name == "edge":
            self._see_edge(attributes)
        if name == "hyperedge":
            raise UnreadableFileError(f"{self.path} has hyperedges; an edge has two ends")

    def _see_node(self, attributes: Mapping[str, str]) -> None:
        if "id" not in attributes:
            raise UnreadableFileError(f"{self.path}: node {self.counts['node']} has no id")
        if attributes["id"] in self.nodes:
            raise UnreadableFileError(f"{self.path} declares node {attributes['id'][:80]!r} twice; which one holds?")
        self.nodes.add(attributes["id"])

    def _see_edge(self, attributes: Mapping[str, str]) -> None:
        if not {"source", "target"} <= set(attributes):
            raise UnreadableFileError(f"{self.path}: edge {self.counts['edge']} lacks its source or target")
        self.ends |= {attributes["source"], attributes["target"]}

    def close(self, qualified: str) -> None:
        self.graphs_open -= qualified.rpartition(_NAMESPACE_END)[2] == "graph"
