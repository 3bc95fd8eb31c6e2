"""Parquet content as a pyarrow table, checked before it unfolds."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kces.interop.limits import check_fits, damage_named
from kces.interop.nested_cells import as_json_text
from kces.interop.optional import require

__all__ = ["arrow_frame", "arrow_table", "pyarrow", "read_arrow"]

# Measured on edge lists of many rows: names as Python text and the graph made of them take most of it.
_BYTES_PER_ROW = 180
_BYTES_PER_VALUE = 32
_COPIES_OF_TEXT = 4
"""In Arrow, in pandas, as names of nodes and in the output."""


def pyarrow(module: str) -> Any:
    """A module of pyarrow, or an error that says how to install it."""
    return require(module, extra="files", purpose="a Parquet file")


def read_arrow(content: bytes, path: Path) -> Any:
    """The table in the bytes of a Parquet file.

    Run lengths and dictionaries let a small file unfold into very many or very long values: how many is declared and
    checked first, text stays a dictionary until its full length is known.
    """
    parquet = pyarrow("pyarrow.parquet")
    with damage_named(path, "Parquet"):
        file = parquet.ParquetFile(io.BytesIO(content))
        check_fits(_declared_bytes(file.metadata), f"reading {path}")
        schema = file.schema_arrow
        text = [field.name for field in schema if _is_text(field.type)]
        table = parquet.ParquetFile(io.BytesIO(content), read_dictionary=text).read()
        check_fits(sum(_unfolded_bytes(column) for column in table.columns), f"unfolding the text of {path}")
        table = table.cast(schema)
        table.validate(full=True)
    return table


def _declared_bytes(metadata: Any) -> int:
    """What the declared number of rows and values needs as a table, a frame and names of nodes."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    values = sum(group.column(column).num_values for group in groups for column in range(group.num_columns))
    return _BYTES_PER_ROW * metadata.num_rows + _BYTES_PER_VALUE * max(values, metadata.num_rows * metadata.num_columns)


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "binary", "large_binary")


def _unfolded_bytes(column: Any) -> int:
    """What all text of a column that lies in dictionaries takes once it is written out."""
    compute = pyarrow("pyarrow.compute")
    total = 0
    for chunk in column.chunks:
        if not hasattr(chunk, "dictionary") or not _is_text(chunk.dictionary.type):
            continue
        lengths = compute.fill_null(compute.binary_length(chunk.dictionary), 0).to_numpy(zero_copy_only=False)
        uses = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
        total += _COPIES_OF_TEXT * int(lengths.astype(np.int64)[uses].sum())
    return total


def arrow_frame(table: Any, path: Path) -> pd.DataFrame:
    """The table as a frame; whole numbers with gaps stay whole numbers."""
    with damage_named(path, "Parquet"):
        return table.to_pandas(integer_object_nulls=True, ignore_metadata=True)


def arrow_table(frame: pd.DataFrame) -> Any:
    """The frame as a table; a column becomes text where the types of its cells do not go together.

    >>> mixed = pd.DataFrame({"n": [1, 2], "ref": [7, "INV-8"], "of": [["a"], [0.5, None]]})
    >>> arrow_table(mixed).to_pydict()
    {'n': [1, 2], 'ref': ['7', 'INV-8'], 'of': ['["a"]', '[0.5,null]']}
    """
    table = _converted(frame)
    if table is None:
        names = [name for name in frame.columns if _converted(frame[[name]]) is None]
        table = pyarrow("pyarrow").Table.from_pandas(
            frame.assign(**{name: _text_cells(frame[name]) for name in names}), preserve_index=False
        )
    return table


def _converted(frame: pd.DataFrame) -> Any:
    """The frame as a table that Parquet can hold; None where there is none: Arrow knows one type for each column."""
    pa = pyarrow("pyarrow")
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, OverflowError):  # the latter for whole numbers beyond 64 bits
        return None
    # Arrow has objects without any field, {}, which Parquet has not.
    return None if any("struct<>" in str(kind) for kind in table.schema.types) else table


def _text_cells(column: pd.Series) -> pd.Series:
    cells = [None if gap else as_json_text(cell) for cell, gap in zip(column, column.isna(), strict=True)]
    return pd.Series(cells, index=column.index, dtype=object)
