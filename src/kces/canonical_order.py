"""An order of the nodes that depends on the graph and its features alone, not on how nodes or columns are numbered.

What is drawn at random is drawn from this order, so that a graph told in another way has the same draws. Nodes are put
in order by

1. their *color*: whole numbers refined by the colors of the neighbors (Weisfeiler and Leman), starting from the degree.
   Sums of whole numbers modulo 2⁶⁴ are the same in any order, so that colors are exactly the same;
2. among nodes of one color, their *tone*: a number made of their features and those of the neighbors. Rounding, single
   precision or another unit move it a little, and then at most neighbors in the order change places.

Nodes that share both are taken to be alike, and any of them may stand for another. Linear in edges and stored features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kces.graph import Graph
from kces.types import Array, Features, Ints, Words, is_sparse

__all__ = ["Surroundings", "canonical_order", "canonical_orders", "order_of", "structure_colors"]

_ROUNDS = 4
"""Neighborhoods that a color knows of; in most graphs they tell all nodes apart that can be told."""

_FEW_COLORS = 0.01
"""Share of nodes. Below, columns of features are told apart by how they lie on the edges, which takes O(E F)."""

_EDGE_CHUNK = 2**14


def canonical_order(graph: Graph) -> Ints:
    """(N,) all nodes, in an order that no renumbering changes but among nodes that are alike.

    Parameters
    ----------
    graph : its features must be such that they can be squared.

    Examples
    --------
    >>> from kces.datasets.toys import path
    >>> graph = path(4)
    >>> ends, inner = [0, 3], [1, 2]
    >>> sorted(canonical_order(graph)[:2].tolist()) in (ends, inner)
    True
    """
    return order_of(_InMemory(graph))


class Surroundings(Protocol):
    """A graph as far as the order of its nodes needs it: in memory, or on disk and read in parts."""

    @property
    def links(self) -> Ints:
        """(N,) the number of links of each node."""

    def sums_around(self, words: Words) -> Words:
        """(N,) the sum of a word over the neighbors of each node, modulo 2⁶⁴."""

    def shares_around(self, values: Array) -> Array:
        """(N,) the sum of a value over the neighbors of each node, over its degree."""

    def of_nodes(self, columns: Array) -> Array:
        """(N,) features times a value for each column."""

    def of_columns(self, nodes: Array) -> Array:
        """(F,) features, turned, times a value for each node."""

    def agreement_with_neighbors(self) -> Array:
        """(N,) sum of the inner products of each node's features with those of its neighbors."""


@dataclass(frozen=True, eq=False)
class _InMemory:
    graph: Graph

    @property
    def links(self) -> Ints:
        return np.diff(self.graph.adjacency.indptr)

    def sums_around(self, words: Words) -> Words:
        adjacency = self.graph.adjacency
        around = np.concatenate([np.zeros(1, np.uint64), np.cumsum(words[adjacency.indices])])
        return np.diff(around[adjacency.indptr])

    def shares_around(self, values: Array) -> Array:
        return np.asarray(self.graph.adjacency @ values / self.graph.degrees)

    def of_nodes(self, columns: Array) -> Array:
        return np.asarray(self.graph.features @ columns)

    def of_columns(self, nodes: Array) -> Array:
        return np.asarray(self.graph.features.T @ nodes)

    def agreement_with_neighbors(self) -> Array:
        graph, found = self.graph, np.zeros(self.graph.n_nodes)
        for start in range(0, graph.n_edges, _EDGE_CHUNK):
            first, second = graph.edges[start : start + _EDGE_CHUNK].T
            products = _row_products(graph.features[first], graph.features[second])
            found += np.bincount(first, products, graph.n_nodes) + np.bincount(second, products, graph.n_nodes)
        return found


def canonical_orders(graph: Graph) -> tuple[Ints, Ints]:
    """(N,) all nodes and (F,) all columns of the features, in orders that no renumbering changes.

    >>> graph = Graph.from_edges([[0, 1], [1, 2]], [[1.0, 0.0], [2.0, 5.0], [1.0, 0.0]])
    >>> canonical_orders(graph)[1].tolist()
    [0, 1]
    """
    return _orders(_InMemory(graph))


def order_of(told: Surroundings) -> Ints:
    """The order of the nodes of a graph that may be on disk."""
    return _orders(told)[0]


def _orders(told: Surroundings) -> tuple[Ints, Ints]:
    colors = _colors(told)
    sums = _column_sums(told, colors)
    return np.lexsort((_tones(told, sums), colors)), np.argsort(sums, kind="stable")


def structure_colors(graph: Graph) -> Words:
    """(N,) a number for the place of each node in the graph: the same for nodes of like neighborhoods.

    >>> from kces.datasets.toys import star
    >>> len(set(structure_colors(star()).tolist()))
    2
    """
    return _colors(_InMemory(graph))


def _colors(told: Surroundings) -> Words:
    colors = _mixed(told.links.astype(np.uint64))
    for _ in range(_ROUNDS):
        colors = _mixed(colors * _ODD + told.sums_around(_mixed(colors)))
    return colors


def _column_sums(told: Surroundings, colors: Words) -> Array:
    """(F,) a number for each column: its sum, with weights of the nodes that let different columns differ."""
    weight = 0.5 + colors / 2.0**64
    if len(np.unique(colors)) < _FEW_COLORS * len(colors):
        weight = weight + _curved(_scaled(told.agreement_with_neighbors()))
    return _scaled(told.of_columns(weight))


def _tones(told: Surroundings, column_sums: Array) -> Array:
    """(N,) a number for the features of each node and of its neighbors."""
    tones = _scaled(told.of_nodes(column_sums))
    for _ in range(_ROUNDS):
        tones = tones + told.shares_around(_curved(tones))
    return tones


def _row_products(first: Features, second: Features) -> Array:
    if is_sparse(first):
        return np.asarray(first.multiply(second).sum(axis=1)).ravel()
    return np.einsum("ef,ef->e", first, second)


def _scaled(values: Array) -> Array:
    """The values beside a largest of one."""
    largest = np.abs(values).max(initial=0.0)
    return values / largest if largest > 0 else values


def _curved(values: Array) -> Array:
    """A function that is not linear: sums over different sets of nodes would else often be the same.

    >>> float(_curved(np.array([0.0, 2.0])).sum()) == float(_curved(np.array([1.0, 1.0])).sum())
    False
    """
    return np.sin(3.0 * values + 1.0)


_ODD = np.uint64(0x9E3779B97F4A7C15)


def _mixed(words: Words) -> Words:
    """Each word turned into another that looks random: the finishing steps of SplitMix64, one to one."""
    words = words + _ODD
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
