"""Delimited text: every cell as text, every line kept as it was."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from kces.errors import UnreadableFileError, one_line
from kces.interop.delimiters import choose_delimiter, declared_delimiter, is_comment, split_line
from kces.interop.foreign_files import foreign_content
from kces.interop.limits import read_bytes

__all__ = ["TextTable", "is_number", "parse_text_table", "read_text", "refuse_title", "text_in"]

MAX_COLUMNS = 10_000
"""Every column is looked at for what it holds, which takes milliseconds each."""

# A byte order mark says how the text is stored, and is written back with it.
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class StoredText:
    """The text of a file and how it was stored."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    def encoded(self, text: str) -> bytes:
        """Other text, stored alike."""
        return self.mark + text.encode(self.encoding)


@dataclass(frozen=True)
class TextTable:
    """The parsed cells of a text file beside its lines.

    Attributes
    ----------
    cells : one row per record, all text; whether the first is a header is for the caller to say.
    lines : every line of the file, with its line ending, comments included.
    spans : first line of each record and the line after its last, as indices into ``lines``.
    delimiter : what stands between cells; a space for any white space.
    stored : how the text was stored.
    """

    cells: pd.DataFrame
    lines: list[str]
    spans: list[tuple[int, int]]
    delimiter: str
    stored: StoredText

    def where(self, record: int) -> str:
        """The record's place as an editor shows it."""
        return f"line {self.spans[record][0] + 1}"


def text_in(content: bytes, path: Path) -> StoredText:
    """The content as text, UTF-8 or with a byte order mark UTF-16, or one line that says why it is none."""
    if (foreign := foreign_content(content)) is not None:
        raise UnreadableFileError(f"{path} {foreign}")
    mark, encoding = next(((mark, name) for mark, name in _ENCODINGS if content.startswith(mark)), (b"", "utf-8"))
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(
            f"{path} is not {encoding.upper()} text (byte {len(mark) + error.start}); save it as UTF-8"
        ) from error
    if "\0" in text:
        raise UnreadableFileError(f"{path} holds binary data, not text")
    return StoredText(text, encoding, mark)


def read_text(path: Path) -> str:
    """The text of a file."""
    return text_in(read_bytes(path), path).text


def parse_text_table(
    content: bytes, path: Path, *, separators: Sequence[str], delimiter: str | None = None
) -> TextTable:
    """The records of a text file; ``delimiter`` says what stands between cells, else ``separators`` are tried.

    >>> table = parse_text_table(b'# links\\na,"b, c"\\n', Path("links.csv"), separators=[",", ";"])
    >>> table.cells.values.tolist(), table.where(0)
    ([['a', 'b, c']], 'line 2')
    """
    stored = text_in(content, path)
    lines = list(io.StringIO(stored.text, newline=""))
    declared = declared_delimiter(lines[0]) if lines else None
    chosen = delimiter or declared or choose_delimiter(lines, path, separators)
    has_long_cells = '"' in stored.text or (chosen == " " and "{" in stored.text)
    spans, cells = (_one_by_one if has_long_cells else _all_at_once)(lines, path, chosen)
    _refuse_hidden_records(lines, spans, path, chosen, cells.shape[1])
    return TextTable(cells, lines, spans, chosen, stored)


def refuse_title(table: TextTable, path: Path) -> None:
    """A first line of which only one cell is filled is a title above the table."""
    first = [str(cell).strip() for cell in table.cells.iloc[0]]
    if len(first) > 2 and sum(map(bool, first)) == 1:
        raise UnreadableFileError(
            f"{path} {table.where(0)} holds {max(first)[:40]!r} alone, which is no header and no row of the table;"
            " delete it, or begin it with #"
        )


def is_number(column: pd.Series) -> pd.Series:
    """Which cells read as a number."""
    return pd.to_numeric(column, errors="coerce").notna()


def _all_at_once(lines: list[str], path: Path, delimiter: str) -> tuple[list[tuple[int, int]], pd.DataFrame]:
    """Records of one line each, without quotes: pandas parts the cells many times faster than a loop."""
    numbers = [number for number, line in enumerate(lines) if not is_comment(line)]
    spans = [(number, number + 1) for number in numbers]
    records = [lines[number] for number in numbers]
    if delimiter == " ":
        widths = [len(line.split()) for line in records]
    else:
        widths = [line.count(delimiter) + 1 for line in records]
    if _lacks_last_name(widths, lambda: split_line(records[1], delimiter)):
        records[0] = records[0].rstrip("\r\n") + delimiter + "\n"
        widths[0] += 1
    _refuse_other_widths(widths, spans, path, lines)
    try:
        cells = pd.read_csv(
            io.StringIO("".join(records), newline=""),
            sep=r"\s+" if delimiter == " " else delimiter,
            header=None,
            index_col=False,
            dtype=str,
            keep_default_na=False,
            quoting=csv.QUOTE_NONE,
            skip_blank_lines=False,
        )
    except (pd.errors.ParserError, ValueError, OverflowError) as error:
        raise UnreadableFileError(f"{path} is not a readable table: {one_line(error)}") from error
    if cells.shape != (len(records), widths[0]):
        raise UnreadableFileError(f"{path} is not a readable table: {len(cells)} records in {len(records)} lines")
    return spans, cells


def _one_by_one(lines: list[str], path: Path, delimiter: str) -> tuple[list[tuple[int, int]], pd.DataFrame]:
    """Records with quoted cells, which may hold delimiters and line ends."""
    spans: list[tuple[int, int]] = []
    rows: list[list[str]] = []
    for start, stop, cells in _records(lines, path, delimiter):
        spans.append((start, stop))
        rows.append(cells)
    widths = [len(row) for row in rows]
    if _lacks_last_name(widths, lambda: rows[1]):
        rows[0].append("")
        widths[0] += 1
    _refuse_other_widths(widths, spans, path, lines)
    return spans, pd.DataFrame(rows, dtype=str)


def _lacks_last_name(widths: list[int], second: Callable[[], list[str]]) -> bool:
    """A header may lack the empty name of the column that a delimiter at the end of every line makes."""
    return len(widths) > 1 and widths[0] == widths[1] - 1 and not second()[-1].strip()


def _refuse_other_widths(widths: list[int], spans: list[tuple[int, int]], path: Path, lines: list[str]) -> None:
    if not widths:
        raise UnreadableFileError(f"{path} holds no records (lines that begin with # or % are comments)")
    if widths[0] > MAX_COLUMNS:
        raise UnreadableFileError(
            f"{path} has {widths[0]} columns; a table of text may have {MAX_COLUMNS}: save more as .npy or sparse .npz"
        )
    if len(set(widths)) > 1:
        expected = Counter(widths).most_common(1)[0][0]
        wrong = next(number for number, width in enumerate(widths) if width != expected)
        rule = next((start for start, _ in spans if _is_rule(lines[start])), None)
        if rule is not None:
            raise UnreadableFileError(
                f"{path} line {rule + 1} is a rule between lines and no record; delete it, or export the table as CSV"
            )
        raise UnreadableFileError(_wrong_width(path, spans[wrong][0] + 1, widths[wrong], expected, wrong, len(widths)))


def _is_rule(line: str) -> bool:
    """Whether it is drawn below the names of a table for people, as psql and MySQL do.

    >>> _is_rule("----+-----\\n"), _is_rule("+---+---+\\n"), _is_rule("a-b | c\\n"), _is_rule("-1 -2\\n")
    (True, True, False, False)
    """
    return "---" in line and not line.strip(" \t\r\n|+-=:")


def _wrong_width(path: Path, line: int, width: int, expected: int, record: int, n_records: int) -> str:
    columns = f"{width} column{'s' if width > 1 else ''}"
    if width < expected and record == 0:
        remedy = "; if it is a title above the table, delete it or begin it with #"
    elif width < expected and record == n_records - 1:
        remedy = "; if it is a remark or a total below the table, delete it or begin it with #"
    else:
        remedy = "; an edge list or table has the same columns on every line, and quotes around cells with delimiters"
    return f"{path} line {line} has {columns} where {expected} are expected{remedy}"


def _records(lines: list[str], path: Path, delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """First line, line after the last, and cells of each record."""
    position = 0
    while position < len(lines):
        line = lines[position]
        if is_comment(line):
            position += 1
            continue
        if '"' not in line:
            cells, taken = split_line(line, delimiter), 1
        else:
            cells, taken = _quoted_record(lines, position, path, delimiter)
        yield position, position + taken, cells
        position += taken


def _quoted_record(lines: list[str], position: int, path: Path, delimiter: str) -> tuple[list[str], int]:
    remaining = (lines[number] for number in range(position, len(lines)))
    if delimiter == " ":
        remaining = (line.strip().replace("\t", " ") for line in remaining)
    reader = csv.reader(remaining, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        return next(reader), reader.line_num
    except csv.Error as error:
        reason = "opens a quote that never closes" if "end of data" in str(error) else f"is damaged: {one_line(error)}"
        raise UnreadableFileError(f"{path} line {position + 1} {reason}") from error


def _refuse_hidden_records(
    lines: list[str], spans: list[tuple[int, int]], path: Path, delimiter: str, width: int
) -> None:
    """``#tag,#other`` amid records may be a record of names that begin with # (or %), lost if taken for a comment."""
    inside = {line for start, stop in spans if stop - start > 1 for line in range(start, stop)}
    for number, line in enumerate(lines):
        mark = line[:1]
        if mark not in ("#", "%") or line[1:2].isspace() or number in inside:
            continue
        cells = split_line(line, delimiter)
        after_the_first = number > spans[0][0] or any(cell.lstrip().startswith(mark) for cell in cells[1:])
        if len(cells) == width and width > 1 and after_the_first:
            raise UnreadableFileError(
                f"{path} line {number + 1} begins with {mark} and looks like a record; put the name in quotes,"
                f" or a space after {mark} if it is a comment"
            )
