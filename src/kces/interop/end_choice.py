"""Which two columns of a table are the ends of its edges: by name, by what the cells share, or asked."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from kces.errors import AmbiguousInputError, GraphWarning, InvalidParameterError
from kces.features.cell_values import read_dates, read_flags
from kces.features.written_dates import are_written_dates
from kces.interop.end_names import are_two_kinds, is_no_end_name, known_pairs
from kces.interop.text_table import is_number

__all__ = ["EndChoice", "choose_ends", "column_position"]

_LOOKED_AT = 100_000
_CLEARLY = 0.5
_A_FEW = 20
"""Rows from which on it is no chance that none has the end of another."""


@dataclass(frozen=True)
class EndChoice:
    """The two columns, and how they were found, for people.

    Attributes
    ----------
    source, target : positions from 0.
    names : the table's column names; without a header, made up.
    header : where the names stand ("line 1"), or None without a header.
    """

    source: int
    target: int
    names: tuple[str, ...]
    header: str | None = None

    def __str__(self) -> str:
        """
        >>> str(EndChoice(1, 2, ("tx", "payer", "payee"), "line 1"))
        'columns payer -> payee (header on line 1)'
        >>> str(EndChoice(0, 1, ("source", "target")))
        'columns 1 -> 2 (no header)'
        """
        if self.header is None:
            return f"columns {self.source + 1} -> {self.target + 1} (no header)"
        place = f" (header on {self.header})" if self.header else ""
        return f"columns {self.names[self.source]} -> {self.names[self.target]}{place}"


def column_position(wanted: str | int, names: Sequence[str] | None, width: int, path: Path) -> int:
    """Position of a column given by name, in any case, or by its number counted from 1.

    >>> column_position("Payee", ["tx", "payer", "payee"], 3, Path("links.csv")), column_position(1, None, 3, Path("x"))
    (2, 0)
    """
    text = str(wanted).strip()
    for fold in (str, str.lower):
        same = [position for position, name in enumerate(names or ()) if fold(name) == fold(text)]
        if len(same) == 1:
            return same[0]
        if len(same) > 1:
            raise InvalidParameterError(f"{path} has {len(same)} columns named {text!r}; give its number, from 1")
    if text.isdecimal() and 1 <= int(text) <= width:
        return int(text) - 1
    has = f"it has {', '.join(repr(name) for name in names)}" if names else "it has no header"
    raise InvalidParameterError(f"{path} has no column {text!r}; {has} and {width} columns")


def choose_ends(
    cells: pd.DataFrame,
    names: Sequence[str] | None,
    path: Path,
    *,
    source: str | int | None = None,
    target: str | int | None = None,
) -> tuple[int, int]:
    """Positions of the source and the target column of ``cells`` (text, without the header).

    Given ones are taken, then a known pair of names, then the only two columns that can be ends: no amounts, dates
    or flags, and sharing their values. In a file without names the first two are taken if they can be. Else: asked.

    >>> rows = pd.DataFrame([["t1", "ann", "bob"], ["t2", "bob", "cy"]])
    >>> choose_ends(rows, ["no", "giver", "getter"], Path("links.csv"))
    (1, 2)
    """
    ends = _chosen(cells, names, path, source, target)
    if names is not None:
        _warn_of_two_kinds(cells.iloc[:_LOOKED_AT], (names[ends[0]], names[ends[1]]), ends, path)
    return ends


def _chosen(
    cells: pd.DataFrame, names: Sequence[str] | None, path: Path, source: str | int | None, target: str | int | None
) -> tuple[int, int]:
    width = cells.shape[1]
    if source is not None or target is not None:
        return _given(source, target, names, width, path)
    pairs = known_pairs(names or ())
    if width > 2:  # a term of office goes from a day to a day
        pairs = [pair for pair in pairs if not any(_are_values(cells.iloc[:_LOOKED_AT, end]) for end in pair)]
    if len(pairs) > 1:
        pairs = [pair for pair in pairs if all(_can_be_end(cells.iloc[:_LOOKED_AT, end]) for end in pair)]
    if len(pairs) == 1:
        return pairs[0]
    if len(pairs) > 1:
        raise _question(path, names, sorted({end for pair in pairs for end in pair}))
    looked_at = cells.iloc[:_LOOKED_AT]
    if width > 2:
        return _by_values(looked_at, names, path)
    if _are_no_ends(looked_at, names):
        raise _question(path, names, [0, 1])
    return 0, 1


def _warn_of_two_kinds(cells: pd.DataFrame, names: tuple[str, str], ends: tuple[int, int], path: Path) -> None:
    """User 5 and movie 5 become one node: said where the columns' names are of two kinds and share whole numbers."""
    if not are_two_kinds(*names):
        return
    one, other = (cells.iloc[:, end].str.strip() for end in ends)
    shared = set(one) & set(other)
    if shared and all(column.str.isdecimal().all() for column in (one, other)):
        warnings.warn(
            f"{path}: {len(shared)} number(s) are in {names[0]!r} and in {names[1]!r}, and each is taken for one node;"
            f" if {names[0]} {min(shared, key=int)} is not {names[1]} {min(shared, key=int)}, put a letter before the"
            " numbers of one column",
            GraphWarning,
            stacklevel=4,
        )


def _given(
    source: str | int | None, target: str | int | None, names: Sequence[str] | None, width: int, path: Path
) -> tuple[int, int]:
    if source is None or target is None:
        raise InvalidParameterError("give both source and target, or neither")
    ends = column_position(source, names, width, path), column_position(target, names, width, path)
    if ends[0] == ends[1]:
        raise InvalidParameterError(f"source and target are the same column of {path}")
    return ends


def _by_values(cells: pd.DataFrame, names: Sequence[str] | None, path: Path) -> tuple[int, int]:
    possible = [
        position
        for position in range(cells.shape[1])
        if not (names and is_no_end_name(names[position])) and _can_be_end(cells.iloc[:, position])
    ]
    if len(possible) == 2 and not _are_measurements(cells.iloc[:, possible], names):
        return _unless_a_node_table(cells, names, path, (possible[0], possible[1]))
    shared = {pair: _shared(cells.iloc[:, pair[0]], cells.iloc[:, pair[1]]) for pair in combinations(possible, 2)}
    ranked = sorted(shared, key=lambda pair: -shared[pair])
    if ranked and shared[ranked[0]] > 0 and (len(ranked) == 1 or shared[ranked[1]] < _CLEARLY * shared[ranked[0]]):
        return ranked[0]
    numbers = [position for position in possible if is_number(cells.iloc[:, position]).all()]
    words = [position for position in possible if position not in numbers]
    if len(words) == 2:
        return _unless_a_node_table(cells, names, path, (words[0], words[1]))
    first_two = possible[:2] == [0, 1] and not _counts_rows(cells.iloc[:, 0])
    if names is None and first_two and set(possible[2:]) <= set(numbers):
        return 0, 1
    raise _question(path, names, possible or list(range(cells.shape[1])))


def _unless_a_node_table(
    cells: pd.DataFrame, names: Sequence[str] | None, path: Path, ends: tuple[int, int]
) -> tuple[int, int]:
    """The ends; but where every row names another node, and nothing links two of them, it is asked."""
    first, second = (cells.iloc[:, end] for end in ends)
    if names is not None and len(cells) >= _A_FEW and first.is_unique and not _shared(first, second):
        raise AmbiguousInputError(
            f"{path} looks like a table of nodes: each row has another {names[ends[0]]!r}, and none is in"
            f" {names[ends[1]]!r}. Which two of its columns are the ends of an edge?",
            ("source", "target"),
        )
    return ends


def _are_no_ends(cells: pd.DataFrame, names: Sequence[str] | None) -> bool:
    """Whether the only two columns are rather about an edge or a node: amounts, or an id and an age."""
    fractions = any(_holds_fractions(cells.iloc[:, end]) for end in (0, 1))
    about = names is not None and any(is_no_end_name(name) for name in names)
    return fractions or (about and not _shared(cells.iloc[:, 0], cells.iloc[:, 1]))


def _are_measurements(cells: pd.DataFrame, names: Sequence[str] | None) -> bool:
    """Whether two columns with names are numbers without one in common, as an age and an income are."""
    if names is None or _shared(cells.iloc[:, 0], cells.iloc[:, 1]):
        return False
    return all(bool(is_number(cells.iloc[:, place]).all()) for place in (0, 1))


def _holds_fractions(column: pd.Series) -> bool:
    numbers = pd.to_numeric(column.str.strip(), errors="coerce")
    return bool((numbers != np.floor(numbers)).any()) if numbers.notna().all() else False


def _are_values(column: pd.Series) -> bool:
    """Whether a column holds dates or fractions throughout, but for gaps."""
    cells = column.str.strip()
    cells = cells[cells != ""]
    if cells.empty:
        return False
    return _holds_fractions(cells) or read_dates(cells) is not None or bool(are_written_dates(cells).all())


def _can_be_end(column: pd.Series) -> bool:
    """Whether cells can be node names: no fractions, dates, flags or gaps."""
    cells = column.str.strip()
    if (cells == "").any():
        return False
    numbers = pd.to_numeric(cells, errors="coerce")
    if numbers.notna().all():
        return bool((numbers == np.floor(numbers)).all())
    return read_dates(cells) is None and not are_written_dates(cells).all() and read_flags(cells) is None


def _counts_rows(column: pd.Series) -> bool:
    """Whether a column only numbers the rows, from 0 or 1 or any other number on."""
    numbers = pd.to_numeric(column, errors="coerce")
    return len(numbers) > 2 and bool((numbers.diff().iloc[1:] == 1).all())


def _shared(first: pd.Series, second: pd.Series) -> float:
    """Share of the values of the larger vocabulary that the other has too; few grades are no part of many ids."""
    one, other = set(first.str.strip()), set(second.str.strip())
    return len(one & other) / max(len(one), len(other), 1)


def _question(path: Path, names: Sequence[str] | None, candidates: list[int]) -> AmbiguousInputError:
    shown = [f"{names[position]!r}" if names else f"number {position + 1}" for position in candidates]
    return AmbiguousInputError(
        f"{path}: which two of its columns are the ends of an edge: {', '.join(shown)}?", ("source", "target")
    )
