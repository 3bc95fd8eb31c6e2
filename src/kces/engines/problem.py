"""What every engine is given: a validated graph, its aggregated features, codes and the ridge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kces.engines.dense import dense
from kces.engines.fast_kernel import fill_precise_gram
from kces.engines.inner import all_pairs
from kces.engines.regime import Regime
from kces.graph import Graph
from kces.kernel import aggregate, normalize_rows, propagation
from kces.types import Array, Features, Singles

__all__ = ["Problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Score the edges of ``graph`` for label codes at a ridge.

    Attributes
    ----------
    graph : N nodes, F features.
    codes : (N, columns), bounded by one.
    ridge : λ.
    forced : a regime in place of the graph's own.
    """

    graph: Graph
    codes: Array
    ridge: float
    forced: Regime | None = None

    @cached_property
    def regime(self) -> Regime:
        """How a graph of this size is scored."""
        return self.forced or Regime.of(self.graph)

    @cached_property
    def Z(self) -> Features:  # noqa: N802
        """Aggregated features ``T X``, (N, F)."""
        return aggregate(self.graph)

    @cached_property
    def _normalized(self) -> tuple[Features, Array]:
        return normalize_rows(self.Z)

    @property
    def unit(self) -> Features:
        """Rows of Z scaled to length one (zero rows stay zero), (N, F)."""
        return self._normalized[0]

    @cached_property
    def unit_singles(self) -> Singles:
        """The same as an array in single precision, (N, F): only for engines that have asked for the memory."""
        return dense(self.unit, np.float32)

    @property
    def lengths(self) -> Array:
        """Length of each row of Z, (N,)."""
        return self._normalized[1]

    @cached_property
    def inverse_lengths(self) -> Array:
        """One over the length of each row of Z, (N,); 0 for a zero row, so that its cosines are 0."""
        return np.divide(1.0, self.lengths, out=np.zeros_like(self.lengths), where=self.lengths > 0)

    @cached_property
    def XZ(self) -> Array:  # noqa: N802
        """``X Zᵀ``, N x N: only for engines that have asked for the memory."""
        return all_pairs(self.graph.features, self.Z)

    @cached_property
    def ZZ(self) -> Array:  # noqa: N802
        """``Z Zᵀ = T (X Zᵀ)``: with X Zᵀ at hand it costs a product with a sparse matrix. (N, N)."""
        return np.ascontiguousarray(propagation(self.graph) @ self.XZ)

    def gram(self) -> Array:
        """The Gram matrix H, (N, N), from ``Z Zᵀ``."""
        H = np.empty_like(self.ZZ)  # by numpy, which asks for large pages of memory
        fill_precise_gram(self.ZZ, self.inverse_lengths, H)
        return H
