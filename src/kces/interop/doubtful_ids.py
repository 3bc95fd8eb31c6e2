"""Names of nodes that may have suffered: rounded by a spreadsheet, or written in two ways."""

from __future__ import annotations

import re
import unicodedata
import warnings
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pandas as pd

from kces.errors import GraphWarning

__all__ = ["near_name", "warn_of_doubtful_ids"]

_ROUNDED = r"\d(\.\d+)?[eE]\+\d+"
_NUMBER = r"(\d+|\d{1,3}(,\d{3})+)(\.0+)?"
"""A whole number, perhaps with leading zeros, commas between thousands or decimals of zero."""


def warn_of_doubtful_ids(names: npt.NDArray[Any], path: Path) -> None:
    """Say that names look like large numbers that a spreadsheet has rounded, or alike but for case or blanks.

    >>> import numpy as np
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_of_doubtful_ids(np.array(["Ann", "bob", "ann"], dtype=object), Path("links.csv"))
    >>> print(said[0].message)
    links.csv: 'Ann' and 'ann' are taken for two nodes; 1 name(s) differ by case, blanks or hidden marks alone
    """
    text = pd.Series(names, dtype=object).astype(str)
    if text.str.isdecimal().all() and not text.str.fullmatch(r"0\d+").any():
        return
    rounded = text.str.fullmatch(_ROUNDED)
    if rounded.any():
        _warn(
            f"{path}: {int(rounded.sum())} node(s) are called like {text[rounded].iloc[0]!r}: a spreadsheet may have"
            " rounded long numbers, and different nodes are then one; export that column as text"
        )
    _warn_of_twins(text, _plain(text), "case, blanks or hidden marks", path)
    numbers = text[text.str.fullmatch(_NUMBER)]
    _warn_of_twins(numbers, _as_number(numbers), "the way a number is written", path)


def _warn_of_twins(text: pd.Series, plain: pd.Series, way: str, path: Path) -> None:
    """Say that names which are ``plain``ly the same are two nodes."""
    twins = plain.duplicated()
    if twins.any():
        second = int(twins.to_numpy().argmax())
        first = text[plain == plain.iloc[second]].iloc[0]
        _warn(
            f"{path}: {first!r} and {text.iloc[second]!r} are taken for two nodes; {int(twins.sum())} name(s) differ by"
            f" {way} alone"
        )


def near_name(name: str, known: npt.NDArray[Any]) -> str:
    """A hint at the known name that differs from an unknown one by case, blanks or the way a number is written.

    >>> import numpy as np
    >>> near_name("0042", np.array(["42", "7"], dtype=object))
    "; '42' is there: were leading zeros lost?"
    >>> near_name("7.0", np.array(["42", "7"], dtype=object))
    "; '7' is there: is it the same number?"
    """
    text = pd.Series(known, dtype=object).astype(str)
    alike = text[_plain(text) == _plain(pd.Series([name])).iloc[0]]
    if len(alike):
        return f"; {alike.iloc[0]!r} is there: do names differ by case or blanks?"
    if not re.fullmatch(_NUMBER, name):
        return ""
    numbers = text[text.str.fullmatch(_NUMBER)]
    alike = numbers[_as_number(numbers) == _as_number(pd.Series([name])).iloc[0]]
    if not len(alike):
        return ""
    zeros = alike.iloc[0].isdecimal() and name.isdecimal()
    return f"; {alike.iloc[0]!r} is there: {'were leading zeros lost' if zeros else 'is it the same number'}?"


def _as_number(text: pd.Series) -> pd.Series:
    """
    >>> _as_number(pd.Series(["007", "1,003", "7.0", "0"])).tolist()
    ['7', '1003', '7', '0']
    """
    plain = text.str.replace(r"\..*|,", "", regex=True).str.lstrip("0")
    return plain.mask(plain == "", "0")


def _plain(text: pd.Series) -> pd.Series:
    """Names as the eye reads them: without case, marks that are not shown, and ways to write one letter."""
    strange = ~text.map(str.isascii)
    folded = text.mask(strange, text[strange].map(_as_shown)).str.casefold()
    spaced = folded.str.contains(r"\s\s|[^\S ]")  # few have any, and parting all takes seconds for a million
    return folded.mask(spaced, folded[spaced].str.split().str.join(" "))


def _as_shown(name: str) -> str:
    """
    >>> _as_shown("Jose\\u0301\\ufeff") == _as_shown("Jos\\xe9")
    True
    """
    composed = unicodedata.normalize("NFKC", name)
    return "".join(character for character in composed if unicodedata.category(character) != "Cf")


def _warn(message: str) -> None:
    warnings.warn(message, GraphWarning, stacklevel=5)
