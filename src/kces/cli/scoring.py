"""Scoring as the commands do it: open the graph, resolve the labels, show progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kces.cli.output import progress_bar
from kces.cli.source import Source, open_source, resolve_labels
from kces.scoring import Scored
from kces.scoring import score as score_graph

__all__ = ["describe", "score_source"]


def score_source(
    graph: str, *, features: str | None, labels: str | None, quiet: bool, data_root: Path | None, **options: Any
) -> tuple[Source, Scored]:
    """Open GRAPH and score its edges."""
    source = open_source(graph, features=features, data_root=data_root)
    with progress_bar(quiet=quiet) as progress:
        scored = score_graph(source.graph, labels=resolve_labels(labels), progress=progress, **options)
    return source, scored


def describe(scored: Scored, *, preset: str, seed: int) -> dict[str, Any]:
    """How the scores came about, for ``--json`` and the closing line."""
    recipe = scored.recipe
    return {
        "graph": scored.graph.name,
        "nodes": scored.graph.n_nodes,
        "edges": scored.graph.n_edges,
        "preset": preset,
        "engine": scored.engine,
        "engine_reason": scored.engine_reason,
        "labels": scored.pseudo.method,
        "clusters": scored.pseudo.k,
        "clusters_by": scored.pseudo.chosen_by,
        "encoding": recipe.encoding,
        "ridge": recipe.ridge,
        "signed": recipe.signed,
        "seed": seed,
        "repairs": str(scored.graph.repairs),
    }
