"""Scoring as the commands do it: open the graph, resolve the labels, show progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kces.cli.output import progress_bar
from kces.cli.settings import parse_settings
from kces.cli.source import Source, open_source, resolve_labels
from kces.errors import InvalidParameterError
from kces.presets import Recipe
from kces.pseudo_labels import PseudoLabels
from kces.ranking import check_alpha
from kces.scoring import Scored
from kces.scoring import score as score_graph

__all__ = ["describe", "parse_alpha", "score_source"]


def score_source(
    graph: str,
    *,
    features: str | None,
    labels: str | None,
    engine_option: list[str] | None,
    preset: str,
    quiet: bool,
    data_root: Path | None,
    **options: Any,
) -> tuple[Source, Scored]:
    """Open GRAPH and score its edges."""
    settings = parse_settings("--engine-option", engine_option)
    if settings and preset == "robust":
        raise InvalidParameterError("preset robust has its own engine, without options; use --preset paper")
    options |= {"preset": preset, "engine_options": settings}
    source = open_source(graph, features=features, data_root=data_root)
    with progress_bar(quiet=quiet) as progress:
        scored = score_graph(source.graph, labels=resolve_labels(labels), progress=progress, **options)
    return source, scored


def describe(scored: Scored, *, preset: str, seed: int) -> dict[str, Any]:
    """How the scores came about, for ``--json`` and the closing line."""
    return {
        "graph": scored.graph.name,
        "nodes": scored.graph.n_nodes,
        "edges": scored.graph.n_edges,
        "preset": preset,
        "engine": scored.engine,
        "engine_reason": scored.engine_reason,
        **_labelling(scored.recipe, scored.pseudo),
        "seed": seed,
        "repairs": str(scored.graph.repairs),
    }


def _labelling(recipe: Recipe, pseudo: PseudoLabels | None) -> dict[str, Any]:
    if pseudo is None:
        return {"labels": recipe.labels}
    return {
        "labels": pseudo.method,
        "clusters": pseudo.k,
        "clusters_by": pseudo.chosen_by,
        "encoding": recipe.encoding,
        "ridge": recipe.ridge,
        "signed": recipe.signed,
    }


def parse_alpha(text: str | None, preset: str) -> float | str:
    """``--alpha``: a number or ``auto``; by default auto where the preset has it, else 0.3."""
    if text is None:
        return "auto" if preset == "robust" else 0.3
    if text == "auto":
        return text
    try:
        return check_alpha(float(text))
    except ValueError:
        raise InvalidParameterError(f"alpha must lie in [0, 1], or be auto; got {text}") from None
