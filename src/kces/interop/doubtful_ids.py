"""Names of nodes that may have suffered: rounded by a spreadsheet, or written in two ways."""

from __future__ import annotations

import unicodedata
import warnings
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pandas as pd

from kces.errors import GraphWarning

__all__ = ["near_name", "warn_of_doubtful_ids"]

_ROUNDED = r"\d(\.\d+)?[eE]\+\d+"


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
    if text.str.isdecimal().all():
        return
    rounded = text.str.fullmatch(_ROUNDED)
    if rounded.any():
        _warn(
            f"{path}: {int(rounded.sum())} node(s) are called like {text[rounded].iloc[0]!r}: a spreadsheet may have"
            " rounded long numbers, and different nodes are then one; export that column as text"
        )
    plain = _plain(text)
    twins = plain.duplicated()
    if twins.any():
        second = int(twins.to_numpy().argmax())
        first = text[plain == plain.iloc[second]].iloc[0]
        _warn(
            f"{path}: {first!r} and {text.iloc[second]!r} are taken for two nodes; {int(twins.sum())} name(s) differ by"
            " case, blanks or hidden marks alone"
        )


def near_name(name: str, known: npt.NDArray[Any]) -> str:
    """A hint at the known name that differs from an unknown one by case, blanks or leading zeros; else nothing.

    >>> import numpy as np
    >>> near_name("0042", np.array(["42", "7"], dtype=object))
    "; '42' is there: were leading zeros lost?"
    """
    text = pd.Series(known, dtype=object).astype(str)
    alike = text[_plain(text) == _plain(pd.Series([name])).iloc[0]]
    if len(alike):
        return f"; {alike.iloc[0]!r} is there: do names differ by case or blanks?"
    if name.strip("0"):
        alike = text[text.str.lstrip("0") == name.lstrip("0")]
        return f"; {alike.iloc[0]!r} is there: were leading zeros lost?" if len(alike) else ""
    return ""


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
    warnings.warn(message, GraphWarning, stacklevel=4)
