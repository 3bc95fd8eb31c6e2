"""Which cells of a column say nothing."""

from __future__ import annotations

import pandas as pd

from kces.types import Bools

__all__ = ["MISSING_WORDS", "as_text", "missing_cells", "missing_days"]

MISSING_WORDS = frozenset(
    {"", "na", "n/a", "#n/a", "n.a.", "k.a.", "nan", "<na>", "null", "none", "nat", "?", "-", "--", "–", "—"}
)

_NO_DAY = r"(?:9999-12-31|0001-01-01|(?:31([./-])12|12([./-])31)(?:\1|\2)9999)(?:[ t].*)?"
"""The last and the first day that programs can write stand for "no end" and "never": as days they would outweigh all
others."""


def as_text(column: pd.Series) -> pd.Series:
    """Every cell as text without spaces around it; a cell that is none at all becomes empty."""
    return column.astype(object).where(column.notna(), "").map(str).str.strip()


def missing_cells(text: pd.Series) -> Bools:
    """Which cells of a column of text are empty, hold a word for nothing, in any case, or a day that stands for none.

    >>> missing_cells(pd.Series(["3", "", "NA", "None", "?", "-", "0", "-1"])).tolist()
    [False, True, True, True, True, True, False, False]
    >>> missing_cells(pd.Series(["9999-12-31", "31.12.9999", "2024-12-31", "0001-01-01T00:00:00"])).tolist()
    [True, True, False, True]
    """
    small = text.str.lower()
    return (small.isin(MISSING_WORDS) | small.str.fullmatch(_NO_DAY)).to_numpy(dtype=bool)


def missing_days(column: pd.Series) -> Bools:
    """The same of a column of times.

    >>> times = pd.Series(["9999-12-31", "2024-12-31", None]).astype("datetime64[s]")
    >>> missing_days(times).tolist()
    [True, False, True]
    """
    return (column.isna() | column.dt.year.isin((1, 9999))).to_numpy(dtype=bool)
