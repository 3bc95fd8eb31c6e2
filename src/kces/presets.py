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
    """How edges are scored.

    Attributes
    ----------
    of_pairs : score the agreement of an edge's two ends (``kces.robust``) instead of the change of GKC.
    labels : where labels come from; for pairs ``none`` or ``train``.
    encoding, ridge, signed : codes of the labels, λ, and whether the sign of the change is kept.
    """

    of_pairs: bool = False
    labels: str | npt.ArrayLike = "kmeans"
    encoding: str = "linear"
    ridge: float = RIDGE
    signed: bool = False


PRESETS: dict[str, Recipe] = {
    # The paper to the letter: K-means on the aggregated features, one column of bounded codes, |ΔGKC|.
    "paper": Recipe(),
    # What we found to work: the kernel complexity of the claim that the ends of the edge agree (docs/robust.md).
    "robust": Recipe(of_pairs=True, labels="none"),
}


def recipe_for(preset: str, **given: Any) -> Recipe:
    """The preset's recipe with every parameter that is not None replaced.

    >>> recipe_for("paper", ridge=0.1, signed=None).ridge
    0.1
    """
    if preset not in PRESETS:
        raise InvalidParameterError(f"unknown preset '{preset}'; there are: {', '.join(PRESETS)}")
    chosen = {key: value for key, value in given.items() if value is not None}
    recipe = replace(PRESETS[preset], **chosen)
    if recipe.of_pairs:
        return _checked_pairs(recipe, chosen)
    check_ridge(recipe.ridge)
    if recipe.encoding not in ENCODINGS:
        raise InvalidParameterError(f"unknown encoding '{recipe.encoding}'; use one of {', '.join(ENCODINGS)}")
    return recipe


def _checked_pairs(recipe: Recipe, chosen: dict[str, Any]) -> Recipe:
    foreign = sorted(set(chosen) - {"labels"})
    if foreign:
        raise InvalidParameterError(f"preset robust has no {', '.join(foreign)}; use --preset paper for that")
    if not isinstance(recipe.labels, str) or recipe.labels not in ("none", "train"):
        raise InvalidParameterError("preset robust takes labels none or train; use --preset paper for pseudo labels")
    return recipe
