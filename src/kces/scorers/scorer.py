"""The seam: what every way to score edges offers."""

from __future__ import annotations

from typing import ClassVar, Protocol

from kces.graph import Graph
from kces.progress import Progress
from kces.scorers.score_options import ScoreOptions
from kces.scorers.scored import Scored

__all__ = ["Scorer"]


class Scorer(Protocol):
    """Gives every edge of a graph a number: higher = more suspicious.

    To add one: write a class with these three members in a file of its own, made from :class:`ScoreOptions`, and
    enter it in ``kces/offered.py``. Its name then is a preset everywhere: in the functions, the
    estimator, the command line and the laboratory.
    """

    name: ClassVar[str]

    def __init__(self, options: ScoreOptions) -> None: ...

    @staticmethod
    def validate(options: ScoreOptions) -> None:
        """Refuse, in one line, options that this scorer does not have or values that it cannot take."""
        ...

    def score(self, graph: Graph, progress: Progress = ...) -> Scored:
        """Score every edge, in the order of ``graph.edges``."""
        ...
