"""Variants of the paper's own score, the change of GKC, made of parts that can be exchanged one at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics.pairwise import euclidean_distances

from kces.engines import Problem
from kces.engines.local import LocalEngine
from kces.graph import Graph
from kces.kernel import RIDGE, aggregate, normalize_rows
from kces.lab.study.cosines import multi_hop_cosine
from kces.scorers import Scored
from kces.scorers.paper import in_canonical_order
from kces.scorers.pseudo_labels import encode, pseudo_labels
from kces.types import Array, Features

__all__ = ["ComplexityScore"]


_SOFTNESS = 10.0
"""How sharply soft labels follow the distance to the clusters' centers."""


@dataclass(frozen=True)
class ComplexityScore:
    """Change of GKC when the edge goes, by the local engine.

    Attributes
    ----------
    labels : clustering behind the pseudo labels.
    encoding : ``linear`` and ``onehot`` codes of the clusters, or ``soft``: a share in every cluster.
    cleaned : take the labels from the graph without this share of its edges (least alike by feature cosine).
    ridge : λ.
    signed : keep the sign of the change; else its size.
    per_link : per unit of ``T_ij``, so that links of low-degree nodes do not win by their weight alone.
    rounds : score, prune a tenth, score what is left, and so on; pruned edges rank above those that stay.
    with_similarity : add the rank by the ends' multi-hop cosine (hops 0, 2, 4).

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> graph.edges[ComplexityScore(encoding="onehot", ridge=0.1)(graph).argmax()].tolist()
    [4, 5]
    """

    labels: str = "kmeans"
    encoding: str = "linear"
    cleaned: float = 0.0
    ridge: float = RIDGE
    signed: bool = False
    per_link: bool = False
    rounds: int = 1
    with_similarity: bool = False

    def __call__(self, graph: Graph) -> Array:
        scores = self._in_rounds(graph) if self.rounds > 1 else self._change(graph)
        if self.with_similarity:
            scores = rankdata(scores) + rankdata(multi_hop_cosine(graph, (0, 2, 4)))
        return scores

    def _in_rounds(self, graph: Graph) -> Array:
        scores, left = np.zeros(graph.n_edges), np.arange(graph.n_edges)
        for later in reversed(range(self.rounds)):
            remaining = graph.keep_edges(np.isin(np.arange(graph.n_edges), left))
            found = rankdata(self._change(remaining))
            scores[left] = found + later * graph.n_edges
            left = left[Scored(remaining, found).cut(0.1).kept]
        return scores

    def _change(self, graph: Graph) -> Array:
        problem, places = in_canonical_order(Problem(graph, self._codes(graph), self.ridge))
        change = LocalEngine().score(problem)[places]
        if self.per_link:
            change = change * np.sqrt(graph.degrees[graph.edges]).prod(axis=1)
        return change if self.signed else np.abs(change)

    def _codes(self, graph: Graph) -> Array:
        labeled_on = graph
        if self.cleaned:
            labeled_on = graph.keep_edges(Scored(graph, multi_hop_cosine(graph, (0,))).cut(self.cleaned).kept)
        unit, _ = normalize_rows(aggregate(labeled_on))
        found = pseudo_labels(labeled_on, unit, self.labels)
        if self.encoding == "soft":
            return _shares(unit, encode(found.clusters, found.k, "onehot"))
        return encode(found.clusters, found.k, self.encoding)


def _shares(unit: Features, members: Array) -> Array:
    """A row per node: how near it is to the center of each cluster, summing to one."""
    centers = (unit.T @ members).T / np.maximum(members.sum(axis=0), 1.0)[:, None]
    nearness = np.exp(-_SOFTNESS * euclidean_distances(unit, centers, squared=True))
    shares: Array = nearness / nearness.sum(axis=1, keepdims=True)
    return shares
