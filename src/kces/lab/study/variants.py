"""The scores that are compared, and the robust one made of parts that can be exchanged one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kces.graph import Graph
from kces.lab.study.complexity import ComplexityScore
from kces.lab.study.cosines import multi_hop_cosine
from kces.ranking import kept_edges
from kces.robust import (
    HOPS,
    RANK,
    CentredFeatures,
    contrast_weights,
    leave_edge_out_cosines,
    pair_complexity,
    random_pairs,
    robust_scores,
    smoothed_projection,
    train_label_scores,
)
from kces.types import Array

__all__ = ["VARIANTS", "PairScore"]

Score = Callable[[Graph], Array]


@dataclass(frozen=True)
class PairScore:
    """Complexity of the assertion that the ends of an edge agree, with each part of the recipe on or off.

    Attributes
    ----------
    leave_out : compare the ends on the graph without their edge.
    centred : subtract the mean row and weight columns by rarity; else the features as they are.
    hops : which pairs of hops are compared, out of ``kces.robust.HOPS``.
    low_rank : add the space of the leading directions.
    contrast : weigh the views by how they tell edges from random pairs; else equally.
    rescored : afterwards prune this share, and score all edges with the rows of the pruned graph (no second link
        is cut for pruned edges: they are not part of that graph).
    """

    leave_out: bool = True
    centred: bool = True
    hops: tuple[tuple[int, int], ...] = HOPS
    low_rank: bool = True
    contrast: bool = True
    rescored: float = 0.0

    def __call__(self, graph: Graph) -> Array:
        scores = self._score(graph, graph)
        if self.rescored:
            scores = self._score(graph.keep_edges(kept_edges(scores, self.rescored)), graph)
        return scores

    def _score(self, aggregated_on: Graph, graph: Graph) -> Array:
        """Scores of the edges of ``graph`` with the rows aggregated on a graph of the same nodes."""
        pairs = np.concatenate([graph.edges, random_pairs(graph, np.random.default_rng(0))])
        features = CentredFeatures.of(graph.features) if self.centred else CentredFeatures(graph.features)
        spaces = [self._views(aggregated_on, features, pairs)]
        if self.low_rank:
            spaces.append(self._views(aggregated_on, smoothed_projection(aggregated_on, features, RANK, 0), pairs))
        views = np.hstack(spaces)
        edges, unlinked = views[: graph.n_edges], views[graph.n_edges :]
        weights = contrast_weights(edges, unlinked) if self.contrast else np.full(views.shape[1], 1 / views.shape[1])
        return pair_complexity(edges @ weights)

    def _views(self, graph: Graph, features: CentredFeatures | Array, pairs: npt.NDArray[np.int64]) -> Array:
        cosines = leave_edge_out_cosines(graph, features, pairs, leave_out=self.leave_out)
        return cosines[:, [HOPS.index(pair) for pair in self.hops]]


def _kept_best(score: Score) -> Score:
    """The same order, except that no node loses its least suspicious edge."""

    def protected(graph: Graph) -> Array:
        scores = score(graph)
        best = np.full(graph.n_nodes, np.inf)
        np.minimum.at(best, graph.edges.ravel(), np.repeat(scores, 2))
        is_best = (scores == best[graph.edges[:, 0]]) | (scores == best[graph.edges[:, 1]])
        return np.where(is_best, scores - np.ptp(scores) - 1.0, scores)

    return protected


_FULL = PairScore()
_SIGNED = ComplexityScore(encoding="onehot", ridge=1.0, signed=True, per_link=True)

VARIANTS: dict[str, Score] = {
    "feature cosine": lambda graph: multi_hop_cosine(graph, (0,)),
    "2-hop cosine": lambda graph: multi_hop_cosine(graph, (2,)),
    "U (0, 2, 4)": lambda graph: multi_hop_cosine(graph, (0, 2, 4)),
    "paper": ComplexityScore(),
    "paper, signed": ComplexityScore(signed=True),
    "paper, per unit of T": ComplexityScore(per_link=True),
    "paper, signed, per unit of T": ComplexityScore(signed=True, per_link=True),
    "paper, ridge 0.1": ComplexityScore(ridge=0.1),
    "paper, ridge 1": ComplexityScore(ridge=1.0),
    "paper, one-hot labels": ComplexityScore(encoding="onehot"),
    "paper, soft labels": ComplexityScore(encoding="soft"),
    "paper, spectral labels": ComplexityScore(labels="spectral"),
    "paper, labels from a cleaned graph": ComplexityScore(cleaned=0.2, encoding="onehot"),
    "paper, three rounds": ComplexityScore(rounds=3),
    "signed one-hot per unit of T, ridge 1": _SIGNED,
    "signed one-hot per unit of T, ridge 1, + U": replace(_SIGNED, with_similarity=True),
    "robust": robust_scores,
    "robust, link kept": replace(_FULL, leave_out=False),
    "robust, not centred": replace(_FULL, centred=False),
    "robust, no low rank": replace(_FULL, low_rank=False),
    "robust, equal weights": replace(_FULL, contrast=False),
    "robust, crossed hops only": replace(_FULL, hops=HOPS[:3]),
    "robust, hops (0,0) (2,2)": replace(_FULL, hops=(HOPS[0], HOPS[3])),
    "robust, rescored after 20 %": replace(_FULL, rescored=0.2),
    "robust, best edge kept": _kept_best(robust_scores),
    "robust + train labels": train_label_scores,
}
"""The grid of the study: cosines, the paper's score and the robust one, each with one part changed."""
