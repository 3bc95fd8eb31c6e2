"""Numbers as people write them: 1,5 and 1.234,56 and 1 000, with a percent or currency sign or a unit."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError
from kces.types import Array, Bools

__all__ = ["are_written_numbers", "has_decimal_commas", "read_written_numbers", "refuse_doubtful_points"]

_CODES = (
    "AED|ARS|AUD|BGN|BRL|BTC|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|ETH|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES|KRW|MXN|MYR"
    "|NGN|NOK|NZD|PEN|PHP|PKR|PLN|QAR|RMB|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
"""Not any three capitals: INV00018 is an invoice."""
_CURRENCY = rf"[$€£¥₹₽₩₪₺₴฿]|{_CODES}"
_NUMBER = rf"(?P<minus>[-+−]?)\s*(?P<before>{_CURRENCY})?\s*(?P<number>[-+−]?[0-9.,'’ \u00a0\u202f]*[0-9][.]?)"
_LETTERS = r"[^\W\d_]{1,6}"
_WITH_UNIT = re.compile(rf"{_NUMBER}(?P<after>\s*(?:%|‰|{_CURRENCY})|\s+{_LETTERS})?")
_WITH_GLUED_UNIT = re.compile(rf"{_NUMBER}(?P<after>\s*{_LETTERS})")
_LEADING_ZERO = re.compile(r"[-+−]?0[0-9]")
_SURELY_MEASURED = 10
"""Different numbers from which on the same letters behind all of them are a unit: 12A and 14A may be flats or seats."""
_SPACES_BETWEEN_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:[ '’\u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?")
_SPACES = re.compile(r"[ '’\u00a0\u202f]")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+|[+-]?[0-9]+")
_SURELY_DECIMAL_COMMA = re.compile(r"\D*[0-9][0-9.]*,(?:[0-9]{1,2}|[0-9]{4,})\D*")
_THREE_AFTER_COMMA = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_THREE_AFTER_POINT = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
_BELOW_A_THOUSAND = re.compile(r"[+-]?[0-9]{1,3}")
_SEVERAL = 2
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?|[+-]?[0-9]+(\.[0-9]+)?")
_GROUPED_BY_POINTS = re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})*(,[0-9]+)?|[+-]?[0-9]+(,[0-9]+)?")


def are_written_numbers(cells: pd.Series) -> Bools:
    """Which cells have the shape of a number, with or without a sign or a unit.

    >>> are_written_numbers(pd.Series(["1.234,50 €", "12", "unknown"])).tolist()
    [True, True, False]
    """
    fits = cells.str.fullmatch(_WITH_UNIT).to_numpy(dtype=bool)
    return fits if fits.all() or _with_glued_unit(cells) is None else np.ones(len(cells), dtype=bool)


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
    refuse_doubtful_points(name, plain)
    numbers = pd.to_numeric(plain, errors="coerce")
    if numbers.isna().any():
        separated = _without_separators(name, plain)
        if separated is None:
            return None
        numbers = pd.to_numeric(separated, errors="coerce")
    return None if numbers.isna().any() else numbers.to_numpy(dtype=np.float64)


def refuse_doubtful_points(name: str, cells: pd.Series) -> None:
    """Refuse 853, 1.100, 4.211: their points may stand between thousands, as a comma may in 1,100.

    Where all numbers have three decimals, or one has other than three, they are decimals.

    >>> refuse_doubtful_points("length", pd.Series(["1.100", "4.211"]))
    >>> refuse_doubtful_points("length", pd.Series(["853", "1.1", "1.100"]))
    """
    pointed = cells.str.fullmatch(_THREE_AFTER_POINT)
    if pointed.sum() >= _SEVERAL and not pointed.all() and cells[~pointed].str.fullmatch(_BELOW_A_THOUSAND).all():
        raise InvalidGraphError(
            f"column {name!r} holds {cells[pointed].iloc[0]!r} and {cells[~pointed].iloc[0]!r}: a point before"
            " decimals or between thousands? Write its numbers without points, or all of them with decimals"
        )


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
    found = cells.map(_WITH_UNIT.fullmatch)
    parts = _with_glued_unit(cells) if found.isna().any() else found
    if parts is None:
        return None
    units = parts.map(_unit)
    if units.nunique() > 1:
        one, other = (cells[units == unit].iloc[0] for unit in units.unique()[:2])
        raise InvalidGraphError(
            f"column {name!r} holds {one!r} and {other!r}: are they in one unit? Write its numbers alike, or drop it"
        )
    return parts.map(lambda part: (part["minus"] + part["number"]).replace("−", "-").strip())


def _with_glued_unit(cells: pd.Series) -> pd.Series | None:
    """The parts of 32k, 8k, … if all cells have the same letters and are no codes, as 12A, 12B and 007A are."""
    if cells.empty or not _WITH_GLUED_UNIT.fullmatch(cells.iloc[0]):
        return None
    parts = cells.map(_WITH_GLUED_UNIT.fullmatch)
    if parts.isna().any() or parts.map(_unit).nunique() > 1:
        return None
    numbers = parts.map(lambda part: part["number"])
    is_code = numbers.nunique() < _SURELY_MEASURED or numbers.str.match(_LEADING_ZERO).any()
    return None if is_code else parts


def _unit(part: re.Match[str]) -> str:
    return ((part["before"] or "") + (part["after"] or "").strip()).strip()


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
