"""Views: the questions that the robust score asks about a pair of nodes. Each is an entry of a list.

To add one: write a class with the members of :class:`View` here or in a file of its own, and put it into the list that
:func:`standard_views` returns. Weights, reasons, report and study take it from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from kces.graph import Graph
from kces.progress import Progress, silent
from kces.scorers.feature_spaces import FeatureSpace, LowRankSpace, centered_space
from kces.scorers.link_cosines import HOPS, leave_edge_out_cosines
from kces.types import Array, Ints

__all__ = ["FEATURES", "HopView", "View", "feature_patterns", "standard_views"]


class View(Protocol):
    """Compares the ends of pairs; every column is a cosine, 1 for ends that agree and 0 for unrelated ones.

    Attributes
    ----------
    name : short, without blanks, for machines.
    columns : what each column compares, in words that complete "the two ends agree in …".
    own_features : (k,) for each column, whether it is void where the features alone cannot tell nodes apart.
    """

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def own_features(self) -> tuple[bool, ...]: ...

    def __call__(self, graph: Graph, pairs: Ints, progress: Progress = ...) -> Array:
        """(P, k) agreement of the ends of each pair, on the graph without the link between them."""
        ...

    def with_link(self) -> View:
        """The same view with the link left in place."""
        ...


# An end itself, its neighbors, its wider neighborhood: how many hops its features were spread.
_WORDS: Mapping[tuple[int, int], str] = MappingProxyType(
    {
        (0, 0): "own {space}",
        (0, 1): "{space} vs. neighbors",
        (0, 2): "{space} vs. wider neighborhood",
        (2, 2): "{space} of the neighborhoods",
    }
)


@dataclass(frozen=True)
class HopView:
    """Cosines of the ends in one feature space, at pairs of hops: see :func:`leave_edge_out_cosines`.

    Attributes
    ----------
    name : of the view, for machines.
    noun : what the space holds, in words.
    space : makes the rows that are compared.
    hops : pairs of hops, a part of ``HOPS``; one column each.
    leave_out : compare on the graph without the link, so that an edge cannot vouch for itself.
    needs_own_features : the whole view is void where the features alone cannot tell nodes apart.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> graph = barbell()
    >>> FEATURES(graph, graph.edges).shape
    (21, 4)
    >>> FEATURES.columns[3]
    'features of the neighborhoods'
    """

    name: str
    noun: str
    space: FeatureSpace
    hops: tuple[tuple[int, int], ...] = HOPS
    leave_out: bool = True
    needs_own_features: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(_WORDS[pair].format(space=self.noun) for pair in self.hops)

    @property
    def own_features(self) -> tuple[bool, ...]:
        return tuple(self.needs_own_features or 0 in pair for pair in self.hops)

    def __call__(self, graph: Graph, pairs: Ints, progress: Progress = silent) -> Array:
        rows = self.space(graph)
        cosines = leave_edge_out_cosines(graph, rows, pairs, leave_out=self.leave_out, progress=progress)
        return cosines[:, [HOPS.index(pair) for pair in self.hops]]

    def with_link(self) -> HopView:
        return replace(self, leave_out=False)


FEATURES = HopView("features", "features", centered_space)
"""The features themselves; its first column also tells whether features can tell nodes apart at all."""


def feature_patterns(seed: int = 0) -> HopView:
    """The leading directions of the smoothed features; fitted to features that merely number nodes, they would
    memorize the edges.

    >>> feature_patterns().columns[0]
    'own feature patterns'
    """
    return HopView("patterns", "feature patterns", LowRankSpace(seed=seed), needs_own_features=True)


def standard_views(*, seed: int = 0) -> tuple[View, ...]:
    """The list behind preset robust: features and their leading directions.

    >>> [view.name for view in standard_views()]
    ['features', 'patterns']
    """
    return (FEATURES, feature_patterns(seed))
