"""One protocol for all doors: a graph comes in as the caller has it, and what goes out fits what came in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.interop.records import distinct_edges, edge_of_record, mask_over
from kces.types import Bools, Ints

__all__ = ["SOURCES", "GraphSource", "Hints", "Source", "register_source"]

Kind = TypeVar("Kind")
Scalar = TypeVar("Scalar", bound=np.generic)
SourceClass = TypeVar("SourceClass", bound="type[Source]")


@dataclass(frozen=True)
class Hints:
    """What a caller may say about an input that does not explain itself; None means: find out or ask.

    Attributes
    ----------
    nodes : a table with one row per node, or for a matrix the features of its nodes.
    source, target : the columns of a table of edges that name the two ends.
    features : the columns of ``nodes``, or the node attributes, to use as features.
    label : the column or node attribute with the class of a node.
    id_column : the column of ``nodes`` that names the node.
    scale : how columns of numbers come to one scale, see :func:`kces.features.prepare_features`.
    """

    nodes: object = None
    source: str | None = None
    target: str | None = None
    features: str | Sequence[str] | None = None
    label: str | None = None
    id_column: str | None = None
    scale: str = "auto"

    def given(self) -> list[str]:
        """Names of the hints that say something.

        >>> Hints(label="team").given()
        ['label']
        """
        return [field.name for field in fields(self) if getattr(self, field.name) is not field.default]

    def feature_names(self) -> list[str] | None:
        """``features`` as a list."""
        if self.features is None:
            return None
        return [self.features] if isinstance(self.features, str) else [str(name) for name in self.features]


class Source(ABC, Generic[Kind]):
    """A graph of another library: its own edges are *records*, and several records may be one edge of the graph.

    Both directions and all duplicates of a pair are records of one edge; a self-loop is a record of none.

    To add a kind of your own, subclass, define :attr:`pairs`, :attr:`graph` and :meth:`keep_records`, and register
    the class under the name of the library whose types it takes. The library need not be imported for that:

    >>> @register_source("fractions")  # any type from the package ``fractions`` (a joke of a graph library)
    ... class FractionSource(Source):
    ...     '''A fraction is an edge between numerator and denominator.'''
    ...     @property
    ...     def pairs(self):
    ...         return np.array([[self.original.numerator, self.original.denominator]])
    ...     @cached_property
    ...     def graph(self):
    ...         return Graph.from_edges(self.pairs)
    ...     def keep_records(self, mask):
    ...         return self.original if mask[0] else None
    >>> from fractions import Fraction
    >>> from kces.interop.coerce import open_source
    >>> source = open_source(Fraction(1, 3))
    >>> source.graph, source.without(np.array([False]))
    (Graph(nodes=4, edges=1, features=4), None)
    >>> _ = SOURCES.pop("fractions")
    """

    takes: ClassVar[frozenset[str]] = frozenset()
    """Names of the :class:`Hints` that this kind understands; others are refused."""

    def __init__(self, original: Kind, hints: Hints | None = None) -> None:
        self.original = original
        self.hints = hints or Hints()
        foreign = [name for name in self.hints.given() if name not in self.takes]
        if foreign:
            raise InvalidParameterError(f"a {type(original).__name__} takes no {', '.join(foreign)}; leave it out")

    @property
    @abstractmethod
    def pairs(self) -> Ints:
        """``(R, 2)`` node numbers of the records, in the caller's order; make it a ``cached_property`` if costly."""

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The validated graph; an error when there are no edges. Make it a ``cached_property``."""

    @abstractmethod
    def keep_records(self, mask: Bools) -> Kind:
        """A new object of the caller's kind with only the records in ``mask``; the original stays as it is."""

    @cached_property
    def edges(self) -> Ints:
        """``Graph.edges``, also of a graph without edges, which a :class:`Graph` cannot be."""
        return distinct_edges(self.pairs)

    @property
    def has_edges(self) -> bool:
        """False when there is nothing to score: :meth:`spread` and :meth:`without` work, :attr:`graph` does not."""
        return len(self.edges) > 0

    @property
    def n_records(self) -> int:
        """Number of the caller's own edges."""
        return len(self.pairs)

    @cached_property
    def edge_of_record(self) -> Ints:
        """Position in :attr:`edges` of each record, -1 for a self-loop."""
        return edge_of_record(self.edges, self.pairs)

    def spread(self, values: npt.NDArray[Scalar], fill: float | bool) -> npt.NDArray[Scalar]:
        """One value per record from one value per edge; records that are no edge get ``fill``."""
        if len(values) != len(self.edges):
            raise InvalidParameterError(f"{len(values)} values given for {len(self.edges)} edges")
        result = np.full(self.n_records, fill, dtype=values.dtype)
        of_edge = self.edge_of_record >= 0
        result[of_edge] = values[self.edge_of_record[of_edge]]
        return result

    def without(self, kept: npt.ArrayLike) -> Kind:
        """The caller's object without the edges that the full-length mask ``kept`` drops; self-loops stay."""
        return self.keep_records(self.spread(mask_over(len(self.edges), kept), fill=True))


SOURCES: dict[str, type[Source]] = {}
"""Top-level package of a type, and the source that takes it."""


def register_source(library: str) -> Callable[[SourceClass], SourceClass]:
    """Class decorator: objects whose type, or a parent of it, comes from a package go to this source.

    Parameters
    ----------
    library : the package's top-level name. See :class:`Source` for an example.
    """

    def register(source: SourceClass) -> SourceClass:
        SOURCES[library] = source
        return source

    return register


@register_source("kces")
class GraphSource(Source[Graph]):
    """Our own graph: its records are its edges."""

    def __init__(self, original: Graph, hints: Hints | None = None) -> None:
        if not isinstance(original, Graph):
            raise InvalidGraphError(f"a {type(original).__name__} is no graph; give its graph")
        super().__init__(original, hints)

    @property
    def pairs(self) -> Ints:
        return self.original.edges

    @cached_property
    def edges(self) -> Ints:
        return self.original.edges

    @property
    def graph(self) -> Graph:
        if self.original.n_edges == 0:
            raise InvalidGraphError("the graph has no edges")
        return self.original

    def keep_records(self, mask: Bools) -> Graph:
        return self.original.keep_edges(mask)
