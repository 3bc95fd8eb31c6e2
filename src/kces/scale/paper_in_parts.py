"""Preset paper in parts: one global solve here, then chunks of edges, each kept in a run folder, by any executor."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kces.engines.parts import EDGES_AT_ONCE, ScorePart
from kces.errors import InvalidParameterError
from kces.progress import Progress, silent
from kces.scale.executors import Executor, InThisProcess, compute_stage
from kces.scale.graph_folder import GraphFolder
from kces.scale.run_folder import RunFolder, start_run
from kces.scale.stored_state import load_state, save_state
from kces.scorers.paper import PaperScorer
from kces.scorers.score_options import ScoreOptions
from kces.scorers.scored import Scored
from kces.types import Array

__all__ = ["IN_PARTS", "PartsOfRun", "score_paper_in_parts"]

IN_PARTS = ("gradient", "local")
"""Engines whose edges are scored one without the other, after the solve."""
_STAGE = "score edges"
_HERE = InThisProcess()


@dataclass(frozen=True)
class PartsOfRun:
    """Parts of the edges, computed by an executor and kept in a run folder.

    Attributes
    ----------
    run : the folder.
    executor : where parts are computed.
    chunk : edges in a part.
    """

    run: Path
    executor: Executor = _HERE
    chunk: int = EDGES_AT_ONCE

    def __call__(self, score: ScorePart, state: Any, n_edges: int, progress: Progress = silent) -> Array:
        shared = self.run / "state"
        if not (shared / "state.json").is_file():  # that of a run that goes on is the same, to the last bit
            save_state(state, shared)
        n_items = -(-n_edges // self.chunk)
        step = _Part(score, self.chunk, n_edges)
        compute_stage(self.executor, RunFolder(self.run), _STAGE, step, shared, n_items, progress)
        results = RunFolder(self.run)
        return np.concatenate([results.load(_STAGE, item, "scores") for item in range(n_items)])


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


def score_paper_in_parts(
    folder: GraphFolder,
    run: str | Path,
    options: ScoreOptions,
    *,
    executor: Executor = _HERE,
    chunk: int | None = None,
    resume: bool = False,
    progress: Progress = silent,
) -> Scored:
    """Score the edges of a folder by the paper's definition: the graph in memory here, the edges in parts.

    Parameters
    ----------
    folder : the graph; it must fit into the memory of this process.
    run : folder for the solution and for finished parts.
    options : how edges are scored; the engine is ``gradient``, ``local`` or ``auto``, which is local.
    executor : where parts are computed.
    chunk : edges in a part.
    resume : go on with the run that is there. The solve is made again, and its result taken from the run.
    progress : told about the steps.

    Examples
    --------
    >>> import tempfile
    >>> from kces.datasets.builtin import synthetic
    >>> from kces.scale.from_graph import write_graph_folder
    >>> graph = synthetic(n=100, seed=0)
    >>> options = ScoreOptions(preset="paper", engine="local", labels="given")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_graph_folder(graph, Path(place) / "g.kces")
    ...     found = score_paper_in_parts(folder, Path(place) / "run", options, chunk=50)
    >>> bool(np.allclose(found.scores, PaperScorer(options).score(graph).scores))
    True
    """
    if options.engine not in (*IN_PARTS, "auto"):
        raise InvalidParameterError(f"engine {options.engine} does not work in parts; use {' or '.join(IN_PARTS)}")
    if options.labels is not None and not isinstance(options.labels, str):
        raise InvalidParameterError("labels for a run in parts are a name: a clustering, or given")
    scorer = PaperScorer.checked(options)
    size = chunk or EDGES_AT_ONCE
    said = start_run(Path(run), _parameters(folder, options, size), resume=resume)
    parts = PartsOfRun(Path(run).resolve(), executor, int(said["layout"]["chunk"]))
    return scorer.score(folder.to_graph(), progress, parts)


def _parameters(folder: GraphFolder, options: ScoreOptions, chunk: int) -> dict[str, Any]:
    from kces import __version__

    told = {name: value for name, value in asdict(options).items() if value is not None}
    return {"kces": __version__, "graph": folder.manifest.fingerprint, **told, "layout": {"chunk": chunk}}
