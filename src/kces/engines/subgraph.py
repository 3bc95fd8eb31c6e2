"""The paper's practical form: GKC of the edge's own h-hop subgraph before and after, and its sampled form.

Both ignore the nodes outside the subgraph. They are here for fidelity and comparison; ``docs/performance.md`` has their
measured agreement with the exact score.
"""

from __future__ import annotations

import numba
import numpy as np

from kces.engines.block import (
    block_cosines,
    collect_block,
    factor_in_place,
    inner_products,
    inverse_form,
    kernel_matrix,
    moved_lengths,
)
from kces.engines.inner import gathered_dots
from kces.engines.local import choose_cap, compact, most_important_neighbours, pair_products
from kces.engines.parameters import whole_number
from kces.engines.problem import Problem
from kces.errors import InvalidParameterError
from kces.progress import Progress, silent
from kces.types import Array

__all__ = ["MonteCarloEngine", "SubgraphEngine"]

_EDGE_CHUNK = 20_000


class SubgraphEngine:
    """``GKC(subgraph) − GKC(subgraph − e)`` on the nodes within ``hops`` of the edge.

    Parameters
    ----------
    hops : 1 or 2.
    cap : most neighbours per endpoint; None chooses by the total work.
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

    def score(self, problem: Problem, progress: Progress = silent) -> Array:
        return self._score(problem, per_class=0, repetitions=1, progress=progress)

    def _score(self, problem: Problem, *, per_class: int, repetitions: int, progress: Progress) -> Array:
        problem = compact(problem, self.seed)
        graph = problem.graph
        cap = self.cap or choose_cap(graph, self.hops)
        listed = most_important_neighbours(graph, problem.codes, problem.inverse_lengths, cap)
        fill = 0 if self.hops == 1 else 2 * cap + 2
        xx_edge = gathered_dots(graph.features, graph.edges[:, 0], graph.features, graph.edges[:, 1])
        everyone = np.arange(graph.n_nodes)
        xx_self = gathered_dots(graph.features, everyone, graph.features, everyone)
        classes = np.unique(problem.codes, axis=0, return_inverse=True)[1].ravel()
        products = pair_products(problem)
        scores = np.empty(graph.n_edges)
        progress(f"{self.name}: score edges", 0, graph.n_edges)
        for start in range(0, graph.n_edges, _EDGE_CHUNK):
            chunk = slice(start, start + _EDGE_CHUNK)
            scores[chunk] = _score_subgraphs(
                *(graph.edges[chunk], xx_edge[chunk], graph.adjacency.indptr, graph.adjacency.indices),
                *(graph.degrees, problem.inverse_lengths, products, *listed, cap, fill),
                *(problem.codes, xx_self, problem.ridge, classes, per_class, repetitions, self.seed, start),
            )
            progress(f"{self.name}: score edges", min(start + _EDGE_CHUNK, graph.n_edges), graph.n_edges)
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

    def score(self, problem: Problem, progress: Progress = silent) -> Array:
        return self._score(problem, per_class=self.per_class, repetitions=self.repetitions, progress=progress)


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
def _score_subgraphs(
    edges, xx_edge, indptr, indices, degrees, inverse_length, products, list_start, list_position, cap, fill,
    codes, xx_self, ridge, classes, per_class, repetitions, seed, first_edge,
):  # fmt: skip
    scores = np.zeros(len(edges))
    for e in numba.prange(len(edges)):
        i, j = edges[e, 0], edges[e, 1]
        S, alpha, beta, gamma = collect_block(i, j, indptr, indices, degrees, list_start, list_position, cap, fill)
        inner, xz_i, xz_j = inner_products(i, j, S, inverse_length, products)
        new_inverse = moved_lengths(i, j, S, alpha, beta, gamma, inverse_length, xz_i, xz_j, xx_self, xx_edge[e])
        before, _, after = block_cosines(
            i, j, S, alpha, beta, gamma, inverse_length, new_inverse, xz_i, xz_j, inner, xx_self, xx_edge[e]
        )
        chosen = np.arange(len(S))
        for repetition in range(repetitions):
            if per_class > 0:
                key = _hash((first_edge + e) * repetitions + repetition) ^ _hash(seed)
                chosen = np.flatnonzero(_draw(S, classes, per_class, key))
            scores[e] += _quadratic_form(before, chosen, codes, S, ridge)
            scores[e] -= _quadratic_form(after, chosen, codes, S, ridge)
        scores[e] /= repetitions
    return scores
