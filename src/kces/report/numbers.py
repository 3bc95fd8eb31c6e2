"""Numbers for the page: five significant digits, and null for what is no number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Json", "short", "shorts"]

Json: TypeAlias = "dict[str, object]"


def short(value: float | None) -> float | None:
    """A number with five significant digits; None for none, infinite and undefined ones, which JSON does not have.

    >>> short(0.123456789), short(float("inf")), short(None)
    (0.12346, None, None)
    """
    return None if value is None or not math.isfinite(value) else float(f"{value:.5g}")


def shorts(values: npt.NDArray[np.floating] | Iterable[float]) -> list[float | None]:
    """Many of them.

    >>> shorts(np.array([1 / 3, np.nan]))
    [0.33333, None]
    """
    return [short(float(value)) for value in values]
