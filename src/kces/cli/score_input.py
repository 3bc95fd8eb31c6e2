"""Scoring as the commands do it: open the graph, resolve the labels, show progress."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kces.cli.graph_input import GraphInput, open_input, resolve_labels
from kces.cli.input_options import InputOptions
from kces.cli.options import (
    AlphaOption,
    ClustersOption,
    EncodingOption,
    EngineOption,
    EngineSettingsOption,
    LabelsOption,
    PresetOption,
    RidgeOption,
    SeedOption,
    SignedOption,
)
from kces.cli.output import progress_bar
from kces.cli.settings import parse_settings
from kces.cut import Cut
from kces.errors import InvalidParameterError
from kces.ranking import check_alpha
from kces.scorers import AUTO, LABELS, Scored, ScoreOptions, make_scorer

if TYPE_CHECKING:
    from kces.scorers.paper import PaperScorer

__all__ = ["PaperOptions", "ScoredInput", "ScoringOptions", "parse_alpha", "score_input", "score_opened"]


@dataclass(frozen=True)
class PaperOptions:
    """What pseudo labels, their codes and the ridge are, for commands that speak of the paper's quantities alone."""

    labels: LabelsOption = None
    encoding: EncodingOption = None
    clusters: ClustersOption = None
    ridge: RidgeOption = None
    seed: SeedOption = 0

    def scorer(self) -> PaperScorer:
        """The paper's scorer with these options, checked."""
        from kces.scorers.paper import PaperScorer

        options = ScoreOptions(
            preset=PaperScorer.name,
            labels=resolve_labels(self.labels),
            encoding=self.encoding,
            clusters=self.clusters,
            ridge=self.ridge,
            seed=self.seed,
        )
        return PaperScorer.checked(options)


@dataclass(frozen=True)
class ScoringOptions:
    """How edges are scored and where the cut is."""

    alpha: AlphaOption = AUTO
    preset: PresetOption = "robust"
    labels: LabelsOption = None
    engine: EngineOption = "auto"
    engine_option: EngineSettingsOption = None
    encoding: EncodingOption = None
    clusters: ClustersOption = None
    ridge: RidgeOption = None
    signed: SignedOption = None
    seed: SeedOption = 0

    def checked(self) -> ScoreOptions:
        """The same as the library has them; refuses what is wrong before anything is read."""
        parse_alpha(self.alpha)
        options = ScoreOptions(
            preset=self.preset,
            engine=self.engine,
            engine_options=parse_settings("--engine-option", self.engine_option),
            labels=self.labels,
            encoding=self.encoding,
            clusters=self.clusters,
            ridge=self.ridge,
            signed=self.signed,
            seed=self.seed,
        )
        make_scorer(options)
        return replace(options, labels=resolve_labels(self.labels))


@dataclass(frozen=True, eq=False)
class ScoredInput:
    """GRAPH, opened, scored and cut."""

    opened: GraphInput
    scored: Scored
    cut: Cut
    seed: int

    def facts(self) -> dict[str, object]:
        """How scores and cut came about, for ``--json``."""
        scored, cut = self.scored, self.cut
        return {
            "graph": scored.graph.name,
            "nodes": scored.graph.n_nodes,
            "edges": scored.graph.n_edges,
            "preset": scored.scorer,
            "engine": scored.engine,
            "engine_reason": scored.engine_reason,
            **scored.facts,
            "seed": self.seed,
            "repairs": str(scored.graph.repairs),
            **cut.choice.facts(),
            "read": self.opened.reading(),
        }

    def closing_lines(self) -> list[str]:
        """How the files were read, which score it is and how it was computed, and why the cut is where it is."""
        scored, facts = self.scored, self.scored.facts
        clusters = f"; k = {facts['clusters']} ({facts['clusters_by']})" if "clusters" in facts else ""
        return [
            *self.opened.reading(),
            f"preset {scored.scorer}, engine {scored.engine} ({scored.engine_reason}){clusters}; {self.cut.choice}",
        ]


def score_input(graph: str, inputs: InputOptions, scoring: ScoringOptions, *, quiet: bool) -> ScoredInput:
    """Open GRAPH, score its edges and cut them."""
    scoring.checked()  # a wrong option is refused before a large file is read
    return score_opened(open_input(graph, inputs), scoring, quiet=quiet)


def score_opened(opened: GraphInput, scoring: ScoringOptions, *, quiet: bool) -> ScoredInput:
    """Score the edges of a graph that is open and cut them."""
    options = scoring.checked()
    with progress_bar(quiet=quiet) as progress:
        scored = make_scorer(options).score(opened.graph, progress)
    return ScoredInput(opened, scored, scored.cut(parse_alpha(scoring.alpha)), scoring.seed)


def parse_alpha(text: str) -> float | str:
    """``--alpha``: a number, ``auto`` or ``labels``.

    >>> parse_alpha("0.2"), parse_alpha("labels")
    (0.2, 'labels')
    """
    if text in (AUTO, LABELS):
        return text
    try:
        return check_alpha(float(text))
    except ValueError:
        raise InvalidParameterError(f"alpha must lie in [0, 1], or be auto or labels; got {text}") from None
