"""The streamed kernel that keeps, of every product, what pairs that are alike add to the far field.

The far field needs the slope of the kernel for all pairs of nodes and the solution. Looking at all pairs once more
would cost another product, so the sums are made beside each product of the solve, for the direction that is multiplied.
They are linear in it: those of the solution follow from its steps along these directions.
"""

from __future__ import annotations

from collections.abc import Sequence

from kces.engines.pair_sums import PairSums, PairTotals
from kces.engines.slope_correction import ShortRows, SlopeSums
from kces.engines.slope_tables import sampled_slopes
from kces.engines.streamed_kernel import LARGEST_TILE, StreamedKernel, Tile
from kces.types import Array, Singles

__all__ = ["FieldKernel"]


class FieldKernel(StreamedKernel):
    """``H @ v`` for unit rows (N, F), and afterwards the sums of any combination of the vectors so far.

    >>> import numpy as np
    >>> kernel = FieldKernel(np.eye(3, dtype=np.float32))
    >>> (kernel @ np.ones((3, 1))).ravel().tolist()
    [0.5, 0.5, 0.5]
    >>> kernel.slope_sums([np.array([2.0])]).totals.along.tolist()  # no two rows are alike
    [[0.0, 0.0, 0.0]]
    """

    def __init__(self, unit: Singles) -> None:
        super().__init__(unit)
        self._slopes, self._short = sampled_slopes(unit), ShortRows.of(unit)
        self._totals: list[PairTotals] = []

    def __matmul__(self, vectors: Array) -> Array:
        sums = PairSums(self._slopes, vectors, self._short.rows, LARGEST_TILE)

        def look(group: int, tile: Tile) -> None:
            rows, columns, values = tile
            sums.add(group, values, (rows.start, columns.start))

        product = self._product(vectors, look)
        self._totals.append(sums.total())
        return product

    def slope_sums(self, steps: Sequence[Array]) -> SlopeSums:
        """Of ``Σ steps_i v_i`` for the vectors v_i (N, c) that were multiplied, in their order; steps are (c,)."""
        first, *others = (total.scaled(step) for total, step in zip(self._totals, steps, strict=True))
        return SlopeSums(self._slopes, self._short, sum(others, start=first))
