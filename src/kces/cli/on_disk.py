"""Whether GRAPH is scored on disk: asked before every score, so nothing heavy is loaded for a graph in memory."""

from __future__ import annotations

from kces.cli.input_options import InputOptions
from kces.cli.scale_options import ScaleOptions
from kces.cli.score_input import ScoringOptions
from kces.errors import InvalidParameterError
from kces.scale.graph_folder import GraphFolder, is_graph_folder

__all__ = ["stays_on_disk"]


def stays_on_disk(graph: str, inputs: InputOptions, scoring: ScoringOptions, scale: ScaleOptions) -> bool:
    """Whether GRAPH is a folder that is scored where it lies; else it is read into memory."""
    if not is_graph_folder(graph):
        scale.refuse(graph)
        return False
    if inputs.about_tables or inputs.features is not None:
        raise InvalidParameterError(f"{graph} has its own features; options about tables go with kces convert")
    if scoring.preset == "paper":
        return False
    if scoring.preset != "robust":
        scale.refuse(graph, f"preset {scoring.preset} is not computed on disk")
        return False
    from kces.scale.robust_on_disk import streams  # loads numba, which a graph in memory may not need

    if reason := streams(GraphFolder.open(graph)):
        scale.refuse(graph, f"it cannot be scored on disk: {reason}")
        return False
    return True
