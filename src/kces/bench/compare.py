"""How well one ranking of edges agrees with another."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from kces.ranking import edge_order, prune_count
from kces.types import Array

__all__ = ["agreement", "growth_exponent", "top_overlap"]


def agreement(exact: Array, approximate: Array) -> dict[str, float]:
    """Spearman's ρ, signed and absolute, and the overlap of the 10, 30 and 50 % highest (absolute).

    >>> agreement(np.array([3.0, -2.0, 1.0]), np.array([3.0, -2.0, 1.0]))["rho_signed"]
    1.0
    """
    exact_size, size = np.abs(exact), np.abs(approximate)
    result = {
        "rho_signed": round(float(spearmanr(exact, approximate)[0]), 6),
        "rho_absolute": round(float(spearmanr(exact_size, size)[0]), 6),
    }
    return result | {f"top_{share}": top_overlap(exact_size, size, share / 100) for share in (10, 30, 50)}


def top_overlap(first: Array, second: Array, share: float) -> float:
    """Share of the highest ``share`` of edges by ``first`` that are also among the highest by ``second``.

    >>> top_overlap(np.array([3.0, 2.0, 1.0, 0.0]), np.array([3.0, 0.0, 1.0, 2.0]), 0.5)
    0.5
    """
    count = prune_count(len(first), share)
    return len(np.intersect1d(edge_order(first)[:count], edge_order(second)[:count])) / max(count, 1)


def growth_exponent(sizes: list[int], seconds: list[float]) -> float:
    """Slope of log(seconds) over log(size): 1 is linear.

    >>> round(growth_exponent([10, 100, 1000], [0.1, 1.0, 10.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
