"""Cells that hold lists, arrays or objects: as values that JSON has, and as JSON text where a cell holds text alone."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd

from kces.errors import OutputError

__all__ = ["as_json_text", "plain_value", "with_nested_as_text"]


def plain_value(value: object) -> object:
    """A cell as JSON has it, whole: lists for arrays, None for what is missing, text for what JSON has no form for.

    >>> plain_value({"x": np.array([1.5, np.nan]), 7: (True, np.int64(2), math.inf)})
    {'x': [1.5, None], '7': [True, 2, 'Infinity']}
    """
    try:
        return _plain(value)
    except RecursionError:
        raise OutputError("a cell holds lists within lists too deep to be written; leave its column out") from None


def as_json_text(value: object) -> str:
    """A cell as text: text as it is, anything else as compact JSON on one line.

    >>> as_json_text("INV-8"), as_json_text(7), as_json_text({"tags": ["é", None]})
    ('INV-8', '7', '{"tags":["é",null]}')
    """
    plain = plain_value(value)
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def with_nested_as_text(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with JSON text in place of lists, arrays and objects; all other cells stay as they are.

    >>> with_nested_as_text(pd.DataFrame({"n": [1, 2], "of": [["a", "b"], 0.5]}))["of"].tolist()
    ['["a","b"]', 0.5]
    """
    nested = [place for place in range(frame.shape[1]) if _has_nested(frame.iloc[:, place])]
    if not nested:
        return frame
    columns = [
        frame.iloc[:, place].map(lambda cell: as_json_text(cell) if _is_nested(cell) else cell)
        if place in nested
        else frame.iloc[:, place]
        for place in range(frame.shape[1])
    ]
    return pd.concat(columns, axis=1)


def _has_nested(column: pd.Series) -> bool:
    if not pd.api.types.is_object_dtype(column.dtype):
        return False
    # Most columns hold nothing but text, which pandas sees much sooner than a look at each cell.
    return pd.api.types.infer_dtype(column).startswith("mixed") and bool(column.map(_is_nested).any())


def _is_nested(value: object) -> bool:
    return isinstance(value, list | tuple | dict | np.ndarray)


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, np.ndarray):
        return _plain_array(value)
    if isinstance(value, np.generic) and value.dtype.kind not in "mM":
        value = value.item()
    if isinstance(value, float):
        return _plain_number(value)
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool | int):  # of numpy
        return value
    return None if value is pd.NA or pd.isna(value) is True else str(value)


def _plain_array(values: np.ndarray) -> object:
    if values.dtype.kind in "biu" or (values.dtype.kind == "f" and np.isfinite(values).all()):
        return values.tolist()
    # NumPy would turn times into counts of nanoseconds.
    in_full = pd.Series(values) if values.dtype.kind in "mM" and values.ndim == 1 else values
    return [_plain(each) for each in in_full]


def _plain_number(value: float) -> object:
    """JSON has numbers that are finite alone."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
