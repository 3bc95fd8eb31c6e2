"""A look through a GraphML file as the XML parser decodes it, before anything is built from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from kces.errors import UnreadableFileError, one_line

__all__ = ["checked_elements"]

_NAMESPACE_END = "}"


def checked_elements(content: bytes, path: Path) -> Counter[str]:
    """How many elements of each name the file holds; what could unfold, or would be lost unnoticed, is refused.

    >>> checked_elements(b"<graphml><graph><node id='a'/></graph></graphml>", Path("g.graphml"))["node"]
    1
    """
    seen = _Elements(path)
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
    return seen.counts


@dataclass
class _Elements:
    """The elements that are open, and how many of each name there were."""

    path: Path
    counts: Counter[str] = field(default_factory=Counter)
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
        if name == "node" and "id" not in attributes:
            raise UnreadableFileError(f"{self.path}: node {self.counts['node']} has no id")
        if name == "edge" and not {"source", "target"} <= set(attributes):
            raise UnreadableFileError(f"{self.path}: edge {self.counts['edge']} lacks its source or target")
        if name == "hyperedge":
            raise UnreadableFileError(f"{self.path} has hyperedges; an edge has two ends")

    def close(self, qualified: str) -> None:
        self.graphs_open -= qualified.rpartition(_NAMESPACE_END)[2] == "graph"
