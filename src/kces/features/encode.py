"""One column of a table as columns of numbers: numbers stay, flags are 0/1, dates are days, few words are one-hot.

Lists of numbers of one length, such as embeddings, are as many columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError
from kces.features.cell_values import read_compact_dates, read_dates, read_flags, read_numbers
from kces.features.landmarks import landmark_ranks, landmarks_among, shares_of_landmarks
from kces.features.missing import as_text, missing_cells, missing_days
from kces.features.own_values import OwnColumn, in_words
from kces.features.written_dates import are_written_dates, dates_of_other_forms, read_written_dates
from kces.features.written_numbers import are_written_numbers, read_written_numbers, refuse_doubtful_points
from kces.types import Array, Bools, Values

__all__ = ["EncodedColumn", "encode_column"]

_FEW_LEVELS, _MOST_LEVELS = 20, 1_000
"""A text column with few values is a category, unless most rows have one of their own. One with many (countries,
merchants) is one if its values return, ``_ROWS_PER_LEVEL`` times on average; beyond it holds names."""
_ROWS_PER_LEVEL = 5
_MOST_ENTRIES = 2**27
"""Rows times values of one text column: a gigabyte."""

_ONE_VALUE = 1e-12
_ROWS_TO_COUNT = 20
"""Rows below which consecutive numbers may be chance."""
_NESTED = (list, tuple, set, dict, np.ndarray)


@dataclass(frozen=True)
class EncodedColumn:
    """What became of one column.

    Attributes
    ----------
    source : its name in the table.
    kind : numbers, written (numbers with signs, separators or units), flags, dates, words, ticks (one value and
        blanks), lists, near (shares of landmarks) or nothing (no cell has a value).
    names : the columns made of it; an indicator of missing cells comes last.
    values : ``(rows, len(names))``.
    measured : for each of them, whether it is a quantity with a scale of its own and not 0 or 1.
    missing : how many cells had no value.
    cells : (rows,) the column as it was handed in; None for lists, whose places are the columns.
    order : of dates that are not in ISO form, which part comes first.
    marked : whether the last column marks missing cells; where it does not, a missing cell has zeros.
    """

    source: str
    kind: str
    names: list[str]
    values: Array
    measured: list[bool]
    missing: int
    cells: Values | None = None
    order: str = ""
    marked: bool = False

    @property
    def counts_rows(self) -> bool:
        """Whether it numbers the rows, as the index of a table does that was written out with it."""
        if self.kind != "numbers" or self.missing or len(self.values) < _ROWS_TO_COUNT:
            return False
        return bool((np.diff(self.values[:, 0]) == 1.0).all())

    def own_columns(self) -> list[tuple[OwnColumn, int]]:
        """The column as its owner wrote it, with the number of features made of it; of lists each place by itself."""
        if self.cells is not None:
            return [(OwnColumn(self.source, self.cells), len(self.names))]
        return [(OwnColumn(name, self.values[:, place]), 1) for place, name in enumerate(self.names)]

    def by_nearness(self, counted: Bools | None = None) -> EncodedColumn:
        """A measured column as shares of landmarks, which lie among the values of the ``counted`` rows.

        >>> column = encode_column("age", pd.Series(["20", "NA", "60", "40"])).by_nearness()
        >>> column.names, column.values[:2].tolist()
        (['age near 20', 'age near 40', 'age near 60'], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        """
        values = self.values[:, 0]
        known = self.values[:, -1] == 0 if self.marked else np.ones(len(values), dtype=bool)
        told = values[known & counted] if counted is not None and (known & counted).any() else values[known]
        landmarks = landmarks_among(np.quantile(told, landmark_ranks(len(told))))
        shares = shares_of_landmarks(values, landmarks) * known[:, None]
        names = [f"{self.source} near {in_words(landmark)}" for landmark in landmarks.tolist()]
        return replace(self, kind="near", names=names, values=shares, measured=[False] * len(names), marked=False)

    @property
    def is_flag(self) -> bool:
        """Whether it is 0 or 1 where it is known, and a 0 is an answer: no."""
        return self.kind in ("flags", "numbers") and bool(self.names) and not self.measured[0]

    def with_negative(self) -> EncodedColumn:
        """A flag with a column for the answer no beside that for yes.

        >>> column = encode_column("vip", pd.Series(["yes", "no"])).with_negative()
        >>> column.names, column.values.tolist()
        (['vip', 'not vip'], [[1.0, 0.0], [0.0, 1.0]])
        """
        values = np.insert(self.values, 1, 1.0 - self.values[:, 0], axis=1)
        names = [self.names[0], f"not {self.names[0]}", *self.names[1:]]
        return replace(self, names=names, values=values, measured=[False, *self.measured])

    def without_constants(self) -> EncodedColumn:
        """Without columns that hold one value for all nodes; lists stay whole."""
        if self.kind == "lists" or not len(self.values):
            return self
        low, high = self.values.min(axis=0), self.values.max(axis=0)
        varies = high / 2 - low / 2 > _ONE_VALUE * np.maximum(np.abs(low), np.abs(high))
        kept = np.flatnonzero(varies)
        return replace(
            self,
            names=[self.names[place] for place in kept],
            values=self.values[:, kept],
            measured=[self.measured[place] for place in kept],
            marked=self.marked and len(self.names) - 1 in kept,
        )


def encode_column(name: str, column: pd.Series) -> EncodedColumn:
    """The column as numbers, or an error that names it and says what to do.

    >>> encoded = encode_column("city", pd.Series(["Rome", "Oslo", "", "Oslo", "Rome"]))
    >>> encoded.names, encoded.values[2].tolist()
    (['city=Oslo', 'city=Rome'], [0.0, 0.0])
    >>> encode_column("age", pd.Series(["30", "NA", "50"])).values.tolist()
    [[30.0, 0.0], [40.0, 1.0], [50.0, 0.0]]
    >>> encode_column("place", pd.Series([[1, 2], [3, 4]])).names
    ['place[0]', 'place[1]']
    >>> encode_column("member", pd.Series(["x", "", "x"])).names
    ['member=x', 'member blank']
    """
    if column.dtype == object and any(isinstance(cell, _NESTED) for cell in column):
        return _from_lists(name, column)
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    if _is_typed(column):
        times = pd.api.types.is_datetime64_any_dtype(column.dtype)
        missing = missing_days(column) if times else column.isna().to_numpy(dtype=bool)
        read = _typed_values
        cells = column
    else:
        cells = as_text(column)
        missing = missing_cells(cells)
        read = _text_values
    if missing.all():
        return EncodedColumn(name, "nothing", [], np.empty((len(column), 0)), [], int(missing.sum()))
    if missing.any() and _is_one_value(cells[~missing]):
        return _ticks(name, cells, missing)
    kind, known, order = read(name, cells[~missing])
    if known is None:
        return replace(_one_hot(name, cells, missing), cells=_as_written(cells, missing))
    if np.isinf(known).any():
        place = column.index[~missing][int(np.isinf(known).argmax())]
        raise InvalidGraphError(
            f"column {name!r} holds an infinite value in row {place}; replace it or drop the column"
        )
    if kind == "numbers" and (days := read_compact_dates(known)) is not None:
        kind, known = "dates", days
    encoded = _filled(name, kind, known, missing)
    return replace(encoded, cells=_own_cells(column, kind, encoded.values[:, 0], missing), order=order)


def _own_cells(column: pd.Series, kind: str, values: Array, missing: Bools) -> Values:
    """What was handed in, as numbers where it is no more than that: they take less room than text."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "f":
        return column.to_numpy()
    return np.where(missing, np.nan, values) if kind == "numbers" else _as_written(column, missing)


def _as_written(cells: pd.Series, missing: Bools) -> Values:
    """The cells as they were, None where there is no value; a day without a time is the day alone."""
    if pd.api.types.is_datetime64_any_dtype(cells.dtype) and (cells.dropna() == cells.dropna().dt.normalize()).all():
        cells = cells.dt.date
    return cells.astype(object).where(~missing, None).to_numpy(dtype=object)


def _is_typed(column: pd.Series) -> bool:
    types = pd.api.types
    is_time = types.is_datetime64_any_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype)
    return bool(is_time or types.is_numeric_dtype(column.dtype))


def _typed_values(name: str, known: pd.Series) -> tuple[str, Array | None, str]:
    types = pd.api.types
    if types.is_datetime64_any_dtype(known.dtype):
        known = known - known.min()
    if types.is_timedelta64_dtype(known.dtype):
        return "dates", (known / pd.Timedelta(days=1)).to_numpy(dtype=np.float64), ""
    if types.is_complex_dtype(known.dtype):
        raise InvalidGraphError(f"column {name!r} holds complex numbers; split it into two columns or drop it")
    kind = "flags" if types.is_bool_dtype(known.dtype) else "numbers"
    return kind, known.to_numpy(dtype=np.float64), ""


def _text_values(name: str, known: pd.Series) -> tuple[str, Array | None, str]:
    """The kind of the cells, their values if they are no words, and the order of written dates."""
    if (flags := read_flags(known)) is not None:
        return "flags", flags, ""
    if (numbers := read_numbers(known)) is not None:
        refuse_doubtful_points(name, known)
        return "numbers", numbers, ""
    if (dates := read_dates(known)) is not None:
        return "dates", dates, ""
    if (written := read_written_dates(name, known)) is not None:
        order, days = written
        return "dates", days, order
    return "written", read_written_numbers(name, known), ""


def _filled(name: str, kind: str, known: Array, missing: Bools) -> EncodedColumn:
    """Missing cells get the median of the others, and a column of their own that marks them."""
    values = np.empty(len(missing))
    values[~missing] = known
    values[missing] = np.median(known)
    measured = not bool(np.isin(known, (0.0, 1.0)).all())
    if not missing.any():
        return EncodedColumn(name, kind, [name], values[:, None], [measured], 0)
    block = np.stack([values, missing.astype(np.float64)], axis=1)
    names = [name, f"{name} missing"]
    return EncodedColumn(name, kind, names, block, [measured, False], int(missing.sum()), marked=True)


def _from_lists(name: str, column: pd.Series) -> EncodedColumn:
    """One column per place in the lists; they were made together and have one scale. Missing lists get medians."""
    missing = column.isna().to_numpy(dtype=bool)
    try:
        known = np.array(column[~missing].tolist())
    except ValueError:  # lists of different lengths
        known = np.empty(0, dtype=object)
    if known.ndim != 2 or not known.shape[1] or known.dtype.kind not in "biuf" or not np.isfinite(known).all():
        raise InvalidGraphError(
            f"column {name!r} holds nested values that are no lists of numbers of one length;"
            " give each part a column of its own, or drop it"
        )
    values = np.empty((len(column), known.shape[1]))
    values[~missing], values[missing] = known, np.median(known, axis=0)
    names = [f"{name}[{place}]" for place in range(known.shape[1])]
    if missing.any():
        values, names = np.column_stack([values, missing]), [*names, f"{name} missing"]
    marked = bool(missing.any())
    return EncodedColumn(name, "lists", names, values, [False] * len(names), int(missing.sum()), marked=marked)


def _one_hot(name: str, text: pd.Series, missing: Bools) -> EncodedColumn:
    known = text[~missing]
    _refuse_strays(name, known, pd.to_numeric(known, errors="coerce").notna().to_numpy(), "a number")
    levels = sorted(known.unique())
    if not _are_categories(len(levels), len(text)):
        _refuse_strays(name, known, are_written_dates(known), "a date")
        _refuse_strays(name, known, are_written_numbers(known), "a number")
        if (remedy := dates_of_other_forms(known)) is not None:
            raise InvalidGraphError(f"column {name!r} holds {known.iloc[0][:40]!r}: {remedy}")
        raise InvalidGraphError(
            f"column {name!r} holds text with {len(levels)} values in {len(text)} rows (such as {levels[0][:30]!r}),"
            " too many to be categories; drop it, or encode it as numbers (dates as 2024-01-31)"
        )
    block = np.zeros((len(text), len(levels)))
    codes = pd.Categorical(known, categories=levels).codes
    block[np.flatnonzero(~missing), codes] = 1.0
    names = [f"{name}={level}" for level in levels]
    return EncodedColumn(name, "words", names, block, [False] * len(names), int(missing.sum()))


def _is_one_value(known: pd.Series) -> bool:
    """Twice or more: what stands in a single row is no mark that others lack."""
    return len(known) > 1 and bool((known == known.iloc[0]).all())


def _ticks(name: str, cells: pd.Series, missing: Bools) -> EncodedColumn:
    """A column with one value and blanks: what is told is whether the box is ticked, so that a blank is an answer."""
    ticked = cells[~missing].iloc[0]
    names = [f"{name}={in_words(ticked) if isinstance(ticked, float) else ticked}", f"{name} blank"]
    block = np.stack([~missing, missing], axis=1).astype(np.float64)
    return EncodedColumn(name, "ticks", names, block, [False, False], 0, _as_written(cells, missing))


def _are_categories(levels: int, rows: int) -> bool:
    """
    >>> _are_categories(20, 40), _are_categories(20, 30), _are_categories(60, 600), _are_categories(60, 200)
    (True, False, True, False)
    """
    if levels <= _FEW_LEVELS:
        return 2 * levels <= rows
    return levels <= _MOST_LEVELS and _ROWS_PER_LEVEL * levels <= rows and levels * rows <= _MOST_ENTRIES


def _refuse_strays(name: str, known: pd.Series, fits: Bools, expected: str) -> None:
    """Numbers or dates with a stray word among them are a damaged column and no set of categories."""
    strays = known[~fits]
    if 0 < 2 * len(strays) <= len(known):
        raise InvalidGraphError(
            f"column {name!r} has {strays.iloc[0][:40]!r} in row {strays.index[0]} where {expected} is expected"
            f"{_how_many(len(strays))}; correct the cell, leave it empty or drop the column"
        )


def _how_many(strays: int) -> str:
    return "" if strays == 1 else f" ({strays} cells are no such)"
