"""How a graph is scored, decided once, from its size alone.

Two runs on one graph take the same way on every machine, however busy: free memory may make a run refuse, it never
changes a score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kces.engines.supports import support_sizes
from kces.graph import Graph
from kces.types import Ints, is_sparse

__all__ = ["DIRECT_LIMIT", "ITERATIVE_LIMIT", "WIDE", "BlockSize", "Regime"]

EXACT_WORK = 4e11
"""Multiplications (``_exact_work``) that the exact engine may cost before ``auto`` prefers the local one: some 10 s on
two cores. A graph's scores depend on this choice, so it does not follow the engine's speed.

Cora and Citeseer under attack cost 2e11 and 1e11, the digits 1.3e11, Polblogs with its 100,000 triangles 2e12."""

DIRECT_LIMIT = 4_096
"""Nodes up to which all pairs of nodes are kept, and the kernel is factored."""
_DIRECT_LIMIT_WIDE = 8_192
"""The same with more than ``WIDE`` features, where making inner products on demand would cost more."""
WIDE = 1_024
ITERATIVE_LIMIT = 40_000
"""Nodes up to which one triangle of the kernel is kept, in 16 bits: 390 MB for Pubmed, 1.6 GB at the limit."""

_PRODUCTS, _PRODUCT_WORK = 2, 2e12
"""How often the streamed kernel is multiplied, and multiplications that one product may cost: up to half a minute. With
one product ogbn-arxiv's structure ranks at 0.73 of the true solution, with two at 0.93 (``kces bench fidelity``). Where
it is made, the far field looks at all pairs once more."""

_DENSE_FEATURE_BYTES = 2**30
"""Sparse features that would be larger than this as an array are replaced by their leading components."""
_REDUCED_WIDTH, _REDUCED_WIDTH_OF_SMALLER = 512, 1_024
_REDUCED_ENTRIES = 2**26
"""So many of these: 512, on graphs of fewer nodes more, 1,024 at most. What is lost here is most of what
coauthor_physics loses in ``kces bench fidelity``."""

_CAPS: dict[int, tuple[int, ...]] = {1: (32, 24, 16, 8), 2: (128, 64, 48, 32, 24, 16, 8)}
"""Candidate caps by hops. With one hop more than 32 neighbors were never seen to change the ranking."""
_CAPS_OF_LARGE_GRAPHS = (16, 8)
_BLOCK_WORK = {1: 2e10, 2: 5e10}
"""Multiplications that all blocks together may cost, by hops: some seconds."""
_FILL, _FILL_OF_LARGE_GRAPHS = 24, 16


_SECONDS_PER_NODE, _SECONDS_PER_EDGE, _SECONDS_PER_ENTRY = 1e-4, 5e-5, 3e-7
_SECONDS_PER_PAIR, _SECONDS_PER_PAIR_AND_COLUMN, _SECONDS_PER_REDUCTION = 7e-10, 1e-11, 8e-10
"""Of the local engine on two cores: of clusters, solve and blocks, of a correction on the true kernel, and of reducing
features. ``make shapes`` fails where they are too low by far."""
_EXACT_WORK_PER_SECOND = 2e10
"""Multiplications of the exact engine, many of them in small matrices."""


@dataclass(frozen=True)
class BlockSize:
    """``cap``: most neighbors of each endpoint in a block; ``fill``: nodes up to which a smaller one is filled."""

    cap: int
    fill: int


@dataclass(frozen=True)
class Regime:
    """The way through the engines for a graph of this size.

    Attributes
    ----------
    nodes, edges, features, triangles : of the graph.
    exact_work : multiplications that the exact engine would cost.
    engine : what ``auto`` takes, ``exact`` or ``local``.
    solver : of the global system: ``direct`` (Cholesky), ``iterative`` (conjugate gradients on a stored triangle of the
        kernel) or ``partition`` (the kernel's first two terms, and the rest within blocks of similar nodes).
    products : of the solver ``partition``, with the true kernel; with any, the far field sees all pairs.
    far_field : sums over all ``pairs`` of nodes, or over the ``series`` of the kernel's slope.
    width : features per node after the sparse ones of a large graph are reduced; else their number.
    one_hop, two_hops : size of an edge's block, by the engines' option ``hops``.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> regime = Regime.of(barbell())
    >>> regime.engine, regime.solver, regime.far_field, regime.triangles
    ('exact', 'direct', 'pairs', 20)
    """

    nodes: int
    edges: int
    features: int
    triangles: int
    exact_work: float
    engine: Literal["exact", "local"]
    solver: Literal["direct", "iterative", "partition"]
    products: int
    far_field: Literal["pairs", "series"]
    width: int
    one_hop: BlockSize
    two_hops: BlockSize

    @classmethod
    def of(cls, graph: Graph) -> Regime:
        """The regime of a graph; it looks at the number of things only, not at their values."""
        sizes = support_sizes(graph, graph.edges)
        neighbors = np.diff(graph.adjacency.indptr)
        triangles = int(neighbors[graph.edges].sum() - sizes.sum()) // 3
        work = _exact_work(graph.n_nodes, graph.n_edges, triangles, sizes)
        all_pairs = graph.n_nodes <= (_DIRECT_LIMIT_WIDE if graph.n_features > WIDE else DIRECT_LIMIT)
        return cls(
            nodes=graph.n_nodes,
            edges=graph.n_edges,
            features=graph.n_features,
            triangles=triangles,
            exact_work=work,
            engine="exact" if work <= EXACT_WORK else "local",
            solver="direct" if all_pairs else "iterative" if graph.n_nodes <= ITERATIVE_LIMIT else "partition",
            products=_products(graph),
            far_field="pairs" if all_pairs else "series",
            width=graph.n_features if all_pairs else _width(graph),
            one_hop=BlockSize(_cap(graph, 1, all_pairs), _FILL if all_pairs else _FILL_OF_LARGE_GRAPHS),
            two_hops=_two_hops(_cap(graph, 2, all_pairs)),
        )

    @property
    def all_pairs(self) -> bool:
        """Whether the inner products of all pairs of nodes are kept."""
        return self.solver == "direct"

    def seconds(self, engine: str) -> float:
        """Rough seconds that an engine takes on two cores, ``auto`` too.

        >>> from kces.datasets.toys import barbell
        >>> Regime.of(barbell()).seconds("exact") < 1
        True
        """
        if "exact" in (engine, self.engine if engine == "auto" else ""):
            return self.exact_work / _EXACT_WORK_PER_SECOND
        if engine not in ("auto", "local", "gradient"):
            return 0.0  # subgraphs alone, without a system of all nodes
        seconds = self.nodes * (_SECONDS_PER_NODE + _SECONDS_PER_ENTRY * self.width) + self.edges * _SECONDS_PER_EDGE
        if self.solver == "partition":
            pairs = 0.5 * float(self.nodes) ** 2 * (self.products + 2.0 * (self.products > 0))
            seconds += pairs * (_SECONDS_PER_PAIR + _SECONDS_PER_PAIR_AND_COLUMN * self.width)
        if self.compacts:
            seconds += _SECONDS_PER_REDUCTION * self.width**2 * (self.nodes + self.features)
        return seconds

    @property
    def compacts(self) -> bool:
        """Whether features are replaced by fewer."""
        return self.width < self.features

    def block_size(self, hops: int, cap: int | None = None, fill: int | None = None) -> BlockSize:
        """Of an edge's block; ``cap`` and ``fill`` (of one hop) stand in for those of the regime."""
        if hops == 2:
            return self.two_hops if cap is None else _two_hops(cap)
        return BlockSize(cap or self.one_hop.cap, fill or self.one_hop.fill)

    def __str__(self) -> str:
        """
        >>> from kces.datasets.toys import barbell
        >>> print(Regime.of(barbell()))
        direct solve, far field from pairs
        """
        reduced = f", {self.features} features reduced to {self.width}" if self.compacts else ""
        return f"{self.solver} solve, far field from {self.far_field}{reduced}"


def _exact_work(nodes: int, edges: int, triangles: int, sizes: Ints) -> float:
    """Multiplications by which the exact engine is judged: an N x N product for each distinct row (``supports.py``), of
    which a triangular factor saves half, then |S|² products of rows and a solve of 2|S| unknowns per edge. A small
    matrix costs four times its operations."""
    rows = (4.0 * edges + 3.0 * triangles) * nodes**2
    size = sizes.astype(np.float64)
    return rows + float((size**2 * nodes + 4.0 / 3.0 * (2.0 * size) ** 3).sum())


def _products(graph: Graph) -> int:
    """Products with the true kernel, each of N² F / 2 multiplications."""
    return _PRODUCTS if 0.5 * float(graph.n_nodes) ** 2 * _width(graph) <= _PRODUCT_WORK else 0


def _width(graph: Graph) -> int:
    """Features of a large graph as an array: all of them, unless they are sparse and too many."""
    if 8 * graph.n_nodes * graph.n_features <= _DENSE_FEATURE_BYTES or not is_sparse(graph.features):
        return graph.n_features
    affordable = _REDUCED_ENTRIES // graph.n_nodes
    return min(graph.n_features, max(_REDUCED_WIDTH, min(affordable, _REDUCED_WIDTH_OF_SMALLER)))


def _cap(graph: Graph, hops: int, all_pairs: bool) -> int:
    """The largest cap whose blocks cost at most their budget: |S|² inner products and a |S|³/3 factorization."""
    width = 25.0 + (0.0 if all_pairs else 0.5 * min(graph.n_features, _REDUCED_WIDTH))
    neighbors = np.diff(graph.adjacency.indptr).astype(np.float64)[graph.edges]
    for cap in _CAPS[hops] if hops == 2 or all_pairs else _CAPS_OF_LARGE_GRAPHS:
        size = np.minimum(neighbors, cap).sum(axis=1) + 2.0
        if hops == 2:
            size = np.full(len(size), 2.0 * cap + 2.0)
        if float((width * size**2 + size**3 / 3).sum()) <= _BLOCK_WORK[hops]:
            return cap
    return _CAPS[hops][-1]


def _two_hops(cap: int) -> BlockSize:
    return BlockSize(cap, 2 * cap + 2)
