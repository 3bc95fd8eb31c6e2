"""Reading a column of text cells as flags, numbers or dates: all of its cells, or None."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kces.types import Array

__all__ = ["COMPACT_DAYS", "days_since_the_first", "read_compact_dates", "read_dates", "read_flags", "read_numbers"]

_YES = frozenset({"true", "yes", "y", "t"})
_NO = frozenset({"false", "no", "n", "f"})
COMPACT_DAYS = 19000101, 21001231
"""Numbers that may be days lie between these."""
_ISO_DATE = r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?"


def read_flags(cells: pd.Series) -> Array | None:
    """Yes and no, true and false as 1 and 0.

    >>> read_flags(pd.Series(["yes", "No"])).tolist(), read_flags(pd.Series(["yes", "maybe"]))
    ([1.0, 0.0], None)
    """
    words = cells.str.lower()
    if not words.isin(_YES | _NO).all():
        return None
    return words.isin(_YES).to_numpy(dtype=np.float64)


def read_numbers(cells: pd.Series) -> Array | None:
    """Numbers as computers write them.

    >>> read_numbers(pd.Series(["1.5", "2e3"])).tolist(), read_numbers(pd.Series(["1,5"]))
    ([1.5, 2000.0], None)
    """
    numbers = pd.to_numeric(cells, errors="coerce")
    return numbers.to_numpy(dtype=np.float64) if numbers.notna().all() else None


def read_dates(cells: pd.Series) -> Array | None:
    """Dates in ISO form, with or without a time, as days since the first of them.

    >>> read_dates(pd.Series(["2024-01-31", "2024-02-01 12:00"])).tolist(), read_dates(pd.Series(["31/01/2024"]))
    ([0.0, 1.5], None)
    """
    if not cells.str.fullmatch(_ISO_DATE).all():
        return None
    return days_since_the_first(cells)


def read_compact_dates(numbers: Array) -> Array | None:
    """Dates written as one number (``20191231``) as days since the first of them, or None if any is no such.

    Of all numbers with eight digits fewer than one in a thousand is a day between 1900 and 2100: a column of them that
    are all such is one of days.

    >>> read_compact_dates(np.array([20191231.0, 20200101.0])).tolist(), read_compact_dates(np.array([20191301.0]))
    ([0.0, 1.0], None)
    """
    low, high = COMPACT_DAYS
    if len(np.unique(numbers)) < 2 or not ((numbers >= low) & (numbers <= high) & (numbers % 1 == 0)).all():
        return None
    days = pd.to_datetime(pd.Series(numbers.astype(np.int64).astype(str)), format="%Y%m%d", errors="coerce")
    return None if days.isna().any() else ((days - days.min()) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)


def days_since_the_first(cells: pd.Series) -> Array | None:
    """Dates in ISO form as days since the first of them, or None if a day does not exist.

    >>> days_since_the_first(pd.Series(["2024-02-29", "2024-03-01"])).tolist()
    [0.0, 1.0]
    """
    times = pd.to_datetime(cells, format="ISO8601", utc=True, errors="coerce")
    if times.isna().any():
        return None
    return ((times - times.min()) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)
