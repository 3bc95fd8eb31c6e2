"""Is the first record of a table its header? Yes, no, or nobody can tell."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from kces.features.cell_values import read_flags
from kces.interop.end_names import known_pairs
from kces.interop.text_table import is_number

__all__ = ["edge_list_has_header", "names_above_values"]

_ENOUGH_RECORDS = 20
_LOOKED_AT = 10_000
_SHAPE = ((re.compile("[a-z]+"), "a"), (re.compile("[A-Z]+"), "A"), (re.compile("[0-9]+"), "9"))


def edge_list_has_header(cells: pd.DataFrame) -> bool | None:
    """Whether the first row of an edge list names the columns; None where the evidence is not enough.

    Names for ends speak for a header, and so does a word above numbers or above cells of one other pattern. A number
    above numbers speaks against it, and so does a first cell that is found again below: a node. If nothing of that
    is seen, a first row of which nothing is found again is a header in a list where all other nodes occur again.

    >>> edge_list_has_header(pd.DataFrame([["payer", "payee"], ["a", "b"], ["b", "a"]]))
    True
    >>> edge_list_has_header(pd.DataFrame([["a", "b"], ["b", "c"]]))
    False
    >>> edge_list_has_header(pd.DataFrame([["x", "y"], ["a", "b"], ["b", "c"]])) is None
    True
    """
    first, rest = [str(cell).strip() for cell in cells.iloc[0]], cells.iloc[1:]
    named = known_pairs(first)
    if rest.empty:
        return bool(named)
    again = _found_again(first, rest)
    if named:
        ends = sorted({end for pair in named for end in pair})
        is_node_again = any(again[end] for end in ends)
        if (
            names_above_values([first[end] for end in ends], rest.iloc[:, ends]) is False
        ):  # node1,node2 above node2,node3
            return False if is_node_again else None
        return None if is_node_again else True
    above = names_above_values(first, rest)
    if above:
        return None if any(again) else True
    if above is False or any(again):
        return False
    if "" in first[:2] or len(set(first)) < len(first):
        return False
    return True if _all_others_recur(rest) else None


def names_above_values(first: list[str], rest: pd.DataFrame) -> bool | None:
    """True if some cell stands above values of another kind, False if some cell is a value like those below it."""
    verdicts = [_unlike_the_others(cell, rest.iloc[:_LOOKED_AT, place]) for place, cell in enumerate(first)]
    if True in verdicts:
        return True
    return False if False in verdicts else None


def _unlike_the_others(cell: str, column: pd.Series) -> bool | None:
    """Whether a cell is of another kind than the numbers, or the cells of one pattern with digits, below it."""
    below = column.str.strip()
    below = below[below != ""]
    if below.empty or not cell:
        return None
    if is_number(below).all():
        return not is_number(pd.Series([cell])).all()
    if read_flags(below) is not None:
        return read_flags(pd.Series([cell])) is None
    shapes = set(below.map(_shape))
    if len(shapes) > 1 or "9" not in (shape := shapes.pop()):
        return None
    return _shape(cell) != shape


def _shape(cell: str) -> str:
    """``C12`` and ``C345`` have one shape, ``name`` another."""
    for pattern, letter in _SHAPE:
        cell = pattern.sub(letter, cell)
    return cell


def _found_again(first: list[str], rest: pd.DataFrame) -> list[bool]:
    """Which of the first cells, if they are no numbers, are found in any column below."""
    words = pd.Series(first)
    names = words[(words != "") & ~is_number(words)]
    below: set[str] = set()
    for position in range(rest.shape[1]):
        cells = rest.iloc[:, position].str.strip()
        below.update(cells[cells.isin(names)])
    return [name in below for name in first]


def _all_others_recur(rest: pd.DataFrame) -> bool:
    """Whether all but few of many records have a node that occurs in another record too."""
    if len(rest) < _ENOUGH_RECORDS or rest.shape[1] != 2:
        return False
    codes, _ = pd.factorize(pd.concat([rest.iloc[:, 0], rest.iloc[:, 1]]).str.strip())
    once = np.bincount(codes)[codes].reshape(2, -1) == 1
    return bool(once.all(axis=0).mean() < 0.01)
