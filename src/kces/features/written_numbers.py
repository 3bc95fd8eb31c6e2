"""Numbers as people write them: 1,5 and 1.234,56 and 1 000, with a percent or currency sign or a unit."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError
from kces.types import Array, Bools

__all__ = ["are_written_numbers", "has_decimal_commas", "read_written_numbers"]

_CURRENCY = r"[$€£¥₹₽₩₪₺₴฿]|[A-Z]{3}"
_WITH_UNIT = re.compile(
    rf"(?P<minus>[-+−]?)\s*(?P<before>{_CURRENCY})?\s*(?P<number>[-+−]?[\d.,'’ \u00a0\u202f]*\d[.]?)"
    rf"(?P<after>\s*(?:%|‰|{_CURRENCY})|\s+[^\W\d_]{{1,6}})?"
)
_SPACES_BETWEEN_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[ '’\u00a0\u202f]\d{3})+(?:[.,]\d+)?")
_SPACES = re.compile(r"[ '’\u00a0\u202f]")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+|[+-]?\d+")
_SURELY_DECIMAL_COMMA = re.compile(r"\D*\d[\d.]*,(?:\d{1,2}|\d{4,})\D*")
_THREE_AFTER_COMMA = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})*(\.\d+)?|[+-]?\d+(\.\d+)?")
_GROUPED_BY_POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})*(,\d+)?|[+-]?\d+(,\d+)?")


def are_written_numbers(cells: pd.Series) -> Bools:
    """Which cells have the shape of a number, with or without a sign or a unit.

    >>> are_written_numbers(pd.Series(["1.234,50 €", "12", "unknown"])).tolist()
    [True, True, False]
    """
    return cells.str.fullmatch(_WITH_UNIT).to_numpy(dtype=bool)


def read_written_numbers(name: str, cells: pd.Series) -> Array | None:
    """Numbers with separators, signs or units, or None if some cell is none; what can be read in two ways is refused.

    >>> read_written_numbers("x", pd.Series(["1,5", "2"])).tolist()
    [1.5, 2.0]
    >>> read_written_numbers("x", pd.Series(["€1,234.50", "€7"])).tolist()
    [1234.5, 7.0]
    >>> read_written_numbers("x", pd.Series(["1.234,50 EUR", "-12 EUR"])).tolist()
    [1234.5, -12.0]
    """
    plain = _without_units(name, cells)
    if plain is None:
        return None
    spaced = plain.str.contains(_SPACES)
    if spaced.any():
        if not plain[spaced].str.fullmatch(_SPACES_BETWEEN_THOUSANDS).all():
            return None
        plain = plain.str.replace(_SPACES, "", regex=True)
    numbers = pd.to_numeric(plain, errors="coerce")
    if numbers.isna().any():
        separated = _without_separators(name, plain)
        if separated is None:
            return None
        numbers = pd.to_numeric(separated, errors="coerce")
    return None if numbers.isna().any() else numbers.to_numpy(dtype=np.float64)


def has_decimal_commas(frame: pd.DataFrame) -> bool:
    """Whether a column of text holds numbers that cannot be read but with a comma before their decimals.

    >>> has_decimal_commas(pd.DataFrame({"amount": ["1.234,50", "7,5"]}))
    True
    >>> has_decimal_commas(pd.DataFrame({"amount": ["1,234", "7.5"], "name": ["a, b", "c"]}))
    False
    """
    return any(_is_with_decimal_commas(frame.iloc[:, place].astype(str).str.strip()) for place in range(frame.shape[1]))


def _is_with_decimal_commas(cells: pd.Series) -> bool:
    known = cells[cells != ""]
    decimals = bool(known.str.fullmatch(_SURELY_DECIMAL_COMMA).any())  # asked first: of most columns it is the end
    return decimals and bool(are_written_numbers(known).all()) and not bool(known.str.contains(r",.*\.").any())


def _without_units(name: str, cells: pd.Series) -> pd.Series | None:
    """The bare numbers, if all cells have the same unit or none has any."""
    parts = cells.map(_WITH_UNIT.fullmatch)
    if parts.isna().any():
        return None
    units = parts.map(lambda part: ((part["before"] or "") + (part["after"] or "")).strip())
    if units.nunique() > 1:
        one, other = (cells[units == unit].iloc[0] for unit in units.unique()[:2])
        raise InvalidGraphError(
            f"column {name!r} holds {one!r} and {other!r}: are they in one unit? Write its numbers alike, or drop it"
        )
    return parts.map(lambda part: (part["minus"] + part["number"]).replace("−", "-").strip())


def _without_separators(name: str, cells: pd.Series) -> pd.Series | None:
    with_comma = cells[cells.str.contains(",", regex=False)]
    decimal = bool(cells.str.fullmatch(_DECIMAL_COMMA).all())
    grouped = bool(cells.str.fullmatch(_GROUPED).all())
    if decimal and grouped and bool(with_comma.str.fullmatch(_THREE_AFTER_COMMA).all()):
        raise InvalidGraphError(
            f"column {name!r} holds {with_comma.iloc[0]!r}: a comma before decimals or between thousands?"
            " Write its numbers without commas"
        )
    if decimal:
        return cells.str.replace(",", ".", regex=False)
    if grouped:
        return cells.str.replace(",", "", regex=False)
    if cells.str.fullmatch(_GROUPED_BY_POINTS).all():
        return cells.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    return None
