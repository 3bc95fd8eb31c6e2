"""Features that came as a matrix and of which one column drowns the others: they are scored as they stand, and said."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from kces.errors import GraphWarning
from kces.types import Features, is_sparse

__all__ = ["outweighing_column", "warn_of_outweighing"]

_FEW_COLUMNS = 1000
_NEARLY_ALL = 0.999
_ROWS_LOOKED_AT = 10_000


def outweighing_column(matrix: Features) -> int | None:
    """The column of dense features that has nearly all of their variance, if there is one beside others that vary.

    >>> ages_and_cents = np.array([[20.0, 1e6], [40.0, 3e6], [60.0, 2e6]])
    >>> outweighing_column(ages_and_cents), outweighing_column(ages_and_cents / [1, 1e5])
    (1, None)
    """
    if is_sparse(matrix) or not 2 <= matrix.shape[1] <= _FEW_COLUMNS:
        return None
    rows = matrix[:: len(matrix) // _ROWS_LOOKED_AT + 1]
    low, high = rows.min(axis=0), rows.max(axis=0)
    reach = np.max(high / 2 - low / 2)
    if reach == 0 or np.count_nonzero(high > low) < 2:
        return None
    # Halves in units of the widest column: differences and squares of 1e300 overflow.
    variance = ((rows / 2 - low / 2) / reach).var(axis=0)
    return int(variance.argmax()) if variance.max() >= _NEARLY_ALL * variance.sum() else None


def warn_of_outweighing(matrix: Features, names: Sequence[str] | None) -> None:
    """Say in one line that a column decides alone."""
    column = outweighing_column(matrix)
    if column is not None:
        name = f"feature {column}" if names is None else names[column]
        warnings.warn(
            f"{name} has nearly all of the features' spread and decides alone; standardize the features",
            GraphWarning,
            stacklevel=3,
        )
