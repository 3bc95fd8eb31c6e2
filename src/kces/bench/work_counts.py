"""Arithmetic and bytes that a measured piece of work needs, counted from sizes, and their shares of the ceilings.

Counts are of the leading terms. Bytes count every row that is asked for, whether a cache has it or not: a share above
one says that the caches helped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kces.bench.ceilings import Ceilings
from kces.engines.exact import SINGLE_FROM
from kces.engines.far_features import CENTERS
from kces.engines.regime import Regime
from kces.engines.slope_correction import DIRECTIONS
from kces.engines.split_kernel import block_size
from kces.engines.supports import support_sizes
from kces.graph import Graph
from kces.kernel import propagation
from kces.node_pairs import RANDOM_PAIRS
from kces.processes.answers import JsonObject
from kces.scorers.block_hops import block_multiplications
from kces.scorers.centered_features import CenteredFeatures
from kces.scorers.feature_spaces import RANK
from kces.scorers.followed_hops import followed_visits
from kces.scorers.hop_products import cheapest_route
from kces.scorers.pairs_by_source import group_pairs
from kces.types import is_sparse

__all__ = ["Work", "engine_work", "robust_work", "shares"]


@dataclass(frozen=True)
class Work:
    """``operations`` of a kind that one of the ceilings bounds, and ``moved`` bytes."""

    operations: float
    moved: float
    kind: Literal["gemm32", "gemm64", "sparse"]


def shares(work: Work, seconds: float, ceilings: Ceilings) -> JsonObject:
    """Needed over what the machine could have done in these seconds.

    >>> shares(Work(10.0, 5.0, "sparse"), 1.0, Ceilings(1.0, 1.0, 10.0, 100.0))
    {'arithmetic_share': 0.1, 'bytes_share': 0.5}
    """
    return {
        "arithmetic_share": work.operations / seconds / getattr(ceilings, work.kind),
        "bytes_share": work.moved / seconds / ceilings.stream,
    }


def robust_work(graph: Graph) -> Work:
    """Of preset robust: the products of the hops in the features and, where these tell nodes apart, in 16 directions.

    Dense, per column: two hops of ``2E + N`` multiplications and nine for each node and pair; bytes are 8 for each
    neighbor and node of a hop, 8 N written, and the three rows of each pair's second end. Sparse, source by source:
    three multiplications and 36 bytes (index, value and three sums) for each entry visited. Eight sources at once: one
    multiplication per lane, and 12 + 64 bytes for every eight. Two operations a multiplication.

    >>> from kces.datasets.toys import barbell
    >>> robust_work(barbell()).kind
    'sparse'
    """
    pairs = graph.n_edges + RANDOM_PAIRS
    narrow = _dense_columns(graph, pairs, RANK) if graph.has_features else (0.0, 0.0)
    wide = _sparse_work(graph, pairs) if is_sparse(graph.features) else _dense_columns(graph, pairs, graph.n_features)
    return Work(wide[0] + narrow[0], wide[1] + narrow[1], "sparse")


def _dense_columns(graph: Graph, pairs: int, columns: int) -> tuple[float, float]:
    entries, n = 2.0 * graph.n_edges + graph.n_nodes, graph.n_nodes
    return 2.0 * columns * (2.0 * entries + 9.0 * (n + pairs)), 8.0 * columns * (
        2.0 * (entries + n) + 3.0 * (n + pairs)
    )


def _sparse_work(graph: Graph, pairs: int) -> tuple[float, float]:
    features = CenteredFeatures(graph.features)
    groups, entries = group_pairs(graph, graph.edges), features.entries_per_node
    route = cheapest_route(graph, features, groups, n_pairs=pairs)
    if route == "dense":
        return _dense_columns(graph, pairs, graph.n_features)
    if route == "follow":
        visits = followed_visits(propagation(graph), entries, groups)
        return 6.0 * visits, 36.0 * visits
    lanes = block_multiplications(propagation(graph), entries, graph.n_features, len(groups.sources))
    return 2.0 * lanes, 76.0 * lanes / 8.0


def engine_work(graph: Graph, engine: str) -> Work | None:
    """Of an engine of preset paper; None for those without a count.

    ``exact``: two operations for each multiplication of ``Regime.exact_work``, of which the product of
    ``4E + 3 triangles`` rows with an N x N matrix is the largest and costs half, that being triangular; bytes: these
    rows read and written. Both in single precision on graphs that are large enough.
    ``local`` and ``gradient``, solver ``direct``: N² F for X Zᵀ, N³/3 to factor, and three sums of N for each directed
    edge (twice that with the curvature of ``local``), read at 8 bytes; solver ``iterative``: half of N² F for the
    triangle; bytes: N² for the triangle, written once and read some twenty times;
    solver ``partition``: N (B + C) (F + C) for the rest within blocks of B nodes and through C centers, per solve
    twenty steps of N (2 F² + 2 C + B), half of N² F for each product with the streamed kernel, and half of
    N² (F + 2 · 128) for the far field's sums; bytes: what these steps read, 2 N B + 8 N (F + C) each.
    ``local`` adds |S|² F products and |S|³ / 3 for each edge's block S.

    >>> from kces.datasets.toys import barbell
    >>> engine_work(barbell(), "exact").kind, engine_work(barbell(), "subgraph")
    ('gemm64', None)
    """
    regime = Regime.of(graph)
    n, edges, width = float(graph.n_nodes), float(graph.n_edges), float(regime.width)
    if engine == "exact":
        rows = 4.0 * edges + 3.0 * regime.triangles
        single = n >= SINGLE_FROM
        size = 4.0 if single else 8.0
        return Work(2.0 * regime.exact_work - rows * n * n, 2.0 * size * rows * n, "gemm32" if single else "gemm64")
    if engine not in ("local", "gradient"):
        return None
    blocks = _block_work(graph, regime) if engine == "local" else 0.0
    if regime.solver == "direct":
        sums = (3.0 if engine == "local" else 1.0) * 2.0 * edges * n
        return Work(2.0 * (n * n * width + n**3 / 3.0 + sums + blocks), 8.0 * sums, "gemm64")
    if regime.solver == "iterative":
        return Work(2.0 * (n * n * width / 2.0 + blocks), 21.0 * n * n, "gemm32")
    return _partition_work(regime, blocks)


def _partition_work(regime: Regime, blocks: float) -> Work:
    n, width, size, centers = float(regime.nodes), float(regime.width), float(block_size(regime.nodes)), float(CENTERS)
    steps = 20.0 * (regime.products + 1)
    pairs = regime.products * width + (width + 2.0 * min(width, DIRECTIONS)) * (regime.products > 0)
    work = n * (size + centers) * (width + centers) + steps * n * (2.0 * width**2 + 2.0 * centers + size)
    read = steps * n * (2.0 * size + 8.0 * (width + centers))
    return Work(2.0 * (work + n * n * pairs / 2.0 + blocks), read, "gemm32")


def _block_work(graph: Graph, regime: Regime) -> float:
    sizes = np.minimum(support_sizes(graph, graph.edges), 2.0 * regime.one_hop.cap + 2.0)
    products = 1.0 if regime.all_pairs else float(regime.width)
    return float((products * sizes**2 + sizes**3 / 3.0).sum())
