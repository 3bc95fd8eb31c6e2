"""What every engine is given: a validated graph, its aggregated features, codes and the ridge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kces.graph import Features, Graph
from kces.kernel import aggregate, normalize_rows

__all__ = ["Array", "Problem"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """Score the edges of ``graph`` for the label codes ``codes`` (N x columns) at ridge λ."""

    graph: Graph
    codes: Array
    ridge: float

    @cached_property
    def Z(self) -> Features:  # noqa: N802
        """Aggregated features ``T X``."""
        return aggregate(self.graph)

    @cached_property
    def _normalized(self) -> tuple[Features, Array]:
        return normalize_rows(self.Z)

    @property
    def unit(self) -> Features:
        """Rows of Z scaled to length one (zero rows stay zero)."""
        return self._normalized[0]

    @property
    def lengths(self) -> Array:
        """Length of each row of Z."""
        return self._normalized[1]
