"""Named recipes: which score is meant by a preset. A parameter the caller gives replaces the recipe's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt

from kces.errors import InvalidParameterError
from kces.kernel import RIDGE, check_ridge
from kces.pseudo_labels import ENCODINGS

__all__ = ["PRESETS", "Recipe", "recipe_for"]


@dataclass(frozen=True, eq=False)
class Recipe:
    """How edges are scored: where labels come from, how they are coded, λ, and whether the sign is kept."""

    labels: str | npt.ArrayLike = "kmeans"
    encoding: str = "linear"
    ridge: float = RIDGE
    signed: bool = False


PRESETS: dict[str, Recipe] = {
    # The paper to the letter: K-means on the aggregated features, one column of bounded codes, |ΔGKC|.
    "paper": Recipe(),
}


def recipe_for(preset: str, **given: Any) -> Recipe:
    """The preset's recipe with every parameter that is not None replaced.

    >>> recipe_for("paper", ridge=0.1, signed=None).ridge
    0.1
    """
    if preset not in PRESETS:
        raise InvalidParameterError(f"unknown preset '{preset}'; there are: {', '.join(PRESETS)}")
    recipe = replace(PRESETS[preset], **{key: value for key, value in given.items() if value is not None})
    check_ridge(recipe.ridge)
    if recipe.encoding not in ENCODINGS:
        raise InvalidParameterError(f"unknown encoding '{recipe.encoding}'; use one of {', '.join(ENCODINGS)}")
    return recipe
