"""The result of scoring, and the one place that turns scores into kept and removed edges."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kces.automatic_cut import automatic_choice
from kces.cut import AlphaChoice, Cut, cut_at
from kces.errors import GraphWarning, InvalidParameterError
from kces.graph import Graph
from kces.scorers.grounds import Evidence, Texts
from kces.types import Array

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AUTO", "PAPER_ALPHA", "Fact", "Scored"]

AUTO = "auto"
"""The value of ``alpha`` that lets the scores decide how many edges go."""

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
    known_choice : the automatic ratio where it was computed before, as for scores read from a store.
    """

    graph: Graph
    scores: Array
    scorer: str = "given"
    engine: str = "given"
    engine_reason: str = "scores of the caller"
    facts: dict[str, Fact] = field(default_factory=dict)
    evidence: Evidence | None = None
    known_choice: AlphaChoice | None = None

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

    def cut(self, alpha: float | str = AUTO) -> Cut:
        """Part the edges at ``alpha``, a share in [0, 1] or ``auto`` (Algorithm 1, lines 9 to 11).

        Edges about which nothing is known are spared by ``auto``: lack of evidence is no guilt.

        >>> from kces.datasets.toys import barbell
        >>> graph = barbell()
        >>> suspicion = np.isin(graph.edges[:, 0], [4]).astype(float)
        >>> graph.edges[~Scored(graph, suspicion).cut(0.04).kept].tolist()
        [[4, 5]]
        """
        if alpha == AUTO:
            spared = None if self.evidence is None else self.evidence.silent
            cut = cut_at(self.scores, self.automatic, spared)
        else:
            cut = cut_at(self.scores, AlphaChoice.asked_for(alpha))
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
        import pandas as pd  # half a second, which a cut alone need not wait for

        order = cut.order
        return pd.DataFrame(
            {
                "source": self.graph.ids_of(self.graph.edges[order, 0]),
                "target": self.graph.ids_of(self.graph.edges[order, 1]),
                "score": self.scores[order],
                "rank": cut.rank[order],
                "suspicious": ~cut.kept[order],
                "why": self.reasons()[order],
            }
        )
