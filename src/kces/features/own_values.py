"""What a table says about a node, as its owner wrote it, beside the features that were made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from kces.types import Bools, Features, Ints, Values, is_sparse

__all__ = ["OwnColumn", "OwnValue", "OwnValues", "in_words", "own_columns"]

OwnValue: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True, eq=False)
class OwnColumn:
    """A column as it was handed in.

    ``cells`` has one entry per node: numbers with NaN where there is none, or objects with None.
    """

    name: str
    cells: Values

    def taken(self, order: Ints) -> OwnColumn:
        """The given rows in that order; -1 is a node of which nothing is known."""
        gap = np.nan if self.cells.dtype.kind == "f" else None
        cells = self.cells if gap is not None or self.cells.dtype == object else self.cells.astype(object)
        return OwnColumn(self.name, np.append(cells, np.array([gap], dtype=cells.dtype))[order])

    def is_missing(self, nodes: Ints) -> Bools:
        """Which of some nodes, in an array of any shape, have no value.

        >>> OwnColumn("x", np.array([1.0, np.nan])).is_missing(np.array([[0, 1]])).tolist()
        [[False, True]]
        """
        cells = self.cells[nodes]
        if cells.dtype != object:
            return np.asarray(cells != cells)  # NaN is the one number that is not itself
        return np.array([cell is None or cell != cell for cell in cells.ravel()], dtype=bool).reshape(cells.shape)

    def value(self, node: int) -> OwnValue:
        """The cell of a node as plain Python has it.

        >>> OwnColumn("income", np.array([1200.0, np.nan])).value(0), OwnColumn("x", np.array(["€ 5", None])).value(1)
        (1200, None)
        """
        cell: Any = self.cells[node]
        if cell is None or cell != cell:  # NaN is the one number that is not itself
            return None
        if isinstance(cell, (bool, np.bool_)):
            return bool(cell)
        if not isinstance(cell, (np.floating, np.integer, int, float)):
            return str(cell)
        number = float(str(cell))  # by way of text: 0.1 in 32 bits is 0.1, and no 0.10000000149
        return int(number) if number.is_integer() and abs(number) < 2**53 else number


@dataclass(frozen=True, eq=False)
class OwnValues:
    """The columns of a table, and which feature was made of which.

    Attributes
    ----------
    columns : the columns that features were made of.
    made_from : (F,) for each feature the position of its column; several may have one.
    """

    columns: tuple[OwnColumn, ...]
    made_from: Ints

    def taken(self, order: Ints) -> OwnValues:
        """The rows of the given nodes in that order; -1 is a node of which nothing is known."""
        return OwnValues(tuple(column.taken(order) for column in self.columns), self.made_from)

    def with_column(self, column: OwnColumn) -> OwnValues:
        """These and one column more, which is one feature more."""
        return OwnValues((*self.columns, column), np.append(self.made_from, len(self.columns)))

    @classmethod
    def of(cls, made: Sequence[tuple[OwnColumn, int]]) -> OwnValues:
        """From columns, each with the number of features that were made of it.

        >>> age = OwnColumn("age", np.array([30.0, 40.0]))
        >>> OwnValues.of([(age, 2)]).made_from.tolist()
        [0, 0]
        """
        return cls(tuple(column for column, _ in made), np.repeat(np.arange(len(made)), [count for _, count in made]))


def own_columns(matrix: Features) -> OwnValues | None:
    """The columns of a matrix before it is scaled, called by their numbers; None of a sparse one, which is not shifted.

    >>> own_columns(np.array([[5.0, 7.0]])).columns[1].name
    'feature 1'
    """
    if is_sparse(matrix):
        return None
    return OwnValues.of([(OwnColumn(f"feature {place}", cells), 1) for place, cells in enumerate(matrix.T)])


def in_words(value: OwnValue) -> str:
    """A value as people write it.

    >>> in_words(1200), in_words(0.25), in_words(True), in_words(None)
    ('1200', '0.25', 'yes', 'no value')
    """
    if value is None:
        return "no value"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.12g}" if abs(value) >= 1e5 else f"{value:.6g}"
    return str(value)
