"""From the GRAPH argument to a graph: a file, a built-in name or a data set of the laboratory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from kces.atomic import check_output, is_standard_output
from kces.cli.input_options import InputOptions, asked_with_options
from kces.datasets import DATASETS, load_attacked
from kces.datasets.attacked import AttackedGraph
from kces.datasets.builtin import is_builtin
from kces.errors import AmbiguousInputError, InvalidParameterError, UnreadableFileError
from kces.graph import Graph
from kces.interop.edge_records import EdgeRecords
from kces.interop.graph_files import LoadedGraph, read_graph, write_graph
from kces.interop.limits import STANDARD_STREAM
from kces.interop.node_labels import read_labels
from kces.interop.scored_rows import result_names
from kces.offered import CLUSTERINGS
from kces.scale.folder_writer import check_new_folder
from kces.scale.graph_folder import GraphFolder, is_address
from kces.types import Bools

__all__ = ["GraphInput", "check_target", "open_input", "resolve_labels"]


@dataclass(frozen=True, eq=False)
class GraphInput:
    """A graph and how to write it back without some edges.

    Attributes
    ----------
    graph : what is scored.
    file : where it came from, unless it is a data set.
    clean : the graph before an attack, where that is known.
    """

    graph: Graph
    file: LoadedGraph | None = None
    clean: Graph | None = None

    @property
    def injected(self) -> Bools | None:
        """Mask of the edges that the attack put in."""
        return None if self.clean is None else AttackedGraph(self.graph, self.clean).is_added

    @property
    def records(self) -> EdgeRecords | None:
        """The rows of the file, if it is an edge list."""
        return None if self.file is None else self.file.records

    def reading(self) -> list[str]:
        """How the files were read, one line each, for people."""
        columns = [] if self.records is None else [str(self.records)]
        return columns + ([] if self.file is None else [f"features: {note}" for note in self.file.notes])

    def renamed(self, results: pd.DataFrame) -> list[str]:
        """A line about columns of results whose names the file has already."""
        taken = [] if self.records is None else list(self.records.frame.columns)
        pairs = zip(results.columns, result_names(taken, list(results.columns)), strict=True)
        changed = [f"{name} is {other}" for name, other in pairs if name != other]
        return [f"{self.graph.name} has such columns already: {', '.join(changed)}"] if changed else []

    def write(self, path: Path, kept: Bools, *, format: str | None, force: bool) -> None:
        if self.file is not None:
            self.file.write(path, kept, format=format, force=force)
        else:
            write_graph(self.graph.keep_edges(kept), path, format=format, force=force)


def open_input(text: str, options: InputOptions) -> GraphInput:
    """Open what the user named; a file wins over a data set of the same name, and ``-`` is standard input."""
    if text == str(STANDARD_STREAM) or Path(text).exists():
        loaded = _read(text, options)
        return GraphInput(loaded.graph, loaded)
    if is_address(text):
        return GraphInput(GraphFolder.open(text).to_graph())
    known = is_builtin(text) or text.partition("@")[0] in DATASETS
    if options.features is not None and known:
        raise InvalidParameterError(f"--features goes with a graph file; {text} has its own features")
    if known and options.about_tables:
        raise InvalidParameterError(f"{text} is a data set; options about columns go with files")
    if known:
        attacked = load_attacked(text, data_root=options.data_root)
        return GraphInput(attacked.graph, clean=None if attacked.clean is attacked.graph else attacked.clean)
    if Path(text).suffix or "/" in text:
        raise UnreadableFileError(f"no such file: {text}")
    raise InvalidParameterError(f"'{text}' is neither a file nor a data set; `kces datasets list` shows the data sets")


def check_target(path: Path, *, json: bool, force: bool, is_folder: bool = False) -> bool:
    """Refuse early an output that could not be written, a graph folder or a file; true if it is standard output."""
    if is_folder:
        check_new_folder(path, force=force)
        return False
    to_stdout = is_standard_output(path)
    if to_stdout and json:
        raise InvalidParameterError(f"--json and -o {path} both write to standard output; choose one")
    if path != STANDARD_STREAM:
        check_output(path, force=force)
    return to_stdout


def resolve_labels(text: str | None) -> Any:
    """``--labels``: a method's name stays, a file becomes one class per node."""
    if text is None:
        return None
    if text in (*CLUSTERINGS, "given"):
        return text
    if not Path(text).exists():
        raise InvalidParameterError(f"--labels {text} is neither a file nor one of {', '.join(CLUSTERINGS)}, given")
    return read_labels(text)


def _read(text: str, options: InputOptions) -> LoadedGraph:
    try:
        return read_graph(
            text,
            features=options.features,
            format=options.input_format,
            source=options.source,
            target=options.target,
            delimiter=options.delimiter,
            header=options.header,
            id_column=options.id_column,
            columns=options.used_columns,
            drop_columns=options.dropped_columns,
            scale=options.scale,
        )
    except AmbiguousInputError as error:
        raise asked_with_options(error) from error
