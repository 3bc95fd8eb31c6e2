"""What this machine can do at best, measured by plain kernels: the yardstick for every other figure of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numba
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.processes.answers import JsonObject
from kces.types import Array, Ints

__all__ = ["RUN_CEILINGS", "Ceilings", "measure_ceilings", "run_ceilings"]

RUN_CEILINGS = f"{__name__}:run_ceilings"
"""What an order for the ceilings calls."""

_GEMM_SIZE = 3_072
_STREAM_ENTRIES = 2**24
_SPARSE_NODES, _SPARSE_DEGREE, _SPARSE_WIDTH = 100_000, 9, 64
_TIMES = 5


@dataclass(frozen=True)
class Ceilings:
    """Rates per second, on all threads that this process may use.

    Attributes
    ----------
    gemm32, gemm64 : operations of a product of two square matrices in single and double precision, 2 n³ each.
    stream : bytes of ``a = b + 3 c`` over arrays far larger than the caches: two read, one written.
    sparse : operations of a sparse matrix, nine random entries a row, times 64 columns in double precision, 2 each.
    """

    gemm32: float
    gemm64: float
    stream: float
    sparse: float


def measure_ceilings(
    gemm_size: int = _GEMM_SIZE, stream_entries: int = _STREAM_ENTRIES, sparse_nodes: int = _SPARSE_NODES
) -> Ceilings:
    """The best of five runs each.

    Parameters
    ----------
    gemm_size : rows of the square matrices.
    stream_entries : of each of the three arrays.
    sparse_nodes : rows of the sparse matrix.

    Examples
    --------
    >>> measure_ceilings(gemm_size=64, stream_entries=1_000, sparse_nodes=100).gemm64 > 0
    True
    """
    draw = np.random.default_rng(0)
    square = draw.random((gemm_size, gemm_size))
    gemm32, gemm64 = (2.0 * gemm_size**3 / _product_seconds(square.astype(kind)) for kind in (np.float32, np.float64))
    first, second, third = (draw.random(stream_entries) for _ in range(3))
    stream = 3.0 * 8.0 * stream_entries / _best(lambda: _triad(first, second, third))
    columns = draw.integers(sparse_nodes, size=sparse_nodes * _SPARSE_DEGREE)
    rows = np.repeat(np.arange(sparse_nodes), _SPARSE_DEGREE)
    matrix = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(sparse_nodes, sparse_nodes))
    dense, product = draw.random((sparse_nodes, _SPARSE_WIDTH)), np.zeros((sparse_nodes, _SPARSE_WIDTH))
    seconds = _best(lambda: _times(matrix.indptr, matrix.indices, matrix.data, dense, product))
    return Ceilings(gemm32, gemm64, stream, 2.0 * matrix.nnz * _SPARSE_WIDTH / seconds)


def run_ceilings() -> JsonObject:
    """:func:`measure_ceilings` for a process of its own."""
    return asdict(measure_ceilings())


def _product_seconds(square: npt.NDArray[np.floating]) -> float:
    out = np.empty_like(square)
    return _best(lambda: np.matmul(square, square, out=out))


def _best(work: Callable[[], object]) -> float:
    """Seconds of the quickest run after one that warms up."""
    work()
    seconds = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


@numba.njit(parallel=True, cache=True)
def _triad(first: Array, second: Array, third: Array) -> None:
    for p in numba.prange(len(first)):
        first[p] = second[p] + 3.0 * third[p]


@numba.njit(parallel=True, cache=True)
def _times(indptr: Ints, indices: Ints, values: Array, dense: Array, out: Array) -> None:
    for row in numba.prange(len(out)):
        for column in range(out.shape[1]):
            out[row, column] = 0.0
        for p in range(indptr[row], indptr[row + 1]):
            value, near = values[p], dense[indices[p]]
            for column in range(out.shape[1]):
                out[row, column] += value * near[column]
