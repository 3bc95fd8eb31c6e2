"""Edge lists as JSON: a list of records (also under ``edges`` or ``links``), or one record per line."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from kces.errors import GraphWarning
from kces.graph import Graph
from kces.interop.edge_records import EdgeRecords
from kces.interop.formats.base import Format, Request, edge_list_format
from kces.interop.json_records import JsonRecords, json_frame, json_lines, json_records, plain_records
from kces.interop.text_table import StoredText, text_in
from kces.interop.typed_edges import graph_from_frame
from kces.types import Bools

__all__ = ["JSON", "JSONL"]


@dataclass(frozen=True, eq=False)
class _StoredRecords(EdgeRecords):
    """The rows and the text that they stand in."""

    stored: StoredText = field(kw_only=True, repr=False)
    found: JsonRecords = field(kw_only=True, repr=False)


def _read(request: Request, *, parse: Callable[[str, Path], JsonRecords]) -> tuple[Graph, _StoredRecords]:
    path = request.path
    stored = text_in(request.read(), path)
    found = parse(stored.text, path)
    has_names = isinstance(found.records[0], dict)
    frame = json_frame(found.records, path)
    if request.table is None:
        _warn_of_nodes(stored.text, path)
    graph, rows = graph_from_frame(frame, request, has_names=has_names, where=lambda row: f"record {row + 1}")
    return graph, _StoredRecords(rows.frame, rows.pairs, rows.choice, rows.notes, stored=stored, found=found)


def _warn_of_nodes(text: str, path: Path) -> None:
    """Say that what a node-link document tells about its nodes is not used, unless it is only their names."""
    start = text[:4096].lstrip()
    document = json.loads(text) if start.startswith("{") and '"nodes"' in text else None
    nodes = document.get("nodes") if isinstance(document, dict) else None
    if isinstance(nodes, list) and any(isinstance(node, dict) and len(node) > 1 for node in nodes):
        warnings.warn(
            f"{path} describes {len(nodes)} nodes, which is not used; name the file as the features too to use it",
            GraphWarning,
            stacklevel=2,
        )


def _write_filtered(graph: Graph, payload: _StoredRecords, kept: Bools, path: Path) -> None:
    dropped = set(np.flatnonzero(~payload.survives(graph, kept)).tolist())
    text = payload.found.without(payload.stored.text, dropped)
    path.write_bytes(payload.stored.encoded(text))


def _write_table(frame: pd.DataFrame, path: Path, *, line_by_line: bool) -> None:
    start, between, stop = ("", "\n", "\n") if line_by_line else ("[\n", ",\n", "\n]\n")
    records = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in plain_records(frame))
    path.write_text(start + between.join(records) + stop, encoding="utf-8")


def _format(
    name: str, extensions: tuple[str, ...], parse: Callable[[str, Path], JsonRecords], *, line_by_line: bool
) -> Format:
    read, write_table = partial(_read, parse=parse), partial(_write_table, line_by_line=line_by_line)
    return edge_list_format(name, extensions, read, _write_filtered, write_table, packs=True)


JSON = _format("json", (".json",), json_records, line_by_line=False)
JSONL = _format("jsonl", (".jsonl", ".ndjson"), json_lines, line_by_line=True)
