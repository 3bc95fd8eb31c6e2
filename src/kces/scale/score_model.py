"""What scoring a graph folder has learned, small enough to keep: with it new links are scored without the others."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from kces.atomic import atomic_write
from kces.errors import UnreadableFileError
from kces.scale.graph_folder import GraphFolder
from kces.scale.robust_steps import PATTERNS
from kces.scale.streamed_cut import FolderCut
from kces.scale.streamed_levels import value_of_place
from kces.types import Array, Ints

__all__ = ["ScoreModel", "model_beside", "model_of"]

_QUANTILES = 1001


@dataclass(frozen=True, eq=False)
class ScoreModel:
    """A scored graph, without its edges.

    Attributes
    ----------
    fingerprint : of the folder that was scored.
    seed : of the random pairs.
    rarity, mean : (F,) of the columns of features.
    inverse : (N,) one over the length of each weighted row.
    directions : (F, rank) leading directions; no columns where features cannot tell nodes apart.
    weights : (k,) of the views.
    void : columns of the views that say nothing.
    threshold : score from which as many known links are as the cut removes; infinite where it removes none.
    quantiles : (1001,) of the scores of the known links.
    """

    fingerprint: str
    seed: int
    rarity: Array
    mean: Array
    inverse: Array
    directions: Array
    weights: Array
    void: Ints
    threshold: float
    quantiles: Array

    def save(self, path: Path) -> None:
        """Write it to an ``.npz`` file, in place of an older one."""
        arrays = {each.name: np.asarray(getattr(self, each.name)) for each in fields(self)}
        with atomic_write(path, force=True) as temporary, temporary.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path, folder: GraphFolder) -> ScoreModel | None:
        """The model in a file, if it is there and of this folder as it is now."""
        if not path.is_file():
            return None
        try:
            with np.load(path, allow_pickle=False) as stored:
                found = {each.name: stored[each.name] for each in fields(cls)}
        except (OSError, ValueError, KeyError) as error:
            raise UnreadableFileError(
                f"{path} is damaged ({error}); delete it, and the graph is scored again"
            ) from error
        for name, kind in (("fingerprint", str), ("seed", int), ("threshold", float)):
            found[name] = kind(found[name])
        model = cls(**found)
        return model if model.fingerprint == folder.manifest.fingerprint else None

    def percent_above(self, scores: Array) -> Array:
        """Percent of the known links that are less suspicious than each score."""
        return 100.0 * np.searchsorted(self.quantiles, scores) / len(self.quantiles)


def model_beside(folder: Path) -> Path:
    """Where the model of a folder is kept.

    >>> model_beside(Path("data/g.kces")).name
    'g.kces.model.npz'
    """
    return folder.with_name(folder.name + ".model.npz")


def model_of(cut: FolderCut, seed: int) -> ScoreModel:
    """The model of a folder that has been scored and cut.

    Parameters
    ----------
    cut : its run folder is still there.
    seed : that it was scored with.
    """
    scored = cut.scored
    centered = scored.state.centered()
    has_patterns = any(space.name == PATTERNS for space in scored.state.spaces)
    stored = (
        scored.state.results.load("directions", 0, "directions") if has_patterns else np.empty((len(centered.mean), 0))
    )
    sample = [np.quantile(scored.scores(chunk), np.linspace(0, 1, _QUANTILES)) for chunk in scored.chunks()]
    place = scored.folder.n_edges - cut.n_removed
    threshold = value_of_place(scored.n_chunks, scored.scores, place) if cut.n_removed else np.inf
    return ScoreModel(
        scored.folder.manifest.fingerprint,
        seed,
        centered.rarity,
        centered.mean,
        scored.state.inverse,
        np.asarray(stored),
        scored.weights,
        np.array(scored.state.void, dtype=np.int64),
        threshold,
        np.quantile(np.concatenate(sample), np.linspace(0, 1, _QUANTILES)),
    )
