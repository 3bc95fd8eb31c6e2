"""What preset robust knows of every edge beyond its score: its views, their weights, and random pairs beside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.automatic_cut import Yardstick
from kces.graph import Graph
from kces.scorers.grounds import Grounds, Reading, Texts
from kces.scorers.view_reasons import feature_readings, percent_below, readings_in_words, view_reasons
from kces.scorers.views import View
from kces.types import Array, Bools, Ints, Singles

__all__ = ["RobustEvidence"]


@dataclass(frozen=True, eq=False)
class RobustEvidence:
    """The views of all edges and of random pairs, and the scores made of them.

    Attributes
    ----------
    edges : (E, 2) the ends of the edges.
    views : those that were asked; their columns, one after another, are the k columns below.
    columns : (k,) what each column compares, in words.
    weights : (k,) weight of each column, summing to one.
    edge_views : (E, k) agreement of the ends of each edge, without the edge.
    random_views : (R, k) the same for random pairs that are not edges.
    random_pairs : (R, 2) those pairs.
    scores : (E,) complexity of each edge's claim that its ends agree.
    random_scores : (R,) the same for the random pairs.
    own_features : False when the features alone cannot tell nodes apart, so that only the graph testifies.
    """

    edges: Ints
    views: tuple[View, ...]
    columns: tuple[str, ...]
    weights: Array
    edge_views: Singles
    random_views: Singles
    random_pairs: Ints
    scores: Array
    random_scores: Array
    own_features: bool

    @property
    def yardstick(self) -> Yardstick:
        """What the automatic cut is measured by."""
        contrast = _chance_above(self.edge_views[:, 0], self.random_views[:, 0])
        return Yardstick(self.scores, self.random_scores, self.own_features, contrast, self.edges)

    @property
    def silent(self) -> Bools:
        """(E,) edges of which every view is blank, as at a node that has neither features nor another link."""
        return np.all(self.edge_views[:, self.weights > 0] == 0, axis=1)

    def reasons(self, graph: Graph) -> Texts:
        """(E,) what speaks most against each edge, in a line."""
        return view_reasons(graph, self.columns, self.weights, self.edge_views)

    def grounds(self, graph: Graph, edge: int, ends: Ints) -> Grounds:
        """Every view of one edge, without it and with it, against links and random pairs."""
        readings = self.readings(graph, edge)
        agree, differ = feature_readings(graph, ends) if self.own_features else ((), ())
        return Grounds(readings_in_words(readings), readings, agree, differ)

    def readings(self, graph: Graph, edge: int) -> tuple[Reading, ...]:
        """One reading per column; the views with the link in place are computed here, for this pair alone."""
        pair = graph.edges[[edge]]
        linked = np.hstack([view.with_link()(graph, pair) for view in self.views])[0]
        own = self.edge_views[[edge]]
        links = percent_below(own, self.edge_views)[0]
        random = percent_below(own, self.random_views)[0]
        return tuple(
            Reading(*row)
            for row in zip(
                self.columns,
                self.weights.tolist(),
                own[0].tolist(),
                linked.tolist(),
                links.tolist(),
                random.tolist(),
                strict=True,
            )
        )


def _chance_above(first: Singles, second: Singles) -> float:
    """Chance that a value of ``first`` is above one of ``second``, ties counted half; 1 where there are none."""
    if len(first) == 0 or len(second) == 0:
        return 1.0
    # Looked up the other way round: the random pairs are few, and sorting the edges is quicker than looking them up.
    return 1.0 - float(percent_below(second[:, None], first[:, None]).mean()) / 100.0
