"""What a scorer can say about its scores, whatever it is: the yardstick of the cut, and reasons for an edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kces.automatic_cut import Yardstick
from kces.features.own_values import OwnValue
from kces.graph import Graph
from kces.types import Bools, Ints

__all__ = ["Evidence", "FeatureReading", "Grounds", "Reading", "Texts"]

Texts: TypeAlias = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Reading:
    """One view of one edge.

    Attributes
    ----------
    view : what is compared, in words.
    weight : share of the view in the score.
    without_edge, with_edge : agreement of the ends, a cosine, on the graph without the edge and with it.
    above_links, above_random : percent of the graph's links, and of random pairs, that agree less.
    """

    view: str
    weight: float
    without_edge: float
    with_edge: float
    above_links: float
    above_random: float


@dataclass(frozen=True)
class FeatureReading:
    """One feature of the two ends.

    Attributes
    ----------
    name : what it is: the column of the caller's table, where there is one.
    source_value, target_value : what the ends have there, as the caller wrote it; None for no value.
    speaks : its share of the cosine, negative where the ends differ; of a column all features made of it.
    """

    name: str
    source_value: OwnValue
    target_value: OwnValue
    speaks: float


@dataclass(frozen=True)
class Grounds:
    """All that is said about one edge.

    Attributes
    ----------
    sentences : in words, the weightiest first.
    readings : the views behind them.
    features_for, features_against : features in which the ends agree and differ most.
    pseudo_labels : clusters of the two ends, where the scorer has any.
    change : change of GKC with its sign, where the scorer has it.
    """

    sentences: tuple[str, ...]
    readings: tuple[Reading, ...] = ()
    features_for: tuple[FeatureReading, ...] = ()
    features_against: tuple[FeatureReading, ...] = ()
    pseudo_labels: tuple[int, int] | None = None
    change: float | None = None


class Evidence(Protocol):
    """What a scorer knows beyond the scores."""

    @property
    def yardstick(self) -> Yardstick | None:
        """What an automatic cut is measured by; None where the scores have no scale of their own."""
        ...

    @property
    def silent(self) -> Bools | None:
        """(E,) edges about which nothing is known: lack of evidence is no guilt, and an automatic cut spares them."""
        ...

    def reasons(self, graph: Graph) -> Texts:
        """(E,) one short line per edge."""
        ...

    def grounds(self, graph: Graph, edge: int, ends: Ints) -> Grounds:
        """Everything about the edge of that number; ``ends`` are its two nodes in the order in which they are told."""
        ...
