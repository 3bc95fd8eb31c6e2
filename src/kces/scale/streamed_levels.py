"""Numbers that lie on disk in chunks, put in order by counting: exact ranks and values, a pass at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kces.ranking import rounded_levels
from kces.types import Array, Ints

__all__ = ["BIN", "StreamedLevels", "value_of_place"]

BIN = 2**15
"""Levels that are counted together at first."""
_DIGIT = 16


@dataclass(frozen=True, eq=False)
class StreamedLevels:
    """Scores on the scale of whole numbers on which edges are ranked (``kces.ranking``).

    Attributes
    ----------
    n_chunks : how many chunks there are.
    values : the values of a chunk.
    """

    n_chunks: int
    values: Callable[[int], Array]

    @cached_property
    def _ends(self) -> tuple[float, float]:
        ends = [(part.min(), part.max()) for part in map(self.values, range(self.n_chunks))]
        return float(min(low for low, _ in ends)), float(max(high for _, high in ends))

    @property
    def largest(self) -> float:
        return max(map(abs, self._ends))

    @cached_property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest level."""
        low, high = rounded_levels(np.array(self._ends), self.largest)
        return float(low), float(high)

    def of(self, chunk: int) -> Array:
        """(C,) the levels of a chunk."""
        return rounded_levels(self.values(chunk), self.largest)

    def counts(self, start: float, bins: int, width: int) -> Ints:
        """How many levels lie in each of the bins."""
        found = np.zeros(bins, dtype=np.int64)
        for chunk in range(self.n_chunks):
            places = (self.of(chunk) - start) // width
            inside = places[(places >= 0) & (places < bins)].astype(np.int64)
            found += np.bincount(inside, minlength=bins)
        return found

    def coarse_counts(self) -> Ints:
        """Of all levels, in bins of :data:`BIN` from the lowest on."""
        low, high = self.range
        return self.counts(low, int((high - low) // BIN) + 1, BIN)

    def of_rank(self, rank: int) -> tuple[float, int, int]:
        """The level of this rank from the top, how many lie above it, and how many on it.

        >>> StreamedLevels(2, lambda chunk: np.array([[1.0, 3.0], [2.0, 2.0]])[chunk]).of_rank(2)[1:]
        (1, 2)
        """
        above = _beyond(self.coarse_counts())
        chosen = int(np.flatnonzero(above < rank)[0])
        start = self.range[0] + chosen * BIN
        fine = self.counts(start, BIN, 1)
        beyond = above[chosen] + _beyond(fine)
        place = int(np.flatnonzero(beyond < rank)[0])
        return float(start + place), int(beyond[place]), int(fine[place])


def _beyond(counts: Ints) -> Ints:
    """How many are in later bins."""
    return np.concatenate([np.cumsum(counts[::-1])[::-1][1:], [0]])


def value_of_place(n_chunks: int, values: Callable[[int], Array], place: int) -> float:
    """The value at a place, from 0, among positive numbers in ascending order: exact, in four passes over their bits.

    >>> value_of_place(2, lambda chunk: np.array([[4.0, 1.0], [3.0, 2.5]])[chunk], 2)
    3.0
    """
    known, bits = np.uint64(0), 64
    while bits > 0:
        bits -= _DIGIT
        counts = np.zeros(2**_DIGIT, dtype=np.int64)
        for chunk in range(n_chunks):
            words = np.ascontiguousarray(values(chunk)).view(np.uint64) >> np.uint64(bits)
            words = words[(words >> np.uint64(_DIGIT)) == known]
            counts += np.bincount((words & np.uint64(2**_DIGIT - 1)).astype(np.int64), minlength=2**_DIGIT)
        up_to = np.cumsum(counts)
        digit = int(np.searchsorted(up_to, place, side="right"))
        place -= int(up_to[digit - 1]) if digit else 0
        known = (known << np.uint64(_DIGIT)) | np.uint64(digit)
    return float(np.array([known], dtype=np.uint64).view(np.float64)[0])
