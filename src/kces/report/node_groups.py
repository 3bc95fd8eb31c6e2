"""What colors the nodes of a picture: their classes, else pseudo labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.graph import Graph
from kces.kernel import normalize_rows, propagation
from kces.scorers.scored import Scored
from kces.types import Array, Features, Ints, is_sparse

__all__ = ["NodeGroups", "node_groups"]

_SAMPLE = 1_000
_DIRECTIONS = 16


@dataclass(frozen=True, eq=False)
class NodeGroups:
    """The groups of some nodes.

    Attributes
    ----------
    of_node : group number of each, -1 where it is not known.
    kind : what a group is, in words.
    """

    of_node: Ints
    kind: str


def node_groups(scored: Scored, nodes: Ints) -> NodeGroups | None:
    """The classes of the nodes, else the scorer's pseudo labels, else clusters of their features; None without any.

    Parameters
    ----------
    scored : the graph, and what the scorer knows of it.
    nodes : those that are drawn.

    Examples
    --------
    >>> from kces import score
    >>> from kces.datasets.toys import barbell
    >>> bare = Graph.from_edges(barbell().edges, barbell().features)
    >>> found = node_groups(score(bare), np.array([0, 1, 8, 9]))
    >>> found.kind, len(set(found.of_node[:2])), len(set(found.of_node))
    ('pseudo label', 1, 2)
    """
    graph, evidence = scored.graph, scored.evidence
    if graph.labels is not None:
        return NodeGroups(graph.labels[nodes], "class")
    pseudo = getattr(evidence, "pseudo", None)
    if pseudo is not None:
        return NodeGroups(pseudo.clusters[nodes], "pseudo label")
    if not graph.has_features or not getattr(evidence, "own_features", True) or graph.n_nodes < 3:
        return None
    return NodeGroups(_clustered(graph, nodes), "pseudo label")


def _clustered(graph: Graph, nodes: Ints) -> Ints:
    """Clusters of the aggregated features, found on a sample of the graph so that a picture of any part agrees."""
    from kces.scorers.pseudo_labels import clustered_rows  # scikit-learn, which other pages do without

    sample = np.sort(np.random.default_rng(0).permutation(graph.n_nodes)[:_SAMPLE])
    rows, asked = _leading(graph, sample, nodes)
    clusters = clustered_rows(rows)
    centers = np.array([rows[clusters == one].mean(axis=0) for one in np.unique(clusters)])
    distance = (centers**2).sum(axis=1) - 2.0 * asked @ centers.T
    return distance.argmin(axis=1)


def _leading(graph: Graph, sample: Ints, nodes: Ints) -> tuple[Array, Array]:
    """Unit rows of the aggregated features along the sample's leading directions: of the sample, and of the nodes."""
    from sklearn.decomposition import TruncatedSVD

    spread = propagation(graph)
    rows, asked = (normalize_rows(spread[some] @ graph.features)[0] for some in (sample, nodes))
    if min(rows.shape) > _DIRECTIONS + 1:
        directions = TruncatedSVD(_DIRECTIONS, random_state=0).fit(rows)
        return directions.transform(rows), directions.transform(asked)
    return _dense(rows), _dense(asked)


def _dense(rows: Features) -> Array:
    return rows.toarray() if is_sparse(rows) else rows
