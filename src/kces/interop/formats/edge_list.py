"""Edge lists as text: CSV, TSV and whitespace-separated files. Kept lines are written back as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from kces.errors import AmbiguousInputError, InvalidParameterError, UnreadableFileError
from kces.features.written_numbers import has_decimal_commas
from kces.graph import Graph
from kces.interop.adjacency_tables import refuse_adjacency
from kces.interop.edge_columns import EndColumns
from kces.interop.edge_records import EdgeRecords, column_names, typed_columns
from kces.interop.end_choice import EndChoice, choose_ends
from kces.interop.end_names import WEIGHT_NAMES, known_pairs
from kces.interop.formats.base import EdgeOptions, Format, Request, edge_list_format
from kces.interop.header_evidence import edge_list_has_header
from kces.interop.nested_cells import with_nested_as_text
from kces.interop.outputs import plain_name
from kces.interop.text_table import TextTable, parse_text_table, refuse_title
from kces.types import Bools

__all__ = ["CSV", "EDGES", "TSV", "TextRecords", "TextStyle", "text_style", "write_delimited"]


@dataclass(frozen=True, eq=False)
class TextRecords(EdgeRecords):
    """The rows of a text file, its lines and its name's ending; the first ``skipped`` records are the header."""

    table: TextTable = field(kw_only=True, repr=False)
    skipped: int = field(kw_only=True)
    ending: str = field(kw_only=True)

    def values(self) -> pd.DataFrame:
        """All columns; numbers in text are numbers where they come back as they were."""
        return typed_columns(self.frame)


def _read(request: Request, *, separators: Sequence[str]) -> tuple[Graph, TextRecords]:
    path = request.path
    table = parse_text_table(request.read(), path, separators=separators, delimiter=request.edges.delimiter)
    width = table.cells.shape[1]
    if width < 2:
        raise UnreadableFileError(f"{path} is no edge list: it has one column, and an edge has two ends")
    refuse_adjacency(table.cells, path)
    refuse_title(table, path)
    skipped = int(_has_header(table, request.edges, path))
    if skipped:
        _refuse_second_header(table, path)
    header = [str(cell).strip() for cell in table.cells.iloc[0]] if skipped else None
    cells = table.cells.iloc[skipped:].reset_index(drop=True)
    ends = choose_ends(cells, header, path, source=request.edges.source, target=request.edges.target)
    names = column_names(header, width, ends)
    weight = next((place for place, name in enumerate(header or []) if name.lower() in WEIGHT_NAMES), None)
    columns = EndColumns(
        sources=cells[ends[0]].str.strip().to_numpy(dtype=object),
        targets=cells[ends[1]].str.strip().to_numpy(dtype=object),
        where=lambda record: table.where(record + skipped),
        names=None if header is None else (names[ends[0]], names[ends[1]]),
    )
    weights = None if weight is None else cells[weight].to_numpy(dtype=object)
    graph, pairs, notes = columns.to_graph(path, request.table, request.labels, weights)
    choice = EndChoice(*ends, names, table.where(0) if skipped else None)
    frame = cells.set_axis(list(names), axis=1)
    return graph, TextRecords(
        frame, pairs, choice, notes, table=table, skipped=skipped, ending=plain_name(path).suffix.lower()
    )


def _has_header(table: TextTable, options: EdgeOptions, path: Path) -> bool:
    """As the caller says, or as a column's name given by the caller says, or as the cells say; else asked."""
    if options.header is not None:
        return options.header
    first = [str(cell).strip() for cell in table.cells.iloc[0]]
    given = [str(name).strip().lower() for name in (options.source, options.target) if name is not None]
    words = [name for name in given if not name.isdecimal()]
    strange = [name for name in words if name not in [cell.lower() for cell in first]]
    if strange:
        shown = ", ".join(repr(cell) for cell in first)
        raise InvalidParameterError(f"{path} has no column {strange[0]!r}; its {table.where(0)} has {shown}")
    if words:
        return True
    found = edge_list_has_header(table.cells)
    if found is None:
        if known_pairs(first):
            _refuse_second_header(table, path)
        shown = table.lines[table.spans[0][0]].strip()[:60]
        raise AmbiguousInputError(f"{path}: is {table.where(0)} ({shown}) a header or an edge?", ("header",))
    return found


def _refuse_second_header(table: TextTable, path: Path) -> None:
    """Files put together one below the other have their header again in between."""
    first = table.cells.iloc[0]
    begins_alike = np.flatnonzero(table.cells.iloc[1:, 0] == first.iloc[0]) + 1
    again = [record for record in begins_alike if (table.cells.iloc[record] == first).all()]
    if again:
        raise UnreadableFileError(
            f"{path} {table.where(int(again[0]))} has the header of {table.where(0)} again; delete it"
        )


def _write_filtered(graph: Graph, payload: TextRecords, kept: Bools, path: Path) -> None:
    table = payload.table
    dropped = np.zeros(len(table.lines), dtype=bool)
    for record in np.flatnonzero(~payload.survives(graph, kept)):
        start, stop = table.spans[record + payload.skipped]
        dropped[start:stop] = True
    text = "".join(line for line, drop in zip(table.lines, dropped, strict=True) if not drop)
    path.write_bytes(table.stored.encoded(text))


class TextStyle(NamedTuple):
    """How a file of text is written, so that what is made of it opens in the program that wrote it.

    Attributes
    ----------
    delimiter : what is between the cells.
    decimal : what is before decimals.
    encoding : of the text, with or without a mark in front.
    """

    delimiter: str
    decimal: str = "."
    encoding: str = "utf-8"


def text_style(records: object) -> TextStyle | None:
    """The style of the file that edges came from; None where it was no text, or no cells with a sign between them."""
    if not isinstance(records, TextRecords):
        return None
    if records.table.delimiter not in ((",", ";", "|", "\t") if records.ending == ".csv" else (",", ";", "|")):
        return None
    delimiter, stored = records.table.delimiter, records.table.stored
    decimal = "," if delimiter != "," and has_decimal_commas(records.frame) else "."
    marked = "utf-8-sig" if stored.encoding == "utf-8" else "utf-16"
    return TextStyle(delimiter, decimal, marked if stored.mark else "utf-8")


def write_delimited(frame: pd.DataFrame, path: Path, *, style: TextStyle) -> None:
    """A table as delimited text with its names on top; lists and objects in cells are JSON."""
    delimiter, decimal, encoding = style
    cells = with_nested_as_text(frame)
    cells.to_csv(path, sep=delimiter, decimal=decimal, encoding=encoding, index=False, lineterminator="\n")


def _format(name: str, extensions: tuple[str, ...], separators: Sequence[str], delimiter: str) -> Format:
    read, write_table = partial(_read, separators=separators), partial(write_delimited, style=TextStyle(delimiter))
    return edge_list_format(name, extensions, read, _write_filtered, write_table, packs=True, typed=False)


CSV = _format("csv", (".csv",), (",", ";", "\t", "|", " "), ",")
TSV = _format("tsv", (".tsv", ".tab"), ("\t", ",", ";", "|", " "), "\t")
# In free text a comma may be part of a word: white space is tried before it.
EDGES = _format("edges", (".txt", ".edges", ".edgelist"), ("\t", " ", ",", ";", "|"), "\t")
