"""Records in JSON text: where each stands, so that those that stay are written back as they were."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from kces.errors import UnreadableFileError, one_line
from kces.interop.limits import damage_named
from kces.interop.nested_cells import plain_value

__all__ = ["JsonRecords", "json_frame", "json_lines", "json_records", "plain_records"]

Record: TypeAlias = "dict[str, object] | list[object]"
_EDGE_KEYS = ("edges", "links", "records", "data")
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class JsonRecords:
    """The records of a JSON text, and the characters that each takes.

    ``parted`` says that commas stand between them, of which one goes with each record.
    """

    records: list[Record]
    spans: list[tuple[int, int]]
    parted: bool = True

    def without(self, text: str, dropped: set[int]) -> str:
        """``text`` without the records ``dropped``; what stands between the others stays."""
        if not self.spans:
            return text
        pieces = [text[: self.spans[0][0]]]
        for number, (start, stop) in enumerate(self.spans):
            before = text[self.spans[number - 1][1] : start] if number else ""
            if number not in dropped:
                pieces += [before if len(pieces) > 1 or not self.parted else "", text[start:stop]]
            elif not self.parted:
                pieces.append(before)
        return "".join([*pieces, text[self.spans[-1][1] :]])


def json_records(text: str, path: Path, *, keys: tuple[str, ...] = _EDGE_KEYS) -> JsonRecords:
    """The records of a JSON document: a list of them, or an object with one under ``edges`` or ``links``.

    >>> found = json_records('{"nodes": [], "links": [{"u": 1, "v": 2}, {"u": 2, "v": 3}]}', Path("g.json"))
    >>> found.records, found.spans
    ([{'u': 1, 'v': 2}, {'u': 2, 'v': 3}], [(24, 40), (42, 58)])
    """
    with damage_named(path, "JSON"):
        start = _skip(text, 0)
        if text[start : start + 1] == "{":
            start = _value_of(text, start, path, keys)
        if text[start : start + 1] != "[":
            raise UnreadableFileError(f"{path} holds no list of records")
        found = JsonRecords(*_items(text, start))
        _refuse_half_characters(text, _loads(text))  # what stands around the records must be sound, too
    _check(found.records, path, "record")
    return found


def json_lines(text: str, path: Path) -> JsonRecords:
    """The records of JSON text with one on each line; blank lines count as nothing.

    >>> json_lines('{"u": 1}\\n\\n{"u": 2}\\n', Path("g.jsonl")).spans
    [(0, 9), (10, 19)]
    """
    records, spans, position = [], [], 0
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        if line.strip():
            try:
                records.append(_loads(line))
                _refuse_half_characters(line, records[-1])
            except (ValueError, RecursionError) as error:
                raise UnreadableFileError(f"{path} line {number} is not JSON: {one_line(error)}") from error
            spans.append((position, position + len(line)))
        position += len(line)
    _check(records, path, "line")
    return JsonRecords(records, spans, parted=False)


def _unique_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose names differ; of two of one name the first would be lost without a word.

    >>> _unique_names([("a", 1), ("a", 2)])
    Traceback (most recent call last):
        ...
    ValueError: an object names 'a' twice
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ValueError(f"an object names {twice[:40]!r} twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_names)


def _loads(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_unique_names)


def _refuse_half_characters(text: str, value: object) -> None:
    """``\\ud800`` alone is half of a character, which no file can hold."""
    if not _ESCAPED_HALF.search(text):
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"half of a character: {error.object[error.start]!r} ({error.reason})") from error


def json_frame(records: list[Record], path: Path) -> pd.DataFrame:
    """Records as a table of their values, untouched; lists give columns without names (numbers from 0)."""
    if all(isinstance(record, dict) for record in records):
        return pd.DataFrame(records, dtype=object)
    widths = {len(record) for record in records if isinstance(record, list)}
    if any(isinstance(record, dict) for record in records) or len(widths) != 1:
        raise UnreadableFileError(f"{path} mixes records of different form; use one kind, lists of one length")
    return pd.DataFrame(records, dtype=object)


def plain_records(frame: pd.DataFrame) -> list[dict[str, object]]:
    """Rows as dicts of plain values, None for what is missing: JSON has no NaN, and lists for arrays.

    >>> plain_records(pd.DataFrame({"x": [1.5, None], "tags": [["a"], ("b", "c")]}))
    [{'x': 1.5, 'tags': ['a']}, {'x': None, 'tags': ['b', 'c']}]
    """
    columns = {str(name): [plain_value(value) for value in cells.tolist()] for name, cells in frame.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _check(records: list[Record], path: Path, what: str) -> None:
    if not records:
        raise UnreadableFileError(f"{path} holds no records")
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict | list):
            raise UnreadableFileError(f"{path} {what} {number} is {str(record)[:20]!r}, not an object or a list")


def _value_of(text: str, start: int, path: Path, keys: tuple[str, ...]) -> int:
    """Where the value of the first of ``keys`` begins in the object at ``start``."""
    found: dict[str, int] = {}
    position = _skip(text, start + 1)
    while text[position : position + 1] == '"':
        name, position = _DECODER.raw_decode(text, position)
        position = _skip(text, _skip(text, position) + 1)
        found.setdefault(str(name), position)
        _, position = _DECODER.raw_decode(text, position)
        position = _skip(text, _skip(text, position) + 1)
    for key in keys:
        if key in found:
            return found[key]
    shown = ", ".join(repr(name) for name in list(found)[:3])
    raise UnreadableFileError(
        f"{path} holds no list of records under {' or '.join(keys)}, but {shown or 'nothing'}; save it as a list of"
        " records, one for each edge or node"
    )


def _items(text: str, start: int) -> tuple[list[Record], list[tuple[int, int]]]:
    records, spans = [], []
    position = _skip(text, start + 1)
    while text[position : position + 1] != "]":
        record, stop = _DECODER.raw_decode(text, position)
        records.append(record)
        spans.append((position, stop))
        position = _skip(text, stop)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
    return records, spans


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return position if space is None else space.end()
