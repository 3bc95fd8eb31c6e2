"""Dates as people write them: 31.01.2024, 31/01/2024, 01/31/2024, 2024/01/31, with or without a time."""

from __future__ import annotations

import re

import pandas as pd

from kces.errors import InvalidGraphError
from kces.features.cell_values import days_since_the_first
from kces.types import Array, Bools

__all__ = ["are_written_dates", "dates_of_other_forms", "read_written_dates"]

_TIME = r"(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?"
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}})({_TIME})")
_YEAR_FIRST = re.compile(rf"(\d{{4}})([./-])(\d{{1,2}})\2(\d{{1,2}})({_TIME})")
_MONTHS = 12

_CLOCK = r"\d{1,2}(?:[:.]\d{2}){1,2}(?:[.,]\d+)?(?:\s*[ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?"
_AFTER_A_DATE = rf"(?:,?(?:\s+|t)(?:{_CLOCK})\s*(?:z|utc|gmt|[+-]\d{{2}}:?\d{{2}})?)?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+)?"
_NAMED_MONTH = re.compile(
    rf"{_WEEKDAY}(?:\d{{1,2}}(?:st|nd|rd|th)?\.?[\s/-]*{_MONTH}[\s,/-]*\d{{2,4}}"
    rf"|{_MONTH}[\s/-]*\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|{_MONTH}[\s,/-]*\d{{2,4}}|\d{{4}}[\s/-]*{_MONTH}"
    rf"(?:[\s/-]*\d{{1,2}})?){_AFTER_A_DATE}",
    re.IGNORECASE,
)
_OTHER_NUMBERS = re.compile(
    rf"\d{{1,2}}([./-])\d{{1,2}}\1(?:\d{{2}}|\d{{4}}){_AFTER_A_DATE}|\d{{4}}([./-])\d{{1,2}}\2\d{{1,2}}{_AFTER_A_DATE}",
    re.IGNORECASE,
)
_TIME_OF_DAY = re.compile(r"\d{1,2}(?::\d{2}){1,2}(?:[.,]\d+)?(?:\s*[ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?", re.IGNORECASE)


def are_written_dates(cells: pd.Series) -> Bools:
    """Which cells have the shape of a date with a year of four digits.

    >>> are_written_dates(pd.Series(["31.1.2024", "2024/01/31 12:00", "31.1.24", "1.234"])).tolist()
    [True, True, False, False]
    """
    return (cells.str.fullmatch(_YEAR_LAST) | cells.str.fullmatch(_YEAR_FIRST)).to_numpy(dtype=bool)


def read_written_dates(name: str, cells: pd.Series) -> tuple[str, Array] | None:
    """Which part comes first, and days since the first date; None if some cell is no date of the same form.

    With points the day comes before the month. With other signs a number above 12 tells them apart; where there is
    none, a date can be read in two ways and is refused.

    >>> order, days = read_written_dates("since", pd.Series(["31.01.2024", "01.02.2024"]))
    >>> order, days.tolist()
    ('day first', [0.0, 1.0])
    >>> read_written_dates("since", pd.Series(["01/31/2024", "02/01/2024"]))[0]
    'month first'
    """
    for shape, years in ((_YEAR_FIRST, "year first"), (_YEAR_LAST, "")):
        parts = cells.str.extract(rf"^{shape.pattern}$")
        if parts.notna().all(axis=None):
            order = years or _order(name, cells, parts)
            first, second, third = (0, 2, 3) if order != "month first" else (2, 0, 3)
            day, month, year = (third, second, first) if years else (first, second, third)
            iso = parts[year] + "-" + parts[month].str.zfill(2) + "-" + parts[day].str.zfill(2) + parts[4].str.upper()
            days = days_since_the_first(iso)
            return None if days is None else (order, days)
    return None


def dates_of_other_forms(cells: pd.Series) -> str | None:
    """What to do with text most of whose cells look like dates or times, in a form that is not read; else None.

    >>> dates_of_other_forms(pd.Series(["01-Aug-2022", "02-Aug-2022"]))
    'it looks like dates of a form that is not read; write them as 2024-01-31 or 2024-01-31 19:22, or drop it'
    >>> dates_of_other_forms(pd.Series(["06:00", "18:30"]))
    'it looks like times of day, which are not read; write them as numbers (19.5 for 19:30), or drop it'
    >>> dates_of_other_forms(pd.Series(["August", "a 01/02"]))
    """
    if _are_most(cells.str.fullmatch(_TIME_OF_DAY)):
        return "it looks like times of day, which are not read; write them as numbers (19.5 for 19:30), or drop it"
    others = cells.str.fullmatch(_NAMED_MONTH) | cells.str.fullmatch(_OTHER_NUMBERS)
    if _are_most(others & ~are_written_dates(cells)):
        return (
            "it looks like dates of a form that is not read; write them as 2024-01-31 or 2024-01-31 19:22, or drop it"
        )
    return None


def _are_most(fits: pd.Series) -> bool:
    return len(fits) > 0 and 2 * int(fits.sum()) >= len(fits)


def _order(name: str, cells: pd.Series, parts: pd.DataFrame) -> str:
    first, second = parts[0].astype(int) > _MONTHS, parts[2].astype(int) > _MONTHS
    if (parts[1] == ".").all() or (first.any() and not second.any()):
        return "day first"
    if second.any():
        return "month first"  # if both are above 12 somewhere, no reading holds, and the dates do not exist
    raise InvalidGraphError(
        f"column {name!r} holds {cells.iloc[0]!r}: is the day or the month first? Write its dates as 2024-01-31, or"
        " drop it"
    )
