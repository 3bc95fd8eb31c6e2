"""Bringing columns to one scale, where they have scales of their own.

The score compares nodes by the angle between their feature rows, so a column in cents drowns one in years.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from kces.errors import InvalidParameterError
from kces.types import Array, Bools, Features, is_sparse

__all__ = [
    "COUNTS_WITH_ZEROS",
    "SCALES",
    "check_scale",
    "column_count",
    "reason_of_codes",
    "reason_of_moments",
    "scale_columns",
    "scale_matrix",
    "why_to_compare_by_nearness",
    "why_to_scale",
    "with_ones",
]

SCALES = ("auto", "standard", "none")
COUNTS_WITH_ZEROS = 0.5
"""Share of zeros from which whole numbers from 0 are counts, which stay as they are."""
_SPREADS_APART = 10.0
_MEAN_OVER_SPREAD = 3.0
_SPREAD_OF_A_FLAG = 0.5
_SPAN_OF_CODES = 20.0


def check_scale(scale: str) -> str:
    """``scale`` if it is one of the three, else an error."""
    if scale not in SCALES:
        raise InvalidParameterError(f"scale must be one of {', '.join(SCALES)}; got {scale!r}")
    return scale


def scale_matrix(matrix: Features, scale: str) -> tuple[Features, str]:
    """Features that came as a matrix on one scale, and a line that says what was done (empty: nothing).

    A matrix was made for its purpose: ``auto`` leaves it alone. A sparse one keeps its zeros, it is only divided.

    >>> matrix, note = scale_matrix(sp.csr_array([[0.0, 8.0], [0.0, 0.0]]), "standard")
    >>> matrix.toarray().tolist(), note
    ([[0.0, 2.0], [0.0, 0.0]], '2 columns divided by their spread, as asked')
    """
    if check_scale(scale) != "standard":
        return matrix, ""
    if is_sparse(matrix):
        return _divided(matrix), f"{column_count(matrix.shape[1])} divided by their spread, as asked"
    return scale_columns(matrix, np.asarray(~np.isin(matrix, (0.0, 1.0)).all(axis=0)), scale)


def scale_columns(matrix: Array, measured: Bools, scale: str, counted: Bools | None = None) -> tuple[Array, str]:
    """A table's matrix with its ``measured`` columns on one scale, and a line that says what was done.

    ``standard`` gives each mean 0 and standard deviation 1; ``auto`` does so when :func:`why_to_scale` finds a reason.
    Where only some rows are ``counted``, these moments are theirs; the others follow.

    >>> ages_and_cents = np.array([[20.0, 1e6], [40.0, 3e6], [60.0, 2e6]])
    >>> matrix, note = scale_columns(ages_and_cents, np.array([True, True]), "auto")
    >>> note
    '2 columns standardized: the spreads differ by a factor of 50000'
    >>> matrix.round(2).tolist()
    [[-1.22, -1.22], [0.0, 1.22], [1.22, 0.0]]
    """
    if check_scale(scale) == "none" or not measured.any():
        return matrix, ""
    known = matrix if counted is None else matrix[counted]
    reason = why_to_scale(known, measured) if scale == "auto" else "as asked"
    if not reason:
        return matrix, ""
    return _standardized(matrix, known, measured), f"{column_count(int(measured.sum()))} standardized: {reason}"


def with_ones(column: Array, counted: Bools | None = None) -> Array:
    """A column that stands alone, standardized, and a column of ones.

    Alone, all numbers of one sign point the same way. Beside ones, the angle between two rows grows with the
    difference of their values: a standard deviation above the mean is at a right angle to one below.

    >>> with_ones(np.array([25.0, 25.0, 65.0, 65.0])).round(9).tolist()
    [[-1.0, 1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    values = column[:, None]
    known = values if counted is None else values[counted]
    return np.column_stack([_standardized(values, known, np.array([True])), np.ones(len(column))])


def why_to_scale(matrix: Array, measured: Bools) -> str:
    """Why the measured columns should be standardized, or nothing.

    Counts stay (whole numbers from 0, at least half of them 0, every column with a 0: bags of words), and so do
    columns of one scale around 0 (embeddings). The reason is either that the largest standard deviation is over
    10 times the smallest, where a column of 0 and 1 counts with 0.5, or that a mean is over 3 of its own.

    >>> why_to_scale(np.array([[0.0, 2.0], [3.0, 0.0]]), np.array([True, True]))
    ''
    """
    columns = matrix[:, measured]
    if not columns.size or _are_counts(columns):
        return ""
    return reason_of_moments(*_moments(columns), beside_flags=not measured.all())


def why_to_compare_by_nearness(matrix: Array, measured: Bools) -> str:
    """The same, or that a column holds few whole numbers, as codes and marks do: they have no direction.

    >>> why_to_compare_by_nearness(np.array([[1.0, 0.3], [3.0, -0.2], [2.0, 0.1]]), np.array([True, True]))
    'a column has few whole numbers'
    """
    columns = matrix[:, measured]
    if not columns.size or _are_counts(columns):
        return ""
    whole = (columns == np.floor(columns)).all(axis=0)
    return why_to_scale(matrix, measured) or reason_of_codes(columns.min(axis=0), columns.max(axis=0), whole)


def reason_of_codes(lows: Array, highs: Array, whole: Bools) -> str:
    """Why columns with these ends should be compared by nearness, or nothing; of columns that are no counts.

    >>> reason_of_codes(np.array([1.0]), np.array([5.0]), np.array([True]))
    'a column has few whole numbers'
    """
    few = whole & (highs / 2 - lows / 2 <= _SPAN_OF_CODES / 2)
    return "a column has few whole numbers" if few.any() else ""


def reason_of_moments(means: Array, spreads: Array, sizes: Array, *, beside_flags: bool) -> str:
    """The same from the moments of columns that are no counts.

    Parameters
    ----------
    means, spreads : (k,) of the columns, in units of their sizes.
    sizes : (k,) their largest absolute values.
    beside_flags : whether columns of 0 and 1 stand beside them.

    Examples
    --------
    >>> reason_of_moments(np.array([0.9]), np.array([0.1]), np.array([80.0]), beside_flags=False)
    'a mean lies far from 0'
    """
    varying = spreads > 1e-12 * np.maximum(np.abs(means), np.finfo(float).tiny)
    if not varying.any():
        return ""
    decades = np.log10(spreads[varying]) + np.log10(sizes[varying])
    compared = np.append(decades, np.log10(_SPREAD_OF_A_FLAG) if beside_flags else [])
    apart = compared.max() - compared.min()
    if apart > np.log10(_SPREADS_APART):
        return f"the spreads differ by a factor of {10**apart:.0f}" if apart < 9 else "the spreads differ very much"
    if (np.abs(means[varying]) > _MEAN_OVER_SPREAD * spreads[varying]).any():
        return "a mean lies far from 0"
    return ""


def _moments(columns: Array) -> tuple[Array, Array, Array]:
    """Means and spreads of columns in units of their largest absolute value, and these: squares of 1e300 overflow."""
    sizes = np.abs(columns).max(axis=0)
    sizes = np.where(sizes > 0, sizes, 1.0)
    small = columns / sizes
    return small.mean(axis=0), small.std(axis=0), sizes


def _are_counts(columns: Array) -> bool:
    if (columns < 0).any() or (columns != np.floor(columns)).any():
        return False
    zero = columns == 0
    return bool(zero.any(axis=0).all() and zero.mean() >= COUNTS_WITH_ZEROS)


def _standardized(matrix: Array, known: Array, measured: Bools) -> Array:
    """The measured columns less their means and over their spreads, both taken from the ``known`` rows."""
    scaled = matrix.copy()
    means, spreads, sizes = _moments(known[:, measured])
    constant = spreads <= 1e-12 * np.abs(means)
    columns = matrix[:, measured] / sizes - means
    scaled[:, measured] = np.where(constant, 0.0, columns / np.where(constant, 1.0, spreads))
    return scaled


def _divided(matrix: sp.csr_array) -> sp.csr_array:
    mean = np.asarray(matrix.mean(axis=0)).ravel()
    variance = np.asarray(matrix.multiply(matrix).mean(axis=0)).ravel() - mean**2
    spreads = np.sqrt(np.maximum(variance, 0.0))
    return sp.csr_array(matrix @ sp.diags_array(1.0 / np.where(spreads > 0, spreads, 1.0)))


def column_count(columns: int) -> str:
    """
    >>> column_count(1), column_count(3)
    ('1 column', '3 columns')
    """
    return f"{columns} column{'s' if columns > 1 else ''}"
