"""Shapes of data that the whole package shares.

The matrices carry the paper's names: ``X`` features (N, F), ``Z`` aggregated features (N, F), ``H`` Gram matrix (N, N).
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

__all__ = ["Array", "Bools", "Features", "Ints", "Singles", "Values", "Words", "is_sparse"]

Array: TypeAlias = npt.NDArray[np.float64]
Singles: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]
Words: TypeAlias = npt.NDArray[np.uint64]
Bools: TypeAlias = npt.NDArray[np.bool_]

Values: TypeAlias = npt.NDArray[Any]
"""Of any kind: node ids as the caller has them, arrays of a file before they are looked at."""

Features: TypeAlias = "Array | sp.csr_array"
"""Node features (N, F): a dense float64 array or a CSR matrix. Nothing else passes the door of ``kces.graph``."""


def is_sparse(matrix: object) -> TypeGuard[sp.csr_array]:
    """Whether features are stored as a sparse matrix; the type checker learns it too.

    >>> is_sparse(np.eye(2)), is_sparse(sp.csr_array(np.eye(2)))
    (False, True)
    """
    return bool(sp.issparse(matrix))
