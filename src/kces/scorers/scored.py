"""The result of scoring, and the one place that turns scores into kept and removed edges."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kces.automatic_cut import automatic_choice, read_symptoms, unrelated_edges
from kces.company import suspicion_in_company
from kces.cut import AUTO, LABELS, AlphaChoice, Cut, cut_at
from kces.errors import GraphWarning, InvalidParameterError
from kces.graph import Graph
from kces.ranking import pruned_with_ties
from kces.scorers.grounds import Evidence, Texts
from kces.types import Array, Bools

if TYPE_CHECKING:
    import pandas as pd

    from kces.labeled_choice import LabeledChoice

__all__ = ["AUTO", "PAPER_ALPHA", "Fact", "Scored", "table_without_edges"]

PAPER_ALPHA = 0.3
"""What ``auto`` means where scores have no yardstick, as the paper's have none: the middle of its useful range."""

Fact: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of all edges, with how they came about.

    Attributes
    ----------
    graph : what was scored.
    scores : (E,) one number per edge of ``graph.edges``; higher = more suspicious.
    scorer, engine, engine_reason : who computed them, and why this engine.
    facts : the settings behind them, by name, for machines and closing lines.
    evidence : what the scorer knows beyond the scores; reasons and the automatic cut are made of it.
    known_choice, known_suspicion, known_silent, known_unrelated : the automatic ratio, what it cuts by, whom it spares
        and which edges look like random pairs, where they were computed before, as for scores read from a store.
    """

    graph: Graph
    scores: Array
    scorer: str = "given"
    engine: str = "given"
    engine_reason: str = "scores of the caller"
    facts: dict[str, Fact] = field(default_factory=dict)
    evidence: Evidence | None = None
    known_choice: AlphaChoice | None = None
    known_suspicion: Array | None = None
    known_silent: Bools | None = None
    known_unrelated: Bools | None = None

    def __post_init__(self) -> None:
        if len(self.scores) != self.graph.n_edges:
            raise InvalidParameterError(
                f"{len(self.scores)} scores for the {self.graph.n_edges} edges of {self.graph.name}"
            )

    @cached_property
    def automatic(self) -> AlphaChoice:
        """The ratio that the scores themselves suggest."""
        if self.known_choice is not None:
            return self.known_choice
        yardstick = None if self.evidence is None else self.evidence.yardstick
        if yardstick is None:
            return AlphaChoice(PAPER_ALPHA, f"the {self.scorer} score has no automatic cut, so {PAPER_ALPHA} is taken")
        return automatic_choice(yardstick)

    @cached_property
    def labeled(self) -> LabeledChoice:
        """What the labels of train and validation nodes say of the ratios; test labels are not read."""
        from kces.labeled_choice import GRID

        return self.asked_of_labels(GRID)

    def asked_of_labels(self, grid: Sequence[float]) -> LabeledChoice:
        """The same for other ratios than the usual ones; the automatic one is always among them."""
        from kces.labeled_choice import labeled_choice

        tried = AlphaChoice(0.0, "tried", verdict="tried")
        return labeled_choice(
            self.graph,
            lambda alpha: self.cut_by(replace(tried, alpha=alpha)).kept,
            self.automatic,
            grid=grid,
            unrelated=self.unrelated,
        )

    @cached_property
    def unrelated(self) -> Bools | None:
        """(E,) which edges look like random pairs; None where there are none to compare with."""
        yardstick = None if self.evidence is None else self.evidence.yardstick
        if yardstick is None or len(yardstick.random_scores) < 2:
            return self.known_unrelated
        return unrelated_edges(yardstick)

    @cached_property
    def suspicion(self) -> Array:
        """(E,) what cuts are made by where the caller names no number: scores in the company that an edge keeps."""
        if self.known_suspicion is not None:
            return self.known_suspicion
        yardstick = None if self.evidence is None else self.evidence.yardstick
        if yardstick is None or len(yardstick.random_scores) < 2:
            return self.scores
        return suspicion_in_company(self.scores, self.graph.edges, read_symptoms(yardstick).gathering)

    @cached_property
    def _spared(self) -> Bools | None:
        return self.known_silent if self.evidence is None else self.evidence.silent

    def cut_by(self, choice: AlphaChoice, *, ties: str = "whole") -> Cut:
        """Cut as a choice of the scores says, by :attr:`suspicion`."""
        if ties == "whole":
            choice = choice.with_ties(pruned_with_ties(self.suspicion, choice.alpha), self.graph.n_edges)
        cut = cut_at(self.suspicion, choice, self._spared, ties=ties)
        return replace(cut, scores=self.scores, suspicion=self.suspicion)

    def cut(self, alpha: float | str = AUTO, *, ties: str = "whole") -> Cut:
        """Part the edges at ``alpha``, a share in [0, 1], ``auto`` or ``labels`` (Algorithm 1, lines 9 to 11).

        Where no number is named, the company an edge keeps counts beside its score (:mod:`kces.company`), and edges
        about which nothing is known are spared: lack of evidence is no guilt. A cut among equal scores takes none of
        them, or with ``ties="index"`` those of the lower numbers, as Algorithm 1 does.

        >>> from kces.datasets.toys import barbell
        >>> graph = barbell()
        >>> suspicion = np.isin(graph.edges[:, 0], [4]).astype(float)
        >>> graph.edges[~Scored(graph, suspicion).cut(0.04).kept].tolist()
        [[4, 5]]
        """
        if alpha == AUTO:
            cut = self.cut_by(self.automatic, ties=ties)
        elif alpha == LABELS:
            cut = self.cut_by(self.labeled.choice, ties=ties)
        else:
            cut = cut_at(self.scores, AlphaChoice.asked_for(alpha), ties=ties)
        if cut.warning:
            warnings.warn(f"{self.graph.name}: {cut.warning}", GraphWarning, stacklevel=2)
        return cut

    def reasons(self) -> Texts:
        """(E,) one short line per edge that says why; empty for scores without evidence."""
        if self.evidence is None:
            return np.full(self.graph.n_edges, "", dtype=object)
        return self.evidence.reasons(self.graph)

    def table(self, cut: Cut) -> pd.DataFrame:
        """Ranked edges, most suspicious first: ``source, target, score, rank, suspicious, why``."""
        order = cut.order
        ends = [self.graph.ids_of(self.graph.edges[order, end]) for end in (0, 1)]
        return _ranked(*ends, self.scores[order], cut.rank[order], ~cut.kept[order], self.reasons()[order])


def table_without_edges() -> pd.DataFrame:
    """The table of a graph that has none: the same columns, of the same kinds, and no row.

    >>> len(table_without_edges())
    0
    """
    kinds = (object, object, np.float64, np.int64, np.bool_, object)
    return _ranked(*(np.empty(0, dtype=kind) for kind in kinds))


def _ranked(*columns: npt.NDArray[Any]) -> pd.DataFrame:
    import pandas as pd  # half a second, which a cut alone need not wait for

    return pd.DataFrame(dict(zip(("source", "target", "score", "rank", "suspicious", "why"), columns, strict=True)))
