"""Parquet content as a pyarrow table, checked before it unfolds."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd

from kces.interop.limits import check_fits, damage_named
from kces.interop.optional import require

__all__ = ["arrow_frame", "pyarrow", "read_arrow"]


def pyarrow(module: str) -> Any:
    """A module of pyarrow, or an error that says how to install it."""
    return require(module, extra="files", purpose="a Parquet file")


def read_arrow(content: bytes, path: Path) -> Any:
    """The table in the bytes of a Parquet file."""
    parquet = pyarrow("pyarrow.parquet")
    with damage_named(path, "Parquet"):
        file = parquet.ParquetFile(io.BytesIO(content))
        # Run lengths let a small file unfold into very many rows.
        check_fits(16 * file.metadata.num_rows * file.metadata.num_columns, f"reading {path}")
        table = file.read()
        table.validate(full=True)
    return table


def arrow_frame(table: Any, path: Path) -> pd.DataFrame:
    """The table as a frame; whole numbers with gaps stay whole numbers."""
    with damage_named(path, "Parquet"):
        return table.to_pandas(integer_object_nulls=True, ignore_metadata=True)
