"""Tables that are adjacency matrices, which must not be taken for lists of edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError
from kces.features.missing import as_text

__all__ = ["refuse_adjacency"]

_REMEDY = "save it with scipy.sparse.save_npz, or write one line for each of its links"
_SMALLEST = 3
"""Two lines of two numbers may be two edges; as a matrix they are the same graph."""


def refuse_adjacency(cells: pd.DataFrame, path: Path, remedy: str = _REMEDY) -> None:
    """Refuse a square table of a matrix of links, alone or with the nodes' names above and beside it.

    A bare one has as many rows as columns, numbers from 0, and is symmetric or of zeros and ones; a list of three
    edges with weights is square too, and is neither.

    >>> refuse_adjacency(pd.DataFrame([["1", "2", "5"], ["2", "3", "4"], ["3", "1", "4"]]), Path("links.csv"))
    >>> refuse_adjacency(pd.DataFrame([["0", "1", "1"], ["1", "0", "0"], ["1", "0", "0"]]), Path("links.csv"))
    Traceback (most recent call last):
        ...
    kces.errors.InvalidGraphError: links.csv is an adjacency matrix (3 x 3), no list of edges; save it with ...
    """
    rows, columns = cells.shape
    if rows != columns or rows < _SMALLEST:
        return
    text = cells.apply(as_text)
    names = text.iloc[0, 1:].tolist()
    has_names = rows > _SMALLEST and names == text.iloc[1:, 0].tolist() and len(set(names)) == len(names)
    if not has_names and not _is_matrix_of_links(text):
        return
    size = rows - has_names
    raise InvalidGraphError(f"{path} is an adjacency matrix ({size} x {size}), no list of edges; {remedy}")


def _is_matrix_of_links(text: pd.DataFrame) -> bool:
    try:
        values = text.apply(pd.to_numeric).to_numpy(dtype=np.float64)
    except (ValueError, TypeError):
        return False
    if not (values >= 0).all():
        return False
    return bool(np.isin(values, (0.0, 1.0)).all() or ((values == values.T).all() and (np.diag(values) == 0).all()))
