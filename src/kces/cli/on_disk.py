"""Whether GRAPH is scored on disk: asked before every score, so nothing heavy is loaded for a graph in memory."""

from __future__ import annotations

import warnings

from kces.cli.input_options import InputOptions
from kces.cli.score_input import ScoringOptions
from kces.errors import GraphWarning, InvalidParameterError
from kces.memory import format_bytes, require_memory
from kces.scale.graph_folder import GraphFolder, is_graph_folder

__all__ = ["stays_on_disk"]

_WORTH_A_WORD = 2**30
"""Bytes that a graph may take in memory before it is said."""
_SCORED_PER_EDGE = 740
"""Bytes that scoring holds beside the graph, as measured for preset robust on graphs without features."""


def stays_on_disk(graph: str, inputs: InputOptions, scoring: ScoringOptions) -> bool:
    """Whether GRAPH is a folder that is scored where it lies; else it is read into memory."""
    if not is_graph_folder(graph):
        return False
    if inputs.about_tables or inputs.features is not None:
        raise InvalidParameterError(f"{graph} has its own features; options about tables go with kces convert")
    folder = GraphFolder.open(graph)
    if not (reason := _why_in_memory(folder, scoring)):
        return True
    needed = folder.memory_needed + _SCORED_PER_EDGE * folder.n_edges
    require_memory(needed, f"{graph}, which is scored in memory ({reason}),", "use a larger machine")
    if needed > _WORTH_A_WORD:
        said = f"{graph} is scored in memory, {format_bytes(needed)} or more: {reason}"
        warnings.warn(said, GraphWarning, stacklevel=3)
    return False


def _why_in_memory(folder: GraphFolder, scoring: ScoringOptions) -> str:
    if scoring.preset != "robust":
        return f"preset {scoring.preset} solves for all nodes at once"
    from kces.scale.robust_on_disk import streams  # loads numba, which a graph in memory may not need

    return streams(folder)
