"""Parts of the paper's score, kept in a run folder and computed by any executor: the engines' seam on disk."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.engines.parts import EDGES_AT_ONCE, MakeState, ScorePart
from kces.errors import GraphWarning
from kces.progress import Progress, silent
from kces.scale.executors import Executor, InThisProcess, compute_stage
from kces.scale.run_folder import RunFolder
from kces.scale.stored_state import is_sound, load_state, save_state
from kces.types import Array

__all__ = ["PartsOfRun"]

_STAGE = "score edges"
_HERE = InThisProcess()


@dataclass(frozen=True)
class PartsOfRun:
    """What an engine does once, and the parts of its edges, in a run folder.

    Attributes
    ----------
    run : the folder.
    executor : where parts are computed.
    chunk : edges in a part; None takes the engine's number.
    """

    run: Path
    executor: Executor = _HERE
    chunk: int | None = None

    def once(self, name: str, make: MakeState) -> Any:
        """What an earlier run has kept, to the last bit; else what ``make`` returns, kept."""
        return load_state(self._kept(name, make))

    def __call__(
        self,
        score: ScorePart,
        make_state: MakeState,
        n_edges: int,
        progress: Progress = silent,
        at_once: int = EDGES_AT_ONCE,
    ) -> Array:
        shared, size = self._kept("state", make_state), self.chunk or at_once
        results, n_items = RunFolder(self.run), -(-n_edges // size)
        compute_stage(self.executor, results, _STAGE, _Part(score, size, n_edges), shared, n_items, progress)
        _loaded.cache_clear()
        return np.concatenate([np.empty(0), *(results.load(_STAGE, item, "scores") for item in range(n_items))])

    def _kept(self, name: str, make: MakeState) -> Path:
        folder = self.run / name
        if is_sound(folder):
            return folder
        if folder.exists():
            warnings.warn(f"{folder} is damaged or half-written; it is made again", GraphWarning, stacklevel=4)
        save_state(make(), folder)
        return folder


@dataclass(frozen=True)
class _Part:
    score: ScorePart
    chunk: int
    n_edges: int

    def __call__(self, shared: Path, item: int) -> dict[str, npt.NDArray[Any]]:
        start, stop = item * self.chunk, min((item + 1) * self.chunk, self.n_edges)
        return {"scores": self.score(_loaded(shared), start, stop)}


@lru_cache(maxsize=1)
def _loaded(shared: Path) -> Any:
    return load_state(shared)
