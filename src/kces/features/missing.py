"""Which cells of a column say nothing."""

from __future__ import annotations

import pandas as pd

from kces.types import Bools

__all__ = ["MISSING_WORDS", "as_text", "missing_cells"]

MISSING_WORDS = frozenset(
    {"", "na", "n/a", "#n/a", "n.a.", "k.a.", "nan", "<na>", "null", "none", "nat", "?", "-", "--", "–", "—"}
)


def as_text(column: pd.Series) -> pd.Series:
    """Every cell as text without spaces around it; a cell that is none at all becomes empty."""
    return column.astype(object).where(column.notna(), "").map(str).str.strip()


def missing_cells(text: pd.Series) -> Bools:
    """Which cells of a column of text are empty or hold a word for nothing, in any case.

    >>> missing_cells(pd.Series(["3", "", "NA", "None", "?", "-", "0", "-1"])).tolist()
    [False, True, True, True, True, True, False, False]
    """
    return text.str.lower().isin(MISSING_WORDS).to_numpy(dtype=bool)
