"""The kernel matrix of a graph too large for doubles: its lower triangle in 16 bits, as a symmetric operator.

Each step of conjugate gradients reads the whole triangle, so its size is its cost. Kernel values lie in [-0.09, 1/2];
stored as multiples of 1/65534, 0 and 1/2 are exact and the rounding (at most 8e-6) is far below the ridge. Nodes with
equal features have equal rows before and after rounding, so that twins stay exact twins.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from kces.engines.fast_kernel import NEAR, kernel_value, near_cosine, single_kernel_value
from kces.threads import thread_count
from kces.types import Ints, Singles

__all__ = ["SCALE", "STRIP", "KernelTriangle", "triangle_memory"]

Cells = npt.NDArray[np.int16]

STRIP = 256
"""Rows that are stored, and worked on, together."""
SCALE = np.float32(65534.0)
"""Stored values per unit of the kernel."""


def triangle_memory(n_nodes: int) -> int:
    """Bytes of the stored triangle and of what is needed to fill it.

    >>> 400e6 < triangle_memory(20_000)
    True
    """
    return n_nodes * (n_nodes + STRIP) + 4 * STRIP * n_nodes * thread_count()


class KernelTriangle:
    """``H @ v`` for the unit rows of a graph, from strips of rows of the lower triangle of H.

    >>> unit = np.eye(3, dtype=np.float32)
    >>> (KernelTriangle(unit) @ np.ones((3, 1))).ravel().tolist()
    [0.5, 0.5, 0.5]
    """

    def __init__(self, unit: Singles) -> None:
        n = len(unit)
        self.bounds = np.append(np.arange(0, n, STRIP), n)
        sizes = np.diff(self.bounds) * self.bounds[1:]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.cells = np.empty(self.offsets[-1], dtype=np.int16)
        threads = thread_count()

        def fill(first: int) -> None:
            cosines = np.empty(int(sizes.max()), dtype=np.float32)  # one for all strips: fresh memory is slow
            for strip in range(first, len(sizes), threads):
                start, stop = self.bounds[strip : strip + 2]
                out = cosines[: sizes[strip]].reshape(stop - start, stop)
                tile = np.matmul(unit[start:stop], unit[:stop].T, out=out)
                _store(tile, unit[start:stop], unit[:stop], self.strip(strip))

        # A strip is one thread's work, BLAS included: its rounding then does not depend on the number of threads.
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(fill, range(threads)):
                pass

    def strip(self, number: int) -> Cells:
        """The rows from ``bounds[number]`` on, up to and with the square on the diagonal."""
        start, stop = self.bounds[number : number + 2]
        return self.cells[self.offsets[number] : self.offsets[number + 1]].reshape(stop - start, stop)

    def __matmul__(self, vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        columns = np.ascontiguousarray(vectors.T, dtype=np.float32)
        products = [_multiply(self.cells, self.offsets, self.bounds, column) for column in columns]
        return np.stack(products, axis=1) / np.float64(SCALE)


@numba.njit(nogil=True, fastmath=True, cache=True)
def _store(cosines: Singles, rows: Singles, columns: Singles, block: Cells) -> None:
    """Kernel values of a strip, rounded; near 1 by way of the difference of the two unit vectors."""
    near = np.int16(NEAR * SCALE)
    for p in range(block.shape[0]):
        for q in range(block.shape[1]):  # a loop of its own, so that it is vectorized
            block[p, q] = np.int16(np.rint(single_kernel_value(cosines[p, q]) * SCALE))
        for q in range(block.shape[1]):
            if block[p, q] > near:
                block[p, q] = np.int16(np.rint(kernel_value(near_cosine(rows[p], columns[q])) * SCALE))


@numba.njit(parallel=True, cache=True)
def _multiply(cells: Cells, offsets: Ints, bounds: Ints, vector: Singles) -> npt.NDArray[np.float64]:
    """The strips' shares are summed in their order, so that the result does not depend on the threads."""
    strips, n = len(bounds) - 1, len(vector)
    share = np.zeros((strips, n), dtype=np.float32)
    for turn in numba.prange(strips):
        strip = turn // 2 if turn % 2 == 0 else strips - 1 - turn // 2  # short and long in turn: threads get equal work
        start, stop = bounds[strip], bounds[strip + 1]
        block = cells[offsets[strip] : offsets[strip + 1]].reshape((stop - start, stop))
        _multiply_strip(block, start, vector, share[strip])
    total = np.zeros(n)
    for strip in range(strips):
        for q in range(bounds[strip + 1]):
            total[q] += share[strip, q]
    return total


@numba.njit(fastmath=True, cache=True)
def _multiply_strip(block: Cells, start: int, vector: Singles, share: Singles) -> None:
    """The strip times the vector and, left of its diagonal square, the transposed strip times the vector.

    Two rows at a time, so that each share of another node is read and written half as often.
    """
    for p in range(0, len(block), 2):
        partner = min(p + 1, len(block) - 1)  # the last row of an odd number is its own partner, and weighs nothing
        first, second = block[p], block[partner]
        own, others = vector[start + p], vector[start + partner] if partner > p else np.float32(0.0)
        total = totals = np.float32(0.0)
        for q in range(start):
            value, values = np.float32(first[q]), np.float32(second[q])
            total += value * vector[q]
            totals += values * vector[q]
            share[q] += value * own + values * others
        share[start + p] += total
        if partner > p:
            share[start + partner] += totals
    for p in range(len(block)):
        total = np.float32(0.0)
        for q in range(start, block.shape[1]):
            total += np.float32(block[p, q]) * vector[q]
        share[start + p] += total
