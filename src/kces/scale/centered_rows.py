"""The features of a graph on disk as the robust score compares them, some rows and columns at a time.

What :class:`kces.scorers.centered_features.CenteredFeatures` is in memory: columns weighted by rarity, rows of unit
length, minus the mean row. On disk it is two passes over the rows, after which any part is made from the stored
features in an instant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kces.feature_range import is_ordinary
from kces.kernel import normalize_rows
from kces.scale.graph_folder import GraphFolder
from kces.types import Array, Bools

__all__ = ["CenteredRows", "column_presence", "rarity_of", "weighted_sums"]


@dataclass(frozen=True, eq=False)
class CenteredRows:
    """Parts of the centered features.

    Attributes
    ----------
    folder : holds the features.
    rarity, mean : (F,) weight and mean of each column.
    inverse : (N,) one over the length of each weighted row; 0 for a node without features or without a link.
    """

    folder: GraphFolder
    rarity: Array
    mean: Array
    inverse: Array

    def part(self, start: int, stop: int, columns: tuple[int, int]) -> Array:
        """(stop - start, width) some rows of some columns."""
        first, last = columns
        rows = self.folder.rows(start, stop, columns)
        rows *= self.rarity[first:last]
        rows *= self.inverse[start:stop, None]
        rows -= np.outer(self.inverse[start:stop] > 0, self.mean[first:last])
        return rows


def column_presence(rows: Array, counted: Bools) -> tuple[Array, bool]:
    """(F,) in how many of the ``counted`` rows each column is not zero, and whether all values are safe to square."""
    return (rows[counted] != 0).sum(axis=0).astype(np.float64), is_ordinary(rows)


def rarity_of(n_nodes: int, present_in: Array) -> Array:
    """(F,) the weight of each column.

    >>> rarity_of(4, np.array([4.0, 1.0])).round(2).tolist()
    [0.69, 1.61]
    """
    return np.log1p(n_nodes / np.maximum(present_in, 1))


def weighted_sums(rows: Array, rarity: Array, counted: Bools) -> tuple[Array, Array]:
    """(F,) sums of the ``counted`` unit rows, and (rows,) one over the lengths of all weighted rows."""
    unit, length = normalize_rows(rows * rarity)
    return np.asarray(unit[counted].sum(axis=0)), np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
