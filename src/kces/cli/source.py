"""From the GRAPH argument to a graph: a file, a built-in name or a data set of the laboratory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.datasets import DATASETS, load_attacked
from kces.datasets.builtin import is_builtin
from kces.errors import InvalidParameterError, UnreadableFileError
from kces.graph import Graph
from kces.interop.graph_files import LoadedGraph, read_graph, write_graph
from kces.interop.node_table import read_labels

__all__ = ["Source", "open_source", "resolve_labels"]


@dataclass(frozen=True, eq=False)
class Source:
    """A graph and how to write it back without some edges."""

    graph: Graph
    file: LoadedGraph | None = None

    def write(self, path: Path, kept: npt.NDArray[np.bool_], *, format: str | None, force: bool) -> None:
        if self.file is not None:
            self.file.write(path, kept, format=format, force=force)
        else:
            write_graph(self.graph.keep_edges(kept), path, format=format, force=force)


def open_source(text: str, *, features: str | None = None, data_root: Path | None = None) -> Source:
    """Open what the user named; a file wins over a data set of the same name."""
    if Path(text).exists():
        loaded = read_graph(text, features=features)
        return Source(loaded.graph, loaded)
    known = is_builtin(text) or text.partition("@")[0] in DATASETS
    if features is not None and known:
        raise InvalidParameterError(f"--features goes with a graph file; {text} has its own features")
    if known:
        return Source(load_attacked(text, data_root=data_root).graph)
    if Path(text).suffix or "/" in text:
        raise UnreadableFileError(f"no such file: {text}")
    raise InvalidParameterError(f"'{text}' is neither a file nor a data set; `kces datasets list` shows the data sets")


def resolve_labels(text: str | None) -> Any:
    """``--labels``: a method's name stays, a file becomes one class per node."""
    if text is None:
        return None
    from kces.scorers.pseudo_labels import CLUSTERINGS  # here: it loads scikit-learn, which most runs do not need

    if text in (*CLUSTERINGS, "given", "train", "none"):
        return text
    if not Path(text).exists():
        raise InvalidParameterError(f"--labels {text} is neither a file nor one of {', '.join(CLUSTERINGS)}, given")
    return read_labels(text)
