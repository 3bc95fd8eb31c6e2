"""Budgets per node: how much of a set of relaxed or drawn flips they leave."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from kces.lab.attacks.surrogate import FloatArray

__all__ = ["project_locally", "select_locally"]

Pairs = npt.NDArray[np.int64]


def project_locally(weights: FloatArray, pairs: Pairs, caps: npt.NDArray[np.int64]) -> FloatArray:
    """Weights lowered so that those at node i sum to at most ``caps[i]``; the highest are served first.

    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> project_locally(np.array([0.9, 0.5, 0.4]), pairs, np.array([1, 2, 2])).round(6).tolist()
    [0.9, 0.1, 0.4]
    """
    order = np.argsort(-weights, kind="stable")
    result = np.zeros_like(weights)
    _serve(weights, pairs, order, caps.astype(np.float64), result)
    return result


def select_locally(pairs: Pairs, caps: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Positions of the first ``count`` pairs, in the order given, that the budgets of both ends allow.

    >>> select_locally(np.array([[0, 1], [0, 2], [1, 2]]), np.array([1, 2, 2]), count=2).tolist()
    [0, 2]
    """
    allowed = np.zeros(len(pairs))
    _serve(np.ones(len(pairs)), pairs, np.arange(len(pairs)), caps.astype(np.float64), allowed)
    return np.flatnonzero(allowed)[:count]


@numba.njit(cache=True)
def _serve(
    wanted: FloatArray, pairs: Pairs, order: npt.NDArray[np.int64], room: FloatArray, granted: FloatArray
) -> None:
    for position in order:
        i, j = pairs[position]
        amount = min(wanted[position], room[i], room[j])
        if amount > 0:
            granted[position] = amount
            room[i] -= amount
            room[j] -= amount
