"""What a caller may say about scoring, whatever the scorer: names, defaults and the checks that all scorers share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import TypeAlias, TypedDict

import numpy.typing as npt

from kces.errors import InvalidParameterError, briefly

__all__ = ["EngineOptions", "LabelSource", "PaperKeywords", "ScoreOptions", "check_seed"]

LabelSource: TypeAlias = "str | npt.ArrayLike"
EngineOptions: TypeAlias = Mapping[str, "int | float | bool | str"]

_LARGEST_SEED = 2**32 - 1
"""scikit-learn takes no larger one."""


class PaperKeywords(TypedDict, total=False):
    """Keywords that only ``paper`` takes: see :class:`ScoreOptions`."""

    engine: str
    engine_options: EngineOptions | None
    encoding: str | None
    clusters: int | None
    ridge: float | None
    signed: bool | None


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreOptions:
    """How edges are scored; None leaves the choice to the scorer.

    Attributes
    ----------
    preset : name of the scorer, ``robust`` or ``paper``.
    seed : of everything random.
    labels : of ``paper`` only: a clustering, ``given``, or one class per node.
    engine, engine_options, encoding, clusters, ridge, signed : of ``paper`` only.
    """

    preset: str = "robust"
    seed: int = 0
    labels: LabelSource | None = None
    engine: str = "auto"
    engine_options: EngineOptions | None = None
    encoding: str | None = None
    clusters: int | None = None
    ridge: float | None = None
    signed: bool | None = None

    def given(self) -> set[str]:
        """Names of the options that only some scorers have and that were given."""
        named = ("encoding", "clusters", "ridge", "signed", "labels")
        said = {name for name in named if getattr(self, name) is not None}
        said |= {"engine_options"} if self.engine_options else set()
        return said | ({"engine"} if self.engine != "auto" else set())


def check_seed(seed: int) -> int:
    """``seed`` as a whole number that every library takes, or a clear error.

    >>> check_seed(3)
    3
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= seed <= _LARGEST_SEED:
        raise InvalidParameterError(f"seed must be a whole number in 0…{_LARGEST_SEED}, got {briefly(seed)}")
    return int(seed)
