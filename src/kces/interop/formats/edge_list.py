"""Edge lists as text: CSV, TSV and whitespace-separated files. Kept lines are written back as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import UnreadableFileError
from kces.graph import Graph
from kces.interop.edge_columns import END_NAMES, WEIGHT_NAMES, EndColumns, find_end_columns
from kces.interop.formats.base import Format, Request
from kces.interop.records import surviving_records
from kces.interop.text_table import WHITESPACE, read_text_table

__all__ = ["CSV", "EDGES", "TSV"]


@dataclass(frozen=True)
class _Lines:
    """The file's lines, and which of them is which edge."""

    lines: list[str]
    line_of: list[int]
    pairs: npt.NDArray[np.int64]


def _read(request: Request, *, separators: Sequence[str]) -> tuple[Graph, _Lines]:
    path = request.path
    table = read_text_table(path, separators=separators, header_names=END_NAMES)
    if table.cells.shape[1] < 2:
        raise UnreadableFileError(f"{path} is no edge list: it has one column, and an edge has two ends")
    source, target = find_end_columns(table.columns)
    weight = next((c for c, name in enumerate(table.columns or []) if name.lower() in WEIGHT_NAMES), None)
    ends = EndColumns(
        sources=table.cells[source].str.strip().to_numpy(dtype=object),
        targets=table.cells[target].str.strip().to_numpy(dtype=object),
        where=table.where,
    )
    weights = None if weight is None else table.cells[weight]
    graph, pairs = ends.to_graph(path, request.node_table(), request.labels, weights)
    return graph, _Lines(table.lines, table.line_of, pairs)


def _write_filtered(graph: Graph, payload: _Lines, kept: npt.NDArray[np.bool_], path: Path) -> None:
    survives = surviving_records(graph, kept, payload.pairs[:, 0], payload.pairs[:, 1])
    dropped = {payload.line_of[record] for record in np.flatnonzero(~survives)}
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(line for number, line in enumerate(payload.lines) if number not in dropped)


def _write_graph(graph: Graph, path: Path, *, separator: str) -> None:
    source, target = (graph.ids_of(graph.edges[:, end]) for end in (0, 1))
    pd.DataFrame({"source": source, "target": target}).to_csv(path, sep=separator, index=False, lineterminator="\n")


def _format(name: str, extensions: tuple[str, ...], separators: Sequence[str], separator: str) -> Format:
    return Format(
        name=name,
        extensions=extensions,
        read=partial(_read, separators=separators),
        write_filtered=_write_filtered,
        write_graph=partial(_write_graph, separator=separator),
    )


CSV = _format("csv", (".csv",), (",", ";", "\t", WHITESPACE), ",")
TSV = _format("tsv", (".tsv", ".tab"), ("\t", ",", ";", WHITESPACE), "\t")
# In free text a comma may be part of a word: whitespace is tried first.
EDGES = _format("edges", (".txt", ".edges", ".edgelist"), ("\t", WHITESPACE, ",", ";"), "\t")
