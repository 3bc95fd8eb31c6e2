"""How far apart two nodes usually are in a feature: what a reason calls a difference has to be more than that."""

from __future__ import annotations

import numpy as np

from kces.types import Array, Features, is_sparse

__all__ = ["typical_gaps"]

_QUANTILES = 64
_ROWS_LOOKED_AT = 10_000


def typical_gaps(features: Features) -> Array | None:
    """(F,) the median difference of two nodes in each column; None for sparse features, where most nodes have nothing.

    Differences of quantiles stand for those of all pairs. They do not depend on how the nodes are numbered.

    >>> typical_gaps(np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 9.0]])).tolist()
    [1.0, 0.0]
    """
    if is_sparse(features):
        return None
    rows = features[:: len(features) // _ROWS_LOOKED_AT + 1]
    at = np.quantile(rows, (np.arange(_QUANTILES) + 0.5) / _QUANTILES, axis=0, method="nearest")
    first, second = np.triu_indices(_QUANTILES, 1)
    return np.array([np.median(np.abs(column[first] / 2 - column[second] / 2)) * 2 for column in at.T])
