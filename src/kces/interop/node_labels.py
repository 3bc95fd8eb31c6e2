"""Classes of nodes: from a file beside the graph, or a column of a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidGraphError, UnreadableFileError
from kces.interop.arrays import read_npy
from kces.interop.text_table import is_number, read_text
from kces.types import Values

__all__ = ["LABEL_NAMES", "class_numbers", "read_labels"]

LABEL_NAMES = frozenset({"label", "labels", "class"})


def read_labels(path: str | Path) -> npt.NDArray[np.int64]:
    """One class per node, in node order: an ``.npy`` list, or text with one class per line.

    Classes may be words; they are numbered in alphabetical order.
    """
    path = Path(path)
    if path.suffix.lower() == ".npy":
        labels = read_npy(path)
        if labels.ndim != 1:
            raise UnreadableFileError(f"labels {path} must be a list, got shape {labels.shape}")
        return class_numbers(labels, str(path))
    lines = pd.Series([line.strip() for line in read_text(path).splitlines() if line.strip()], dtype=object)
    if len(lines) > 1 and not is_number(lines[:1]).all() and is_number(lines[1:]).all():
        lines = lines[1:]  # a heading above numbers
    return class_numbers(lines.to_numpy(), str(path))


def class_numbers(values: Values, what: str) -> npt.NDArray[np.int64]:
    """Classes as whole numbers; words are numbered in alphabetical order, and empty text is unknown (-1).

    >>> class_numbers(np.array(["cat", "dog", "", "cat"]), "labels").tolist()
    [0, 1, -1, 0]
    >>> class_numbers(np.array(["2", "0"]), "labels").tolist()
    [2, 0]
    """
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
    else:
        text = pd.Series([str(value).strip() for value in values], dtype=object)
        known = (text != "").to_numpy()
        if not is_number(text[known]).all():
            codes, _ = pd.factorize(text.where(known), sort=True, use_na_sentinel=True)
            return codes.astype(np.int64)
        try:
            numbers = np.where(known, pd.to_numeric(text.where(known, "-1")).to_numpy(dtype=np.float64), -1.0)
        except OverflowError:  # a whole number that no float can hold, and no class
            numbers = np.array([np.inf])
    # Whole numbers beyond 2**31 are no class numbers, and beyond 2**53 they would be rounded.
    if not (np.abs(numbers) < 2**31).all() or (numbers != np.floor(numbers)).any():
        raise InvalidGraphError(f"{what} must hold classes: whole numbers or words, one per node")
    return numbers.astype(np.int64)
