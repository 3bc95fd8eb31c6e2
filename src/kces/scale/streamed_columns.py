"""Columns of numbers read in a stream: which they are, what is known of each, and on what scale they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kces.features.cell_values import COMPACT_DAYS
from kces.features.landmarks import MOST_COLUMNS, landmark_ranks, landmarks_among
from kces.features.own_values import in_words
from kces.features.prepare import negatives_note
from kces.features.scaling import COUNTS_WITH_ZEROS, column_count, reason_of_codes, reason_of_moments
from kces.scale.table_sources import TableSource
from kces.scale.workbench import run_query
from kces.types import Array

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["NumberColumn", "number_columns", "on_one_scale", "with_negatives"]

_SHORT = {"FLOAT", "TINYINT", "SMALLINT", "UTINYINT", "USMALLINT", "BOOLEAN"}
"""Types whose values 32 bits hold exactly."""
_NUMBERS = _SHORT | {"DOUBLE", "INTEGER", "BIGINT", "HUGEINT", "UINTEGER", "UBIGINT"}
_ONE_VALUE = 1e-12


@dataclass(frozen=True)
class NumberColumn:
    """One column of features that are numbers throughout.

    Attributes
    ----------
    name : in the graph.
    expression : how SQL gets it from the table.
    fits_single : whether 32 bits hold its values.
    from_list : whether it is one place of a list; lists were made together and have one scale.
    varies : whether it has more than one value.
    flags : whether all values are 0 or 1.
    low, high, mean, spread : of its values at nodes with a link; mean and spread in units of ``size``, the largest
        absolute value of these.
    zeros : share of zeros among them.
    whole : whether they are whole.
    is_share : whether it is made of another column, as the share of a landmark.
    landmarks : values spread over a measured column, by which near values are told.
    center, width : what is taken off, and what then divides; 0 and 1 leave it alone.
    """

    name: str
    expression: str
    fits_single: bool = False
    from_list: bool = False
    varies: bool = True
    flags: bool = False
    low: float = 0.0
    high: float = 0.0
    mean: float = 0.0
    spread: float = 0.0
    zeros: float = 0.0
    whole: bool = False
    is_share: bool = False
    landmarks: tuple[float, ...] = ()
    center: float = 0.0
    width: float = 1.0

    @property
    def size(self) -> float:
        return max(abs(self.low), abs(self.high)) or 1.0

    @property
    def answers(self) -> bool:
        """Whether it is 0 or 1 in the table, and a 0 is an answer: no."""
        return self.flags and not self.from_list and not self.is_share

    @property
    def measured(self) -> bool:
        """Whether it is a quantity with a scale of its own."""
        return not self.from_list and not self.flags


def number_columns(
    connection: DuckDBPyConnection, table: TableSource, names: Sequence[str], linked: str
) -> list[NumberColumn] | None:
    """The columns as numbers with all that is known of them, or None where some cell is no finite number.

    Parameters
    ----------
    connection : of a workbench.
    table : whose columns they are.
    names : the columns to use.
    linked : the rows of nodes with a link, from which scales are taken, as SQL.
    """
    kinds = dict(zip(table.columns, table.kinds, strict=True))
    found: list[NumberColumn] = []
    for name in names:
        places = _places(connection, table, name, kinds[name])
        if places is None:
            return None
        found += places
    described = []
    for column in found:  # a query per column: hundreds of aggregates in one would need their memory at once
        known = _known(connection, table, column, linked)
        if known is None:
            return None
        described.append(known)
    return described


def _places(connection: DuckDBPyConnection, table: TableSource, name: str, kind: str) -> list[NumberColumn] | None:
    """The columns that one column of the table stands for: itself, or the places of its lists."""
    if table.is_text:
        # trim: without it DuckDB moves the cast into its reader of CSV, which fails on the first word
        return [NumberColumn(name, f'TRY_CAST(trim("{name}") AS DOUBLE)')]
    element, bracket, _ = kind.partition("[")
    if element not in _NUMBERS:
        return None
    if not bracket:
        return [NumberColumn(name, f'CAST("{name}" AS DOUBLE)', kind in _SHORT)]
    lengths = f'SELECT min(len("{name}")), max(len("{name}")), count(*) - count("{name}") FROM {table.select}'
    least, most, missing = run_query(connection, lengths, table.path)[0]
    if least != most or missing:
        return None
    return [
        NumberColumn(f"{name}[{place}]", f'CAST("{name}"[{place + 1}] AS DOUBLE)', element in _SHORT, True)
        for place in range(int(least))
    ]


def _known(
    connection: DuckDBPyConnection, table: TableSource, column: NumberColumn, linked: str
) -> NumberColumn | None:
    x = column.expression
    missing, finite, low, high, flags = run_query(
        connection,
        f"SELECT count(*) - count(x), coalesce(bool_and(isfinite(x)), false), min(x), max(x), bool_and(x IN (0, 1))"
        f" FROM (SELECT {x} AS x FROM {table.select})",
        table.path,
    )[0]
    if missing or not finite:
        return None
    if COMPACT_DAYS[0] <= low and high <= COMPACT_DAYS[1]:  # they may be dates, which the reader in memory tells
        return None
    varies = high / 2 - low / 2 > _ONE_VALUE * max(abs(low), abs(high))
    low, high, zeros, whole = run_query(
        connection,
        f"SELECT min(x), max(x), avg(CAST(x = 0 AS INT)), bool_and(x = floor(x)) FROM (SELECT {x} AS x FROM {linked})",
        table.path,
    )[0]
    column = replace(column, varies=varies, flags=flags, low=low, high=high, zeros=zeros, whole=whole)
    mean, spread = run_query(
        connection,
        f"SELECT avg(x), stddev_pop(x) FROM (SELECT {x} / {column.size!r} AS x FROM {linked})",
        table.path,
    )[0]
    column = replace(column, mean=mean, spread=spread)
    return replace(column, landmarks=_landmarks(connection, table, column, linked)) if column.measured else column


def _landmarks(
    connection: DuckDBPyConnection, table: TableSource, column: NumberColumn, linked: str
) -> tuple[float, ...]:
    values = f"FROM (SELECT {column.expression} AS x FROM {linked})"
    count = run_query(connection, f"SELECT count(x) {values}", table.path)[0][0]
    ranks = ", ".join(repr(float(rank)) for rank in landmark_ranks(count))
    quantiles = run_query(connection, f"SELECT quantile_cont(x, [{ranks}]) {values}", table.path)[0][0]
    return tuple(landmarks_among(np.array(quantiles)).tolist())


def on_one_scale(columns: list[NumberColumn], scale: str) -> tuple[list[NumberColumn], str]:
    """The columns to store, with what is taken off and divided, and a line that says what was done.

    The rule is that of :func:`kces.features.prepare_features`: constants go; where scales differ, measured columns are
    compared by nearness, and many of them standardized.

    >>> ages = NumberColumn("age", "age", low=20, high=60, mean=0.67, spread=0.27, landmarks=(20, 30, 60))
    >>> cents = NumberColumn("cents", "cents", low=1e6, high=3e6, mean=0.67, spread=0.27, landmarks=(1e6, 3e6))
    >>> columns, note = on_one_scale([ages, cents], "auto")
    >>> note
    '2 columns compared by nearness: the spreads differ by a factor of 50000'
    >>> [column.name for column in columns]
    ['age near 20', 'age near 30', 'age near 60', 'cents near 1000000', 'cents near 3000000']
    """
    if scale == "none":
        return columns, ""
    columns = [column for column in columns if column.from_list or column.varies] or columns
    measured = [column for column in columns if column.measured]
    if not measured:
        return columns, ""
    alone = "it stands alone" if len(columns) == 1 and scale == "auto" else ""
    reason = "as asked" if scale == "standard" else alone or _reason(measured, len(measured) < len(columns))
    if not reason:
        return columns, ""
    count = column_count(len(measured))
    if scale == "auto" and len(measured) <= MOST_COLUMNS:
        near = [part for column in columns for part in (_by_nearness(column) if column.measured else [column])]
        return near, f"{count} compared by nearness: {reason}"
    scaled = [_standardized(column) if column.measured else column for column in columns]
    return scaled, f"{count} standardized: {reason}"


def with_negatives(
    connection: DuckDBPyConnection, table: TableSource, columns: list[NumberColumn], linked: str
) -> tuple[list[NumberColumn], str]:
    """The columns, flags with one for the answer no where a row would have nothing at all, as in memory."""
    flags = [column for column in columns if column.answers]
    if not 1 <= len(flags) <= MOST_COLUMNS:
        return columns, ""
    nothing = " AND ".join(f"({column.expression}) = 0" for column in columns)
    if not run_query(connection, f"SELECT count(*) FROM {linked} WHERE {nothing}", table.path)[0][0]:
        return columns, ""
    return [part for each in columns for part in _with_negative(each)], negatives_note(len(flags))


def _with_negative(column: NumberColumn) -> list[NumberColumn]:
    if not column.answers:
        return [column]
    return [column, replace(column, name=f"not {column.name}", expression=f"1.0 - ({column.expression})")]


def _by_nearness(column: NumberColumn) -> list[NumberColumn]:
    """Shares of landmarks, as :func:`kces.features.landmarks.shares_of_landmarks` has them, each a column."""
    marks = column.landmarks
    at = f"greatest({marks[0]!r}, least({marks[-1]!r}, {column.expression})) / 2"
    made = []
    for place, mark in enumerate(marks):
        rising = f"({at} - {marks[place - 1] / 2!r}) / {mark / 2 - marks[place - 1] / 2!r}" if place else "1.0"
        last = place == len(marks) - 1
        falling = "1.0" if last else f"({marks[place + 1] / 2!r} - {at}) / {marks[place + 1] / 2 - mark / 2!r}"
        share = f"greatest(0.0, least(1.0, {rising}, {falling}))"
        made.append(NumberColumn(f"{column.name} near {in_words(mark)}", share, flags=True, is_share=True))
    return made


def _reason(measured: list[NumberColumn], beside_flags: bool) -> str:
    counts = all(column.whole and column.low >= 0 and column.zeros > 0 for column in measured)
    if counts and np.mean([column.zeros for column in measured]) >= COUNTS_WITH_ZEROS:
        return ""
    means, spreads, sizes = (_values(measured, part) for part in ("mean", "spread", "size"))
    apart = reason_of_moments(means, spreads, sizes, beside_flags=beside_flags)
    if len(measured) > MOST_COLUMNS:
        return apart
    whole = _values(measured, "whole").astype(bool)
    return apart or reason_of_codes(_values(measured, "low"), _values(measured, "high"), whole)


def _values(columns: list[NumberColumn], part: str) -> Array:
    return np.array([getattr(column, part) for column in columns])


def _standardized(column: NumberColumn) -> NumberColumn:
    if column.spread <= _ONE_VALUE * abs(column.mean):
        return replace(column, center=column.low, width=1.0, fits_single=True)
    center, width = column.mean * column.size, column.spread * column.size
    return replace(column, center=center, width=width, fits_single=False)
