"""The robust score: how complex it is to claim that the two ends of an edge agree.

An edge ``(i, j)`` asserts that its ends belong together, ``y_i = y_j = 1``. In a kernel κ with κ(i, i) = 1 the
complexity ``yᵀ H⁻¹ y`` of that assertion on the pair alone is

    KC(i, j) = 2 / (1 + λ + κ(i, j)),        κ(i, j) = Σ_v w_v c_v(i, j) / Σ_v w_v,

1 for ends that agree in everything, 2 for unrelated ends, more for ends that contradict each other. Three things make
κ hard to fool, all of them in closed form:

- **leave-edge-out**: the aggregated rows of i and j are those of the graph *without* the edge, so that an edge cannot
  vouch for itself (``link_cosines.py``);
- **crossed hops**: a view compares ``T^p X`` at one end with ``T^q X`` at the other, in the centered feature space and
  in its leading directions after smoothing (``views.py``);
- **contrast**: the weight of a view is how well it tells edges from random pairs of nodes,
  ``w_v = max(0, mean_edges − mean_random) / variance_random``. No label is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol, TypeAlias

import numpy as np

from kces.errors import InvalidParameterError
from kces.feature_range import within_range, without_empty_columns
from kces.features.bare_nodes import warn_of_bare_nodes
from kces.features.outweighing import warn_of_outweighing
from kces.graph import Graph
from kces.kernel import RIDGE
from kces.node_pairs import random_unlinked_pairs
from kces.progress import Progress, silent
from kces.scorers.centered_features import NOTHING
from kces.scorers.evidence import RobustEvidence
from kces.scorers.score_options import ScoreOptions
from kces.scorers.scored import Scored
from kces.scorers.views import View, standard_views
from kces.types import Array

__all__ = [
    "Gather",
    "RobustScorer",
    "column_words",
    "contrast_weights",
    "equal_weights",
    "gather_evidence",
    "own_features_differ",
    "pair_complexity",
    "weights_of_means",
]

Weigh: TypeAlias = Callable[[Array, Array], Array]
"""From the (E, k) views of edges and the (R, k) views of random pairs to (k,) weights that sum to one."""


class Gather(Protocol):
    """From a graph and views to what they say of its edges: :func:`gather_evidence`, or the same in parts."""

    def __call__(
        self, graph: Graph, views: tuple[View, ...], *, seed: int = ..., progress: Progress = ...
    ) -> RobustEvidence: ...


class RobustScorer:
    """Complexity of each edge's claim. Time O((E + N) F), memory O(E + N) beyond the graph."""

    name: ClassVar[str] = "robust"

    def __init__(self, options: ScoreOptions) -> None:
        self.seed = options.seed

    @staticmethod
    def validate(options: ScoreOptions) -> None:
        foreign = sorted(options.given())
        if foreign:
            named = ", ".join(foreign)
            labels = "; known labels can choose the cut, as alpha labels" if foreign == ["labels"] else ""
            raise InvalidParameterError(f"preset robust has no {named}; leave it out or use preset paper{labels}")

    def score(self, graph: Graph, progress: Progress = silent, gather: Gather | None = None) -> Scored:
        """Score every edge; ``gather`` says how the evidence comes about, in place of :func:`gather_evidence`."""
        warn_of_outweighing(graph.features, graph.feature_names)
        warn_of_bare_nodes(graph)
        views, prepared = standard_views(seed=self.seed), within_range(without_empty_columns(graph))
        found = (gather or gather_evidence)(prepared, views, seed=self.seed, progress=progress)
        reason = f"{len(found.columns)} views of {graph.n_edges} edges and {len(found.random_pairs)} random pairs"
        return Scored(graph, found.scores, self.name, "views", reason, {}, found)


def gather_evidence(
    graph: Graph,
    views: tuple[View, ...],
    *,
    seed: int = 0,
    weigh: Weigh | None = None,
    aggregated_on: Graph | None = None,
    progress: Progress = silent,
) -> RobustEvidence:
    """Ask every view about the edges of ``graph`` and about random pairs, and weigh the answers.

    Parameters
    ----------
    graph : whose edges are scored.
    views : the questions. The first has the bare features in its first column.
    seed : of the random pairs.
    weigh : how columns are weighed; default :func:`contrast_weights`.
    aggregated_on : another graph on the same nodes whose neighborhoods count; default ``graph`` itself.
    progress : told about each block of features.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> found = gather_evidence(barbell(), standard_views())
    >>> found.edge_views.shape, round(float(found.weights.sum()), 6)
    ((21, 8), 1.0)
    """
    unlinked = random_unlinked_pairs(graph, np.random.default_rng(seed))
    pairs = np.concatenate([graph.edges, unlinked])
    context = graph if aggregated_on is None else aggregated_on
    first = views[0](context, pairs, progress)
    own_features = own_features_differ(first[graph.n_edges :])
    asked = tuple(view for view in views if own_features or not all(view.own_features))
    values = np.hstack([first, *(view(context, pairs) for view in asked[1:])])
    if not own_features:
        values[:, [void for view in asked for void in view.own_features]] = 0.0
    edges, others = values[: graph.n_edges], values[graph.n_edges :]
    weights = (weigh or contrast_weights)(edges, others)
    scores = pair_complexity(values @ weights)
    return RobustEvidence(
        edges=graph.edges,
        views=asked,
        columns=column_words(asked, own_features),
        weights=weights,
        edge_views=edges.astype(np.float32),
        random_views=others.astype(np.float32),
        random_pairs=unlinked,
        scores=scores[: graph.n_edges],
        random_scores=scores[graph.n_edges :],
        own_features=own_features,
    )


def pair_complexity(kernel: Array) -> Array:
    """``yᵀ (H + λI)⁻¹ y`` of ``y = (1, 1)`` and ``H = [[1, κ], [κ, 1]]``: finite, since κ ≥ −1 and λ > 0.

    >>> pair_complexity(np.array([1.0, 0.0])).round(2).tolist()
    [1.0, 2.0]
    """
    return 2.0 / (1.0 + RIDGE + np.clip(kernel, -1.0, 1.0))


def equal_weights(edges: Array, unlinked: Array) -> Array:
    """The same weight for every column.

    >>> equal_weights(np.zeros((5, 2)), np.zeros((5, 2))).tolist()
    [0.5, 0.5]
    """
    return np.full(edges.shape[1], 1.0 / edges.shape[1])


def contrast_weights(edges: Array, unlinked: Array) -> Array:
    """Weights of the columns, summing to one: diagonal linear discriminant of edges against random pairs."""
    return weights_of_means(edges.mean(axis=0), unlinked)


def weights_of_means(edge_means: Array, unlinked: Array) -> Array:
    """The same from the (k,) means over the edges, which a graph on disk has without having the edges at once.

    >>> weights_of_means(np.array([1.0, 0.0]), np.array([[0.5, 0.1], [0.1, 0.5]])).tolist()
    [1.0, 0.0]
    """
    if len(unlinked) < 2:  # nearly complete graphs have no unlinked pairs to compare with
        return equal_weights(edge_means[None], unlinked)
    variance = unlinked.var(axis=0)
    gap = np.maximum(edge_means - unlinked.mean(axis=0), 0.0)
    weights = np.divide(gap, variance, out=np.zeros(len(gap)), where=variance > NOTHING)
    return weights / weights.sum() if weights.sum() > 0 else equal_weights(edge_means[None], unlinked)


def own_features_differ(unlinked: Array) -> bool:
    """False for one-hot and constant features: every two nodes are then equally alike.

    Such features speak only through what they are aggregated with: a view of the bare features would count
    neighbors at best, and a low-rank space fitted to the smoothed features would memorize the edges.
    """
    return len(unlinked) < 2 or bool(unlinked[:, 0].var() > NOTHING)


def column_words(views: tuple[View, ...], own_features: bool) -> tuple[str, ...]:
    """What each column compares; features that merely number the nodes are the neighborhoods themselves."""
    words = (column for view in views for column in view.columns)
    if own_features:
        return tuple(words)
    return tuple(word.replace("features of the neighborhoods", "the two neighborhoods") for word in words)
