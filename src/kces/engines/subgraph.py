"""The paper's practical form: GKC of the edge's own h-hop subgraph before and after, and its sampled form.

Both ignore the nodes outside the subgraph. They are here for fidelity and comparison; ``docs/performance.md`` has their
measured agreement with the exact score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numba
import numpy as np

from kces.engines.adjacency import Adjacency, adjacency_of
from kces.engines.block import block_cosines, collect_block, moved_lengths
from kces.engines.block_kernel import factor_in_place, inverse_form, kernel_matrix
from kces.engines.compact import compact
from kces.engines.neighbors import Listed, most_important_neighbors
from kces.engines.parameters import whole_number
from kces.engines.parts import Parts, one_after_another
from kces.engines.problem import Problem
from kces.engines.products import Edges, Products, edges_of, inner_products, products_of
from kces.errors import InvalidParameterError
from kces.progress import Progress, silent
from kces.types import Array, Ints

__all__ = ["MonteCarloEngine", "SubgraphEngine"]

_EDGE_CHUNK = 20_000


class Draws(NamedTuple):
    """How the nodes of a subgraph are sampled.

    Attributes
    ----------
    classes : (N,), pseudo class of each node.
    per_class : most nodes of each class in a draw; 0 takes all nodes, once.
    repetitions : draws per edge.
    seed : of the draws.
    """

    classes: Ints
    per_class: int
    repetitions: int
    seed: int


class SubgraphEngine:
    """``GKC(subgraph) − GKC(subgraph − e)`` on the nodes within ``hops`` of the edge.

    Parameters
    ----------
    hops : 1 or 2.
    cap : most neighbors per endpoint; None chooses by the total work.
    seed : of what is drawn.
    """

    name = "subgraph"

    def __init__(self, hops: int = 1, cap: int | None = None, seed: int = 0) -> None:
        if hops not in (1, 2):
            raise InvalidParameterError(f"hops must be 1 or 2, got {hops}")
        self.hops = hops
        self.cap = None if cap is None else whole_number("cap", cap)
        self.seed = whole_number("seed", seed, least=0)

    def memory_needed(self, problem: Problem) -> int:
        """Bytes: inner products of all pairs on small graphs, else the features."""
        n = problem.graph.n_nodes
        return min(24 * n * n, 24 * n * problem.graph.n_features + 24 * 8192**2) + 80 * problem.graph.n_edges

    def score(self, problem: Problem, progress: Progress = silent, parts: Parts = one_after_another) -> Array:
        """The change for each edge, in the order of ``graph.edges``; ``parts`` says where it is computed."""
        return parts(
            score_part, lambda: self._state(compact(problem, self.seed)), problem.graph.n_edges, progress, _EDGE_CHUNK
        )

    def _state(self, problem: Problem) -> SubgraphState:
        size = problem.regime.block_size(self.hops, self.cap)
        if self.hops == 1:
            size = replace(size, fill=0)  # the surroundings are the neighbors, however few
        listed = most_important_neighbors(problem, problem.codes, size)
        classes = np.unique(problem.codes, axis=0, return_inverse=True)[1].ravel()
        return SubgraphState(
            edges_of(problem),
            adjacency_of(problem.graph),
            listed,
            products_of(problem),
            problem.codes,
            problem.ridge,
            self._draws(classes),
        )

    def _draws(self, classes: Ints) -> Draws:
        return Draws(classes, per_class=0, repetitions=1, seed=self.seed)


class SubgraphState(NamedTuple):
    """What every edge reads: the graph, products of its rows, the codes, and how subgraphs are sampled."""

    edges: Edges
    adjacency: Adjacency
    listed: Listed
    products: Products
    codes: Array
    ridge: float
    draws: Draws


def score_part(state: SubgraphState, start: int, stop: int) -> Array:
    """Scores of a range of edges."""
    scores: Array = _score_subgraphs(state.edges.part(start, stop), *state[1:], start)
    return scores


class MonteCarloEngine(SubgraphEngine):
    """The sampled form: at most ``per_class`` nodes of each pseudo class, averaged over ``repetitions`` draws.

    The endpoints are in every draw. A draw depends on the seed, the edge and the repetition only, not on threads.
    """

    name = "montecarlo"

    def __init__(
        self, per_class: int = 4, repetitions: int = 5, hops: int = 1, cap: int | None = None, seed: int = 0
    ) -> None:
        super().__init__(hops, cap, seed)
        self.per_class = whole_number("per_class", per_class)
        self.repetitions = whole_number("repetitions", repetitions)

    def _draws(self, classes: Ints) -> Draws:
        return Draws(classes, self.per_class, self.repetitions, self.seed)


@numba.njit(cache=True)
def _hash(x):
    """A well-mixed 64-bit number (splitmix64), so that draws need no shared random state."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@numba.njit(cache=True)
def _draw(S, classes, per_class, key):
    """Mask of the endpoints and of the ``per_class`` nodes with the smallest hash in each class."""
    size = len(S)
    taken = np.zeros(size, dtype=np.bool_)
    taken[:2] = True
    hashes = np.empty(size, dtype=np.uint64)
    for t in range(size):
        hashes[t] = _hash(key ^ _hash(S[t]))
    for t in range(2, size):
        ahead = 0
        for other in range(2, size):
            if classes[S[other]] == classes[S[t]] and hashes[other] < hashes[t]:
                ahead += 1
        taken[t] = ahead < per_class
    return taken


@numba.njit(cache=True)
def _quadratic_form(cosines, chosen, codes, S, ridge):
    """``2 yᵀ (H + λI)⁻¹ y / L`` on the chosen nodes of the block."""
    K = kernel_matrix(cosines[chosen][:, chosen], ridge)
    factor_in_place(K)
    total = 0.0
    for column in range(codes.shape[1]):
        total += inverse_form(K, codes[S[chosen], column].copy())
    return 2.0 * total / len(chosen)


@numba.njit(parallel=True, cache=True)
def _score_subgraphs(edges, adjacency, listed, products, codes, ridge, draws, first_edge):
    scores = np.zeros(len(edges.ends))
    for e in numba.prange(len(edges.ends)):
        block = collect_block(edges.ends[e, 0], edges.ends[e, 1], adjacency, listed)
        inner = inner_products(block.nodes, edges.xx[e], products)
        cosines = block_cosines(block, inner, moved_lengths(block, inner, products.inverse_length))
        chosen = np.arange(len(block.nodes))
        for repetition in range(draws.repetitions):
            if draws.per_class > 0:
                key = _hash((first_edge + e) * draws.repetitions + repetition) ^ _hash(draws.seed)
                chosen = np.flatnonzero(_draw(block.nodes, draws.classes, draws.per_class, key))
            scores[e] += _quadratic_form(cosines.before, chosen, codes, block.nodes, ridge)
            scores[e] -= _quadratic_form(cosines.after, chosen, codes, block.nodes, ridge)
        scores[e] /= draws.repetitions
    return scores
