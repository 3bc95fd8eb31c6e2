"""Scoring as the commands do it: open the graph, resolve the labels, show progress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kces.cli.graph_input import GraphInput, open_input, resolve_labels
from kces.cli.output import progress_bar
from kces.cli.settings import parse_settings
from kces.cli.table_options import TableOptions
from kces.cut import Cut
from kces.errors import InvalidParameterError
from kces.ranking import check_alpha
from kces.scorers import AUTO, Scored, ScoreOptions, make_scorer

__all__ = ["closing_line", "parse_alpha", "run_facts", "score_input", "score_options"]


def score_options(
    *,
    preset: str,
    engine: str,
    engine_option: list[str] | None,
    labels: str | None,
    encoding: str | None,
    clusters: int | None,
    ridge: float | None,
    signed: bool | None,
    seed: int,
) -> ScoreOptions:
    """The options of the command line as the library has them, checked before anything is read."""
    options = ScoreOptions(
        preset=preset,
        engine=engine,
        engine_options=parse_settings("--engine-option", engine_option),
        labels=labels,
        encoding=encoding,
        clusters=clusters,
        ridge=ridge,
        signed=signed,
        seed=seed,
    )
    make_scorer(options)
    return replace(options, labels=resolve_labels(labels))


def score_input(
    graph: str,
    options: ScoreOptions,
    *,
    features: str | None,
    tables: TableOptions | None = None,
    quiet: bool,
    data_root: Path | None,
) -> tuple[GraphInput, Scored]:
    """Open GRAPH and score its edges."""
    source = open_input(graph, features=features, tables=tables, data_root=data_root)
    with progress_bar(quiet=quiet) as progress:
        scored = make_scorer(options).score(source.graph, progress)
    return source, scored


def run_facts(scored: Scored, cut: Cut, *, seed: int) -> dict[str, object]:
    """How scores and cut came about, for ``--json``."""
    return {
        "graph": scored.graph.name,
        "nodes": scored.graph.n_nodes,
        "edges": scored.graph.n_edges,
        "preset": scored.scorer,
        "engine": scored.engine,
        "engine_reason": scored.engine_reason,
        **scored.facts,
        "seed": seed,
        "repairs": str(scored.graph.repairs),
        "alpha": cut.alpha,
        "alpha_reason": cut.choice.reason,
    }


def closing_line(scored: Scored, cut: Cut) -> str:
    """One line: which score, how it was computed, and why the cut is where it is."""
    clusters = f"; k = {scored.facts['clusters']} ({scored.facts['clusters_by']})" if "clusters" in scored.facts else ""
    return (
        f"preset {scored.scorer}, engine {scored.engine} ({scored.engine_reason}){clusters}; "
        f"alpha {cut.alpha:.3g}: {cut.choice.reason}"
    )


def parse_alpha(text: str) -> float | str:
    """``--alpha``: a number or ``auto``.

    >>> parse_alpha("0.2"), parse_alpha("auto")
    (0.2, 'auto')
    """
    if text == AUTO:
        return text
    try:
        return check_alpha(float(text))
    except ValueError:
        raise InvalidParameterError(f"alpha must lie in [0, 1], or be auto; got {text}") from None
