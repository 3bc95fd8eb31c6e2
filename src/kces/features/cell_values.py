"""Reading a column of text cells as flags, numbers or dates: all of its cells, or None."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError
from kces.types import Array

__all__ = ["read_dates", "read_flags", "read_numbers"]

_YES = frozenset({"true", "yes", "y", "t"})
_NO = frozenset({"false", "no", "n", "f"})
_ISO_DATE = r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?"
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+|[+-]?\d+")
_THREE_AFTER_COMMA = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})*(\.\d+)?")


def read_flags(cells: pd.Series) -> Array | None:
    """Yes and no, true and false as 1 and 0.

    >>> read_flags(pd.Series(["yes", "No"])).tolist(), read_flags(pd.Series(["yes", "maybe"]))
    ([1.0, 0.0], None)
    """
    words = cells.str.lower()
    if not words.isin(_YES | _NO).all():
        return None
    return words.isin(_YES).to_numpy(dtype=np.float64)


def read_numbers(name: str, cells: pd.Series) -> Array | None:
    """Numbers, also with a decimal comma or with commas between thousands; ``1,234`` alone may be either: refused.

    >>> read_numbers("x", pd.Series(["1,5", "2"])).tolist(), read_numbers("x", pd.Series(["1,234.5"])).tolist()
    ([1.5, 2.0], [1234.5])
    """
    numbers = pd.to_numeric(cells, errors="coerce")
    if numbers.notna().all():
        return numbers.to_numpy(dtype=np.float64)
    plain = _without_commas(name, cells)
    return None if plain is None else pd.to_numeric(plain).to_numpy(dtype=np.float64)


def _without_commas(name: str, cells: pd.Series) -> pd.Series | None:
    with_comma = cells[cells.str.contains(",", regex=False)]
    if with_comma.empty:
        return None
    decimal = bool(cells.str.fullmatch(_DECIMAL_COMMA).all())
    grouped = bool(cells.str.fullmatch(_GROUPED).all())
    if decimal and grouped and bool(with_comma.str.fullmatch(_THREE_AFTER_COMMA).all()):
        raise InvalidGraphError(
            f"column {name!r} holds {with_comma.iloc[0]!r}: a comma before decimals or between thousands?"
            " Write its numbers without commas"
        )
    if decimal:
        return cells.str.replace(",", ".", regex=False)
    return cells.str.replace(",", "", regex=False) if grouped else None


def read_dates(cells: pd.Series) -> Array | None:
    """Dates in ISO form, with or without a time, as days since the first of them.

    >>> read_dates(pd.Series(["2024-01-31", "2024-02-01 12:00"])).tolist(), read_dates(pd.Series(["31/01/2024"]))
    ([0.0, 1.5], None)
    """
    if not cells.str.fullmatch(_ISO_DATE).all():
        return None
    times = pd.to_datetime(cells, format="ISO8601", utc=True, errors="coerce")
    if times.isna().any():
        return None
    return ((times - times.min()) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)
