"""Choosing between prunings on validation nodes: only a lead that is surely no chance counts."""

from __future__ import annotations

import numpy as np

from kces.types import Bools

__all__ = ["SURE", "informed_choice", "surely_better"]

SURE = 2.0
"""Standard errors by which one pruning must beat another on validation before its lead counts."""


def informed_choice(right: Bools, none: int, automatic: int) -> int:
    """Which of several prunings to keep: validation decides where it can, the automatic cut where it cannot.

    A few hundred validation nodes are noisy, and blind to an attack on other nodes. If the best pruning is not surely
    better on them than no pruning, its lead is chance, and the automatic α is taken, unless that one surely harms.

    Parameters
    ----------
    right : ``(prunings, validation nodes)``, whether a model trained after the pruning gets the node right.
    none, automatic : which rows are no pruning and the automatic α.

    Examples
    --------
    >>> nodes = np.arange(100)
    >>> none, automatic, deep = nodes < 70, nodes < 69, nodes < 71
    >>> informed_choice(np.array([none, automatic, deep]), none=0, automatic=1)  # one node more is chance
    1
    >>> informed_choice(np.array([none, automatic, nodes < 90]), none=0, automatic=1)
    2
    """
    best = int(right.mean(axis=1).argmax())
    if surely_better(right[best], right[none]):
        return best
    return none if surely_better(right[none], right[automatic]) else automatic


def surely_better(candidate: Bools, reference: Bools) -> bool:
    """McNemar's comparison: nodes that both get right or both get wrong say nothing.

    >>> nodes = np.arange(100)
    >>> surely_better(nodes < 80, nodes < 70), surely_better(nodes < 71, nodes < 70)
    (True, False)
    """
    gained, lost = int(np.sum(candidate & ~reference)), int(np.sum(reference & ~candidate))
    return bool(gained - lost > SURE * np.sqrt(gained + lost))
