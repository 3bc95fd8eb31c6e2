"""Tables that are read in a stream: one file or many, CSV or Parquet, as something to select from."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from kces.errors import UnreadableFileError
from kces.interop.delimiters import named_delimiter
from kces.interop.end_choice import choose_ends, column_position
from kces.interop.formats.base import EdgeOptions
from kces.interop.outputs import plain_name
from kces.scale.workbench import query_frame, quoted, run_query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["LOOKED_AT", "TableSource", "end_columns", "is_table", "matching_files", "open_table"]

LOOKED_AT = 100_000
"""Rows that are looked at to find out which columns are the ends."""
_TEXT = {".csv", ".tsv", ".txt", ".edges", ".edgelist"}
_PARQUET = {".parquet", ".pq"}


@dataclass(frozen=True)
class TableSource:
    """A table that DuckDB can read.

    Attributes
    ----------
    path : the file, or the pattern of the files, for messages.
    select : what goes after FROM.
    columns : their names.
    kinds : their DuckDB types; of text files all VARCHAR.
    is_text : whether cells are text without types.
    """

    path: str
    select: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    is_text: bool

    def sample(self, connection: DuckDBPyConnection) -> pd.DataFrame:
        """The first rows, as text."""
        listed = ", ".join(f'CAST("{name}" AS VARCHAR) AS c{place}' for place, name in enumerate(self.columns))
        frame = query_frame(connection, f"SELECT {listed} FROM {self.select} LIMIT {LOOKED_AT}", self.path)
        return frame.fillna("").astype(str).set_axis(range(len(self.columns)), axis=1)


def is_table(pattern: str) -> bool:
    """Whether a file, or a pattern of files, is a table that can be read in a stream.

    >>> is_table("links.csv.gz"), is_table("part-*.parquet"), is_table("graph.npz")
    (True, True, False)
    """
    return plain_name(Path(pattern)).suffix.lower() in _TEXT | _PARQUET


def matching_files(pattern: str) -> list[str]:
    """The files that a pattern stands for, in order."""
    files = [pattern] if Path(pattern).is_file() else sorted(glob.glob(pattern))
    if not files:
        raise UnreadableFileError(f"no such file: {pattern}")
    return files


def open_table(connection: DuckDBPyConnection, pattern: str, options: EdgeOptions | None = None) -> TableSource:
    """Find out what columns the files have; nothing is read but their beginnings.

    Parameters
    ----------
    connection : of a workbench.
    pattern : a file, or many with * in the name.
    options : delimiter and header of text, where the caller said them.
    """
    said = options or EdgeOptions()
    files = "[" + ", ".join(quoted(file) for file in matching_files(pattern)) + "]"
    is_text = plain_name(Path(pattern)).suffix.lower() in _TEXT
    if is_text:
        given = [] if said.delimiter is None else [f"delim = {quoted(named_delimiter(said.delimiter))}"]
        given += [] if said.header is None else [f"header = {str(said.header).lower()}"]
        select = f"read_csv({', '.join([files, 'all_varchar = true', *given])})"
    else:
        said.refuse_text_options(Path(pattern))
        select = f"read_parquet({files})"
    described = run_query(connection, f"DESCRIBE SELECT * FROM {select}", pattern)
    names, kinds = tuple(row[0] for row in described), tuple(row[1] for row in described)
    return TableSource(pattern, select, names, kinds, is_text)


def end_columns(connection: DuckDBPyConnection, table: TableSource, options: EdgeOptions) -> tuple[str, str]:
    """The names of the two columns that are the ends of an edge: as asked, or found in the first rows."""
    if len(table.columns) < 2:
        raise UnreadableFileError(f"{table.path} is no edge list: it has {len(table.columns)} column(s)")
    cells = table.sample(connection)
    source, target = choose_ends(cells, table.columns, Path(table.path), source=options.source, target=options.target)
    return table.columns[source], table.columns[target]


def named_column(table: TableSource, wanted: str | int) -> str:
    """A column's own name, from its name in any case or its number from 1."""
    place = column_position(wanted, table.columns, len(table.columns), Path(table.path))
    return table.columns[place]


def whole_numbers(connection: DuckDBPyConnection, table: TableSource, columns: Sequence[str]) -> bool:
    """Whether all cells of the columns are whole numbers, written as such: 007 is a name."""
    if not table.is_text:
        kinds = dict(zip(table.columns, table.kinds, strict=True))
        return all(kinds[name].removeprefix("U").endswith("INT") or kinds[name] == "INTEGER" for name in columns)
    tests = [f'coalesce(CAST(TRY_CAST(trim("{name}") AS BIGINT) AS VARCHAR) = "{name}", false)' for name in columns]
    query = f"SELECT bool_and({' AND '.join(tests)}) FROM {table.select}"
    return bool(run_query(connection, query, table.path)[0][0])
