"""Tables of results as files: the format follows the name."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd

from kces.errors import InvalidParameterError
from kces.interop.formats import FORMATS, Format
from kces.interop.formats.edge_list import TextStyle, write_delimited
from kces.interop.graph_files import output_format
from kces.interop.outputs import open_output

__all__ = ["table_format", "write_table"]


def table_format(path: str | Path, format: str | None = None) -> Format:
    """The format to write a table in: the one named, else by the extension; CSV for standard output.

    >>> table_format("scores.jsonl").name, table_format("-").name
    ('jsonl', 'csv')
    """
    tables = {name: each for name, each in FORMATS.items() if each.write_table is not None}
    try:
        chosen = output_format(path, format)
    except InvalidParameterError:
        chosen = None
    if chosen is None or chosen.name not in tables:
        known = ", ".join(extension for each in tables.values() for extension in each.extensions)
        raise InvalidParameterError(f"cannot write a table as {format or path}; known extensions are {known}")
    return chosen


def write_table(
    frame: pd.DataFrame,
    path: str | Path,
    *,
    format: str | None = None,
    style: TextStyle | None = None,
    force: bool = False,
) -> None:
    """Write a table to ``path``, whole or not at all; ``-`` is standard output.

    ``style`` is how a CSV file is written: with commas between its cells, unless the input had other signs.
    """
    chosen = table_format(path, format)
    write = chosen.write_table
    if style is not None and chosen.name == "csv":
        write = partial(write_delimited, style=style)
    if write is not None:
        with open_output(path, force=force) as temporary:
            write(frame, temporary)
