"""A whole table of node features as one matrix, and what was done in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.features.encode import EncodedColumn, encode_column
from kces.features.landmarks import MOST_COLUMNS, MOST_LANDMARKS
from kces.features.own_values import OwnColumn, OwnValues, in_words
from kces.features.scaling import check_scale, column_count, scale_columns, why_to_compare_by_nearness, with_ones
from kces.memory import require_memory
from kces.types import Array, Bools

__all__ = ["LEVEL", "NO_ROW", "PreparedFeatures", "prepare_features", "select_columns", "with_unknown_rows"]

NO_ROW = "no row"
"""Name of the column that marks nodes without a row in the table."""
LEVEL = " (level)"
"""Ends the name of the column of ones beside a column that stands alone."""
_NAMED_IN_A_NOTE = 5


@dataclass(frozen=True, eq=False)
class PreparedFeatures:
    """Node features ready for a graph.

    Attributes
    ----------
    matrix : one row per row of the table, finite numbers.
    names : what each column of ``matrix`` is.
    notes : what was done, one line each, for people.
    own : the columns as they were handed in, for explanations.
    """

    matrix: Array
    names: list[str]
    notes: list[str]
    own: OwnValues


def prepare_features(
    frame: pd.DataFrame,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    scale: str = "auto",
    counted: Bools | None = None,
) -> PreparedFeatures:
    """Turn a table of mixed columns into features.

    Numbers stay, booleans are 0/1 (with a column for "no" where a node has nothing else), dates are days since the
    first, text with few values is one-hot, other text is refused by name; lists of numbers of one length are one column
    per place. Columns with one value for all nodes are left out, if others are there. Missing values (empty, NA, NaN,
    null, None, ?) say nothing; of numbers that are taken as they are they get the median and a 0/1 column that marks
    them.

    Parameters
    ----------
    frame : one row per node, without the node id.
    columns, drop : the columns to use, or to leave out; all are used without.
    scale : ``"auto"`` compares measured columns by nearness (:mod:`kces.features.landmarks`) if there is one alone or
        their scales differ (:func:`kces.features.scaling.why_to_compare_by_nearness`); more than 32 it standardizes.
        ``"standard"`` always standardizes, one that stands alone with a column of ones beside it
        (:func:`kces.features.scaling.with_ones`); ``"none"`` takes the numbers as they are.
    counted : (rows,) which rows the scales are taken from, those of nodes with a link; default all.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [20, None, 60, 40], "vip": [True, False, True, True], "city": list("OROR")})
    >>> prepared = prepare_features(frame)
    >>> prepared.names
    ['age near 20', 'age near 40', 'age near 60', 'vip', 'city=O', 'city=R']
    >>> for line in prepared.notes:
    ...     print(line)
    1 missing value left blank: age (1)
    text as one 0/1 column per value: city (2)
    1 column compared by nearness: the spreads differ by a factor of 28
    """
    check_scale(scale)
    chosen = select_columns([str(name) for name in frame.columns], columns, drop)
    columns_at_once = 3 * len(chosen) + (2 * MOST_LANDMARKS * min(len(chosen), MOST_COLUMNS) if scale == "auto" else 0)
    remedy = "drop columns you do not need" + (", or standardize them (scale)" if scale == "auto" else "")
    require_memory(8 * len(frame) * columns_at_once, "a table of features", remedy)
    encoded = [encode_column(str(frame.columns[position]), frame.iloc[:, position]) for position in chosen]
    if not any(column.names for column in encoded):
        raise InvalidGraphError("the table of features has no column with values; leave it out to use the graph alone")
    # A table that is taken as it is keeps its constants, too: what is written back must be what was read.
    varying = encoded if scale == "none" else [column.without_constants() for column in encoded]
    used = [column for column in varying if column.names] or [column for column in encoded if column.names]
    if scale != "none" and columns is None:
        used = [column for column in used if not column.counts_rows] or used
    if counted is not None and not counted.any():
        counted = None
    used, near = _by_nearness(used, scale, counted)
    used, answers = (used, "") if scale == "none" else _with_negatives(used, counted)
    matrix, names, scaling = _on_one_scale(used, "none" if near else scale, counted)
    own = OwnValues.of([each for column in used for each in column.own_columns()])
    if len(names) > len(own.made_from):  # a column of ones beside the only one
        own = OwnValues(own.columns, np.zeros(len(names), dtype=np.int64))
    said = [note for note in (answers, near, scaling) if note]
    return PreparedFeatures(matrix, names, [*_notes(encoded, used), *said], own)


def _by_nearness(used: list[EncodedColumn], scale: str, counted: Bools | None) -> tuple[list[EncodedColumn], str]:
    """The columns, the measured ones as shares of landmarks where that is called for, and a line that says so."""
    measured = [column for column in used if any(column.measured)]
    if scale != "auto" or not 1 <= len(measured) <= MOST_COLUMNS:
        return used, ""
    if len(used) == 1:
        reason = "it stands alone"
    else:
        matrix, flags = _side_by_side(used)
        reason = why_to_compare_by_nearness(matrix if counted is None else matrix[counted], flags)
    if not reason:
        return used, ""
    near = [column.by_nearness(counted) if any(column.measured) else column for column in used]
    return near, f"{column_count(len(measured))} compared by nearness: {reason}"


def _with_negatives(used: list[EncodedColumn], counted: Bools | None) -> tuple[list[EncodedColumn], str]:
    """The columns, flags with one for "no" where a row would have nothing at all without it, and a line that says so.

    Such a row has answered; to the score it would be a node of which nothing is known. Many columns of 0 and 1 are left
    alone: of a hundred words that a node lacks it is not told.
    """
    flags = [column for column in used if column.is_flag]
    if not 1 <= len(flags) <= MOST_COLUMNS:
        return used, ""
    empty = ~_side_by_side(used)[0].any(axis=1)
    if not (empty if counted is None else empty & counted).any():
        return used, ""
    answered = [column.with_negative() if column.is_flag else column for column in used]
    return answered, negatives_note(len(flags))


def negatives_note(flags: int) -> str:
    """
    >>> negatives_note(1)
    'the answer no is a column of its own (1 column of 0 and 1): some nodes have no other'
    """
    return f"the answer no is a column of its own ({column_count(flags)} of 0 and 1): some nodes have no other"


def _side_by_side(used: list[EncodedColumn]) -> tuple[Array, Bools]:
    """All columns of features, and which of them are measured."""
    return np.hstack([column.values for column in used]), np.array([flag for each in used for flag in each.measured])


def _on_one_scale(used: list[EncodedColumn], scale: str, counted: Bools | None) -> tuple[Array, list[str], str]:
    """The matrix, the names of its columns, and a line that says what was done."""
    matrix, measured = _side_by_side(used)
    names = [name for column in used for name in column.names]
    if scale != "none" and len(used) == 1 and measured[0]:
        alone = np.column_stack([with_ones(matrix[:, 0], counted), matrix[:, 1:]])
        note = "1 column standardized: it stands alone; a column of ones beside it makes near values alike"
        return alone, [names[0], f"{names[0]}{LEVEL}", *names[1:]], note
    scaled, note = scale_columns(matrix, measured, scale, counted)
    return scaled, names, note


def select_columns(
    available: Sequence[str], columns: Sequence[str] | None = None, drop: Sequence[str] | None = None
) -> list[int]:
    """Positions of the columns to use; a name that is not there is an error.

    >>> select_columns(["age", "city", "note"], drop=["note"])
    [0, 1]
    """
    for name in (*(columns or ()), *(drop or ())):
        if name not in available:
            raise InvalidParameterError(f"no column {name!r} in the table; it has {', '.join(available)}")
    chosen = [
        position
        for position, name in enumerate(available)
        if (columns is None or name in columns) and name not in (drop or ())
    ]
    if not chosen:
        raise InvalidParameterError("no column is left in the table of features; leave it out to use the graph alone")
    return chosen


def with_unknown_rows(prepared: PreparedFeatures, n_unknown: int) -> PreparedFeatures:
    """The same with ``n_unknown`` rows more, of which nothing is known: medians, and a column that marks them.

    >>> more = with_unknown_rows(prepare_features(pd.DataFrame({"x": [1.0, 3.0]}), scale="none"), 1)
    >>> more.matrix.tolist(), more.names
    ([[1.0, 0.0], [3.0, 0.0], [2.0, 1.0]], ['x', 'no row'])
    """
    if n_unknown == 0:
        return prepared
    known = len(prepared.matrix)
    filled = np.tile(np.median(prepared.matrix, axis=0), (n_unknown, 1))
    mark = np.repeat([0.0, 1.0], [known, n_unknown])
    matrix = np.column_stack([np.vstack([prepared.matrix, filled]), mark])
    own = prepared.own.taken(np.append(np.arange(known), np.full(n_unknown, -1)))
    own = own.with_column(OwnColumn("row in the table", mark == 0))
    return PreparedFeatures(matrix, [*prepared.names, NO_ROW], prepared.notes, own)


def _notes(encoded: list[EncodedColumn], used: list[EncodedColumn]) -> list[str]:
    notes = []
    marked = {each.source for each in used if each.marked}
    gaps = [(each.source, each.missing) for each in encoded if each.missing and each.names]
    for said, columns in (
        ("filled with the median and marked", [gap for gap in gaps if gap[0] in marked]),
        ("left blank", [gap for gap in gaps if gap[0] not in marked]),
    ):
        if columns:
            total = sum(count for _, count in columns)
            notes.append(f"{total} missing value{'s' if total > 1 else ''} {said}: {_listed(columns)}")
    words = [(each.source, len(each.names)) for each in used if each.kind == "words"]
    if words:
        notes.append(f"text as one 0/1 column per value: {_listed(words)}")
    ticks = [(f"{each.source} ({int(each.values[:, 1].sum())} blank)", None) for each in used if each.kind == "ticks"]
    if ticks:
        notes.append(f"one value and blanks, a blank counts as no: {_listed(ticks)}")
    notes += [twins for each in used if each.kind == "words" and (twins := _near_twins(each))]
    written = [each for each in encoded if each.kind == "written"]
    if written:
        notes.append(f"read as numbers: {_listed([(_as_read(each), None) for each in written])}")
    dates = [(f"{each.source}{each.order and f' ({each.order})'}", None) for each in encoded if each.kind == "dates"]
    if dates:
        notes.append(f"dates as days: {_listed(dates)}")
    empty = [(each.source, None) for each in encoded if not each.names]
    if empty:
        notes.append(f"left out, no values: {_listed(empty)}")
    of_use = {each.source for each in used}
    counting = [(each.source, None) for each in encoded if each.counts_rows and each.source not in of_use]
    if counting:
        notes.append(f"left out, it only counts the rows: {_listed(counting)}")
    idle = [each for each in encoded if each.names and each.source not in of_use and not each.counts_rows]
    constant = [(each.source, None) for each in idle]
    if constant:
        notes.append(f"left out, one value for all nodes: {_listed(constant)}")
    return notes


def _near_twins(column: EncodedColumn) -> str:
    """Two values of a column that the eye takes for one, or nothing.

    >>> _near_twins(encode_column("city", pd.Series(["Lima", "LIMA", "Oslo", "Oslo", "Lima", "LIMA"])))
    "city: 'LIMA' and 'Lima' are taken for two values"
    """
    levels = [name.removeprefix(f"{column.source}=") for name in column.names]
    seen: dict[str, str] = {}
    for level in levels:
        first = seen.setdefault(" ".join(level.casefold().split()), level)
        if first != level:
            return f"{column.source}: {first!r} and {level!r} are taken for two values"
    return ""


def _as_read(column: EncodedColumn) -> str:
    """
    >>> _as_read(encode_column("income", pd.Series(["", "€ 1,200.50"])))
    'income (€ 1,200.50 is 1200.5)'
    """
    row = 0 if column.cells is None else next(row for row, cell in enumerate(column.cells) if cell is not None)
    read = in_words(OwnColumn("", column.values[:, 0]).value(row))
    return f"{column.source} ({'' if column.cells is None else column.cells[row]} is {read})"


def _listed(items: Sequence[tuple[str, int | None]]) -> str:
    shown = [name if count is None else f"{name} ({count})" for name, count in items[:_NAMED_IN_A_NOTE]]
    more = len(items) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
