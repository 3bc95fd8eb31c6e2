"""The part of the graph that a page carries: the most suspicious edges, what is around them, and their nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.cut import Cut
from kces.features.own_values import in_words
from kces.graph import Graph
from kces.report.node_groups import NodeGroups, node_groups
from kces.report.numbers import Json, shorts
from kces.scorers.evidence import RobustEvidence
from kces.scorers.scored import Scored
from kces.types import Bools, Ints

__all__ = [
    "MOST_EDGES",
    "MOST_EDGES_AT_A_NODE",
    "MOST_NEIGHBORHOOD_EDGES",
    "ShownGraph",
    "edges_as_columns",
    "ends_as_table",
    "hot_nodes",
    "neighborhood_as_columns",
    "node_title",
    "nodes_as_columns",
    "shown_graph",
]

MOST_EDGES = 5_000
MOST_NEIGHBORHOOD_EDGES = 30_000
MOST_EDGES_AT_A_NODE = 60
"""Edges around a node that are carried: one hub would take the room of all others."""
MOST_HOT_NODES = 50
MOST_COLUMNS = 8
MOST_TEXT = 600_000
"""Columns of the caller's table that are carried for the ends of the edges, and characters of all their cells."""
_ROOM_OF_A_CELL = 6
_LONGEST_NAME = 200
_LONGEST_CELL = 60


@dataclass(frozen=True, eq=False)
class ShownGraph:
    """Which edges and nodes are carried, by their numbers in the graph.

    Attributes
    ----------
    edges : (S,) the most suspicious edges, in order.
    around : (M,) edges within a hop of their ends, a bounded number at each node, nearest to the most suspicious first.
    hot : (H,) nodes at which removed edges gather, most first.
    nodes : (V,) all nodes of these, ascending: their places here are what the page calls them by.
    removed_at : (N,) removed edges at every node.
    """

    edges: Ints
    around: Ints
    hot: Ints
    nodes: Ints
    removed_at: Ints

    def places(self, nodes: Ints) -> list[int]:
        """Where ``nodes`` are among the carried ones."""
        return np.searchsorted(self.nodes, nodes).tolist()


def shown_graph(graph: Graph, cut: Cut) -> ShownGraph:
    """Choose what is carried.

    Parameters
    ----------
    graph : all of it.
    cut : its order says which edges are the most suspicious.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> shown = shown_graph(barbell(), Scored(barbell(), np.arange(21.0)).cut(0.1))
    >>> len(shown.edges), len(shown.nodes), shown.hot.tolist()
    (21, 10, [7, 8, 9])
    """
    edges = cut.order[:MOST_EDGES]
    removed_at = np.bincount(graph.edges[~cut.kept].ravel(), minlength=graph.n_nodes)
    hot = np.lexsort((np.diff(graph.adjacency.indptr), -removed_at))[:MOST_HOT_NODES]
    hot = hot[removed_at[hot] > 1]
    around = _around(graph, edges)
    nodes = np.unique(np.concatenate([graph.edges[edges].ravel(), graph.edges[around].ravel(), hot]))
    return ShownGraph(edges, around, hot, nodes, removed_at)


def _around(graph: Graph, shown: Ints) -> Ints:
    """Edges among the nodes within one hop of the ends of shown edges, a bounded number at each node.

    Those nearest to the most suspicious edges come first.
    """
    far = 2 * graph.n_edges + 1
    own = np.full(graph.n_nodes, far, dtype=np.int64)
    np.minimum.at(own, graph.edges[shown].ravel(), np.repeat(np.arange(len(shown)), 2))
    near = own.copy()
    for here, there in ((0, 1), (1, 0)):
        np.minimum.at(near, graph.edges[:, here], own[graph.edges[:, there]] + graph.n_edges)
    distance = np.maximum(near[graph.edges[:, 0]], near[graph.edges[:, 1]])
    reached = np.flatnonzero(distance < far)
    ordered = reached[np.argsort(distance[reached], kind="stable")]
    places = _place_at_its_node(graph.edges[ordered].ravel()).reshape(-1, 2)
    return ordered[(places < MOST_EDGES_AT_A_NODE).all(axis=1)][:MOST_NEIGHBORHOOD_EDGES]


def _place_at_its_node(ends: Ints) -> Ints:
    """How often each entry stood before it.

    >>> _place_at_its_node(np.array([7, 3, 7, 7, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    by_node = np.argsort(ends, kind="stable")
    ordered = ends[by_node]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ends) else np.empty(0, int)
    place = np.empty(len(ends), dtype=np.int64)
    place[by_node] = np.arange(len(ends)) - np.repeat(first, np.diff(np.append(first, len(ends))))
    return place


def node_title(graph: Graph, node: int) -> str:
    """The name of a node as text; a very long one is shortened, and made unique by the node's number.

    >>> from kces.datasets.toys import path
    >>> node_title(path(3), 2)
    '2'
    """
    # Lone surrogates, which file names and damaged text bring, are in no encoding that a page could have.
    name = str(graph.ids_of(np.array([node]))[0]).encode("utf-8", "replace").decode("utf-8")
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}… (node {node})"


def nodes_as_columns(scored: Scored, shown: ShownGraph) -> Json:
    """Names, degrees, groups and counts of the carried nodes."""
    graph = scored.graph
    return {
        "name": [node_title(graph, node) for node in shown.nodes.tolist()],
        "degree": np.diff(graph.adjacency.indptr)[shown.nodes].tolist(),
        "suspicious": shown.removed_at[shown.nodes].tolist(),
        **_groups_as_columns(node_groups(scored, shown.nodes)),
    }


def _groups_as_columns(groups: NodeGroups | None) -> Json:
    if groups is None:
        return {"group": None, "group_names": None, "group_kind": None}
    names = np.unique(groups.of_node[groups.of_node >= 0])
    places = np.where(groups.of_node >= 0, np.searchsorted(names, groups.of_node), -1)
    return {"group": places.tolist(), "group_names": [str(name) for name in names], "group_kind": groups.kind}


def edges_as_columns(scored: Scored, cut: Cut, shown: ShownGraph, injected: Bools | None) -> Json:
    """The carried edges with what is said about each; equal reasons are carried once."""
    edges, evidence = shown.edges, scored.evidence
    whys, why = np.unique(scored.reasons()[edges].astype(str), return_inverse=True)
    views = evidence.edge_views[edges] if isinstance(evidence, RobustEvidence) else ()
    return _ends(scored.graph, shown, edges) | {
        "score": shorts(scored.scores[edges]),
        "rank": cut.rank[edges].tolist(),
        "suspicious": (~cut.kept[edges]).astype(int).tolist(),
        "why": why.ravel().tolist(),
        "whys": whys.tolist(),
        "injected": None if injected is None else injected[edges].astype(int).tolist(),
        "views": [shorts(row) for row in views],
    }


def ends_as_table(graph: Graph, shown: ShownGraph) -> Json | None:
    """What the caller's table says of the ends of the carried edges, cell by cell; None without a table that has room.

    Equal cells are carried once. ``cells`` has for each column the place of each end's text in ``texts``, in the order
    of ``nodes``.
    """
    if graph.own_values is None:
        return None
    columns, ends = graph.own_values.columns, np.unique(graph.edges[shown.edges])
    table: list[list[str]] = []
    texts: set[str] = set()
    room = MOST_TEXT
    for column in columns[:MOST_COLUMNS]:
        cells = [in_words(column.value(node))[:_LONGEST_CELL] for node in ends.tolist()]
        room -= sum(map(len, {*cells} - texts)) + _ROOM_OF_A_CELL * len(cells)
        if room < 0:
            break
        table.append(cells)
        texts.update(cells)
    if not table:
        return None
    places = {text: place for place, text in enumerate(sorted(texts))}
    return {
        "columns": [column.name[:_LONGEST_NAME] for column in columns[: len(table)]],
        "of": len(columns),
        "nodes": shown.places(ends),
        "texts": list(places),
        "cells": [[places[cell] for cell in cells] for cells in table],
    }


def neighborhood_as_columns(graph: Graph, cut: Cut, shown: ShownGraph) -> Json:
    """The edges around them."""
    return _ends(graph, shown, shown.around) | {"rank": cut.rank[shown.around].tolist()}


def hot_nodes(graph: Graph, shown: ShownGraph) -> list[Json]:
    """The nodes at which removed edges gather."""
    degrees = np.diff(graph.adjacency.indptr)
    return [
        {"node": place, "suspicious": int(shown.removed_at[node]), "degree": int(degrees[node])}
        for place, node in zip(shown.places(shown.hot), shown.hot.tolist(), strict=True)
    ]


def _ends(graph: Graph, shown: ShownGraph, edges: Ints) -> Json:
    return {
        "source": shown.places(graph.edges[edges, 0]),
        "target": shown.places(graph.edges[edges, 1]),
    }
