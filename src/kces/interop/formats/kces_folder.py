"""Graph folders (``.kces``): the whole graph in memory, for the commands that need it so."""

from __future__ import annotations

from pathlib import Path

from kces.errors import UnreadableFileError
from kces.graph import Graph
from kces.interop.formats.base import Format, Request
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder
from kces.types import Bools

__all__ = ["KCES_FOLDER"]


def _read(request: Request) -> tuple[Graph, GraphFolder]:
    if not request.path.is_dir():
        request.read()  # what is wrong with a file in general comes first
        raise UnreadableFileError(f"{request.path} is not a readable kces folder: it is a file")
    folder = GraphFolder.open(request.path)
    folder.verify()
    return folder.to_graph(), folder


def _write_filtered(graph: Graph, payload: GraphFolder, kept: Bools, path: Path) -> None:
    write_graph_folder(graph.keep_edges(kept), path, force=True, source=str(payload.path))


def _write_graph(graph: Graph, path: Path) -> None:
    write_graph_folder(graph, path, force=True)


KCES_FOLDER = Format("kces", (".kces",), _read, _write_filtered, _write_graph, is_folder=True)
