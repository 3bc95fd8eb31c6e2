"""A DuckDB connection with a limit on its memory: it sorts and joins tables of any size in a scratch folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kces.atomic import output_named
from kces.errors import KCESError, OutputError, UnreadableFileError, one_line
from kces.interop.optional import missing
from kces.memory import available_memory
from kces.threads import thread_count

if TYPE_CHECKING:
    import pandas as pd
    from duckdb import DuckDBPyConnection

__all__ = ["SORT_MEMORY", "query_frame", "quoted", "run_query", "stream_query", "workbench"]

SORT_MEMORY = 2 * 2**30
"""Bytes that sorting may use, unless there are fewer."""


@contextmanager
def workbench(beside: Path, memory: int | None = None) -> Iterator[DuckDBPyConnection]:
    """Yield a connection whose scratch files lie in a folder ``beside``, which goes when the block ends.

    Parameters
    ----------
    beside : a folder on a disk with room.
    memory : bytes it may use; default 2 GiB, or half of what is free.
    """
    limit = memory or min(SORT_MEMORY, available_memory() // 2)
    with output_named(beside):
        scratch = Path(tempfile.mkdtemp(prefix=".kces-sort-", dir=beside))
    try:
        with _connected(scratch) as connection:
            connection.execute(f"SET memory_limit = '{limit // 2**20}MiB'")
            connection.execute(f"SET threads = {thread_count()}")
            connection.execute(f"SET temp_directory = {quoted(str(scratch / 'spill'))}")
            connection.execute("SET preserve_insertion_order = false")
            yield connection
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _connected(scratch: Path) -> DuckDBPyConnection:
    try:
        import duckdb
    except ImportError as error:
        raise missing("converting tables to a graph folder needs duckdb", extra="scale") from error
    try:
        return duckdb.connect(str(scratch / "tables.duckdb"))
    except duckdb.Error as error:
        raise OutputError(f"cannot write in {scratch.parent}: {one_line(error)}") from error


def run_query(connection: DuckDBPyConnection, query: str, about: str) -> list[tuple[Any, ...]]:
    """Run a query and fetch all its rows; what DuckDB says against it becomes one line about ``about``."""
    import duckdb

    try:
        rows: list[tuple[Any, ...]] = connection.execute(query).fetchall()
    except duckdb.Error as error:
        raise _named(error, about) from error
    return rows


def query_frame(connection: DuckDBPyConnection, query: str, about: str) -> pd.DataFrame:
    """The result of a query as a table in memory."""
    import duckdb

    try:
        frame: pd.DataFrame = connection.execute(query).df()
    except duckdb.Error as error:
        raise _named(error, about) from error
    return frame


def stream_query(connection: DuckDBPyConnection, query: str, about: str, rows: int) -> Iterator[Any]:
    """The result of a query as Arrow batches of at most so many rows, one at a time."""
    import duckdb

    try:
        yield from connection.sql(query).to_arrow_reader(rows)
    except duckdb.Error as error:
        raise _named(error, about) from error


def _named(error: Exception, about: str) -> KCESError:
    """A full disk is no fault of the table that is read."""
    if ("space" in str(error).lower() and "disk" in str(error).lower()) or "No space left" in str(error):
        return OutputError(f"the disk is full while sorting {about}; free some space or convert on another disk")
    return UnreadableFileError(f"{about}: {one_line(error)}")


def quoted(text: str) -> str:
    """Text as SQL has it.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
