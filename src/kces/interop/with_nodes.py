"""A pair of edges and nodes, each as the caller has it: the edges are filtered, the nodes come back as they are."""

from __future__ import annotations

from dataclasses import replace

from kces.graph import Graph
from kces.interop.adapters import Hints, Source
from kces.types import Bools, Ints

__all__ = ["SourceWithNodes"]


class SourceWithNodes(Source[tuple[object, object]]):
    """``(edges, nodes)``: a table of edges with a table of nodes, or a matrix with its features.

    >>> import scipy.sparse as sp
    >>> from kces.interop.scipy_matrices import SparseSource
    >>> pair = (sp.csr_array([[0, 1], [1, 0]]), [[1.0], [0.5]])
    >>> source = SourceWithNodes(pair, Hints(), SparseSource)
    >>> source.graph.features.tolist(), source.without([False])[0].nnz
    ([[1.0], [0.5]], 0)
    """

    takes = frozenset(Hints.__dataclass_fields__)

    def __init__(self, original: tuple[object, object], hints: Hints, edges_kind: type[Source]) -> None:
        super().__init__(original, hints)
        edges, nodes = original
        self._inner = edges_kind(edges, replace(hints, nodes=nodes))

    @property
    def pairs(self) -> Ints:
        return self._inner.pairs

    @property
    def graph(self) -> Graph:
        return self._inner.graph

    def keep_records(self, mask: Bools) -> tuple[object, object]:
        return self._inner.keep_records(mask), self.original[1]
