"""Delimited text: separator and header found by looking, every cell as text, every line kept as it was."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from kces.errors import UnreadableFileError
from kces.interop.limits import one_line, read_bytes

__all__ = ["TextTable", "is_number", "read_text", "read_text_table"]

WHITESPACE = r"\s+"
_TWO_WORDS = re.compile(r"\s*[^\s,;]+\s+[^\s,;]")
_TOO_MANY = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")


@dataclass(frozen=True)
class TextTable:
    """The parsed cells of a text file beside its lines.

    Attributes
    ----------
    columns : names from the header line, or None without one.
    cells : one row per record, all text, without the header.
    lines : every line of the file, with its line ending, comments and header included.
    line_of : index into ``lines`` of each record.
    """

    columns: list[str] | None
    cells: pd.DataFrame
    lines: list[str]
    line_of: list[int]

    def where(self, record: int) -> str:
        """The record's place as an editor shows it."""
        return f"line {self.line_of[record] + 1}"


def read_text(path: Path) -> str:
    """The file as text, or one line that says why it is none."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{path} is not UTF-8 text (byte {error.start})") from error
    if "\0" in text:
        raise UnreadableFileError(f"{path} holds binary data, not text")
    return text


def read_text_table(path: Path, *, separators: Sequence[str], header_names: frozenset[str]) -> TextTable:
    """Read ``path``; a first line is a header if it has one of ``header_names`` or a word above numbers."""
    lines = list(io.StringIO(read_text(path), newline=""))
    line_of = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    if not line_of:
        raise UnreadableFileError(f"{path} holds no records")
    cells = _parse(path, lines, line_of, find_separator(lines[line_of[0]], separators))
    first = [str(cell).strip() for cell in cells.iloc[0]]
    if _is_header(cells, first, header_names):
        return TextTable(first, cells.iloc[1:].reset_index(drop=True), lines, line_of[1:])
    return TextTable(None, cells, lines, line_of)


def find_separator(line: str, separators: Sequence[str]) -> str:
    """The first of ``separators`` that divides ``line``, else whitespace.

    >>> find_separator("a,b c", [",", WHITESPACE]), find_separator("a b,c", [WHITESPACE, ","])
    (',', '\\\\s+')
    """
    for separator in separators:
        if separator == WHITESPACE:
            if _TWO_WORDS.match(line):
                return separator
        elif separator in line:
            return separator
    return WHITESPACE


def is_number(column: pd.Series) -> pd.Series:
    """Which cells read as a number."""
    return pd.to_numeric(column, errors="coerce").notna()


def _parse(path: Path, lines: list[str], line_of: list[int], separator: str) -> pd.DataFrame:
    records = io.StringIO("".join(lines[number] for number in line_of), newline="")
    try:
        cells = pd.read_csv(
            records,
            sep=separator,
            header=None,
            index_col=False,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
            skip_blank_lines=False,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        raise UnreadableFileError(f"{path} {_what_is_wrong(error, line_of)}") from error
    if len(cells) != len(line_of):
        raise UnreadableFileError(f"{path} has a quoted cell that runs over several lines; use one line each")
    _refuse_short_lines(path, cells, lines, line_of, separator)
    return cells


def _refuse_short_lines(path: Path, cells: pd.DataFrame, lines: list[str], line_of: list[int], separator: str) -> None:
    """pandas fills missing cells with empty text: only lines that end in one need a second look."""
    for record in (cells.iloc[:, -1] == "").to_numpy().nonzero()[0]:
        line = lines[line_of[record]]
        if separator == WHITESPACE:
            seen = len(line.split())
        else:
            seen = len(next(csv.reader([line.strip("\r\n")], delimiter=separator)))
        if seen < cells.shape[1]:
            raise UnreadableFileError(
                f"{path} line {line_of[record] + 1} has {seen} columns where {cells.shape[1]} are expected"
            )


def _what_is_wrong(error: Exception, line_of: list[int]) -> str:
    ragged = _TOO_MANY.search(str(error))
    if ragged is None:
        return f"is not a readable table: {one_line(error)}"
    expected, record, seen = (int(group) for group in ragged.groups())
    return f"line {line_of[record - 1] + 1} has {seen} columns where {expected} are expected"


def _is_header(cells: pd.DataFrame, first: list[str], header_names: frozenset[str]) -> bool:
    if any(name.lower() in header_names for name in first):
        return True
    if len(cells) < 2:
        return False
    return any(not is_number(column.iloc[:1]).all() and is_number(column.iloc[1:]).all() for _, column in cells.items())
