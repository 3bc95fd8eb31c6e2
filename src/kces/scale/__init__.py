"""Beyond one machine's memory: graphs on disk, chunks of edges, checkpoints, and workers that share them.

A graph on disk is a folder (:class:`GraphFolder`); :func:`convert` makes one. Scores are computed over chunks of its
edges, in this process or on a Dask cluster, by the same code: :func:`score_folder` with ``backend="dask"``, and
:func:`cut_folder`. :func:`score_in_run` scores a graph in memory and keeps what is finished.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kces.scale.convert_graph import convert
    from kces.scale.graph_folder import GraphFolder, is_graph_folder
    from kces.scale.robust_on_disk import FolderScores, score_folder
    from kces.scale.score_in_run import score_in_run
    from kces.scale.streamed_cut import FolderCut, cut_folder

_LAZY = {
    "FolderCut": "kces.scale.streamed_cut",
    "FolderScores": "kces.scale.robust_on_disk",
    "GraphFolder": "kces.scale.graph_folder",
    "convert": "kces.scale.convert_graph",
    "cut_folder": "kces.scale.streamed_cut",
    "is_graph_folder": "kces.scale.graph_folder",
    "score_folder": "kces.scale.robust_on_disk",
    "score_in_run": "kces.scale.score_in_run",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:  # imported on first use: formats ask for this package, and few need all of it
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'kces.scale' has no attribute '{name}'")


__all__ = [
    "FolderCut",
    "FolderScores",
    "GraphFolder",
    "convert",
    "cut_folder",
    "is_graph_folder",
    "score_folder",
    "score_in_run",
]
