"""The scores that are compared, and the robust one made of parts that can be exchanged one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kces.graph import Graph
from kces.lab.study.complexity import ComplexityScore
from kces.lab.study.cosines import multi_hop_cosine
from kces.lab.study.train_labels import TRAIN_LABELS
from kces.scorers import Scored, ScoreOptions, make_scorer
from kces.scorers.feature_spaces import LowRankSpace, uncentered_space
from kces.scorers.link_cosines import HOPS
from kces.scorers.robust import Weigh, contrast_weights, equal_weights, gather_evidence
from kces.scorers.views import FEATURES, HopView, feature_patterns
from kces.types import Array

__all__ = ["VARIANTS", "ViewScore"]

Score = Callable[[Graph], Array]

_PATTERNS = feature_patterns()


@dataclass(frozen=True)
class ViewScore:
    """The robust score with another list of views, or its views weighed in another way.

    Attributes
    ----------
    views : the entries of the list; ``robust`` itself has ``FEATURES`` and the leading directions.
    weigh : how columns are weighed: by contrast, or equally.
    rescored : afterwards prune this share, and score all edges with the rows of the pruned graph (no second link
        is cut for pruned edges: they are not part of that graph).

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> graph.edges[ViewScore(views=(FEATURES,))(graph).argmax()].tolist()
    [4, 5]
    """

    views: tuple[HopView, ...] = (FEATURES, _PATTERNS)
    weigh: Weigh = contrast_weights
    rescored: float = 0.0

    def __call__(self, graph: Graph) -> Array:
        scores = gather_evidence(graph, self.views, weigh=self.weigh).scores
        if self.rescored:
            pruned = graph.keep_edges(Scored(graph, scores).cut(self.rescored).kept)
            scores = gather_evidence(graph, self.views, weigh=self.weigh, aggregated_on=pruned).scores
        return scores

    def each(self, **changes: Any) -> ViewScore:
        """The same list with these attributes of every view changed."""
        return replace(self, views=tuple(replace(view, **changes) for view in self.views))


def _robust(graph: Graph) -> Array:
    return make_scorer(ScoreOptions()).score(graph).scores


def _kept_best(score: Score) -> Score:
    """The same order, except that no node loses its least suspicious edge."""

    def protected(graph: Graph) -> Array:
        scores = score(graph)
        best = np.full(graph.n_nodes, np.inf)
        np.minimum.at(best, graph.edges.ravel(), np.repeat(scores, 2))
        is_best = (scores == best[graph.edges[:, 0]]) | (scores == best[graph.edges[:, 1]])
        return np.where(is_best, scores - np.ptp(scores) - 1.0, scores)

    return protected


_FULL = ViewScore()
_UNCENTERED = LowRankSpace(uncentered_space)
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
    "robust": _robust,
    "robust, link kept": _FULL.each(leave_out=False),
    "robust, not centered": ViewScore(
        (replace(FEATURES, space=uncentered_space), replace(_PATTERNS, space=_UNCENTERED))
    ),
    "robust, no low rank": ViewScore((FEATURES,)),
    "robust, equal weights": ViewScore(weigh=equal_weights),
    "robust, crossed hops only": _FULL.each(hops=HOPS[:3]),
    "robust, hops (0,0) (2,2)": _FULL.each(hops=(HOPS[0], HOPS[3])),
    "robust, rescored after 20 %": ViewScore(rescored=0.2),
    "robust, best edge kept": _kept_best(_robust),
    "robust, in company": lambda graph: make_scorer(ScoreOptions()).score(graph).suspicion,
    "robust + train labels": ViewScore((FEATURES, _PATTERNS, TRAIN_LABELS)),
}
"""The grid of the study: cosines, the paper's score and the robust one, each with one part changed."""
