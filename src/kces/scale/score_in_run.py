"""Scores of a graph in memory whose parts are kept in a run folder: a run of hours goes on after a kill.

Preset ``paper`` keeps its pseudo labels, its solution and ranges of edges, and any executor may compute the ranges.
Preset ``robust`` goes through a graph folder within the run folder where the features allow it, with parts as fine as
those of any graph on disk; features that are followed in memory are kept view by view.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kces.errors import InvalidParameterError, KCESError
from kces.graph import Graph
from kces.progress import Progress, silent
from kces.scale.executors import Executor, InThisProcess
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder
from kces.scale.kept_views import KeptView
from kces.scale.parts_of_run import PartsOfRun
from kces.scale.robust_on_disk import MOST_COLUMNS, FolderScores, score_folder
from kces.scale.run_folder import RunFolder, start_run
from kces.scorers import Scored, ScoreOptions, make_scorer
from kces.scorers.evidence import RobustEvidence
from kces.scorers.paper import PaperScorer
from kces.scorers.robust import RobustScorer, gather_evidence
from kces.scorers.views import View
from kces.types import is_sparse

__all__ = ["score_in_run"]

_HERE = InThisProcess()
_WHOLE = (
    "preset robust without features or with more than"
    f" {MOST_COLUMNS} columns of them compares all edges at once in this process"
)


def _goes_to_disk(graph: Graph, options: ScoreOptions) -> bool:
    """Whether preset robust scores a graph through a folder: features that are followed entry by entry stay here."""
    wide = not graph.has_features or graph.n_features > MOST_COLUMNS
    return options.preset == RobustScorer.name and not wide


def score_in_run(
    graph: Graph,
    run: str | Path,
    options: ScoreOptions | None = None,
    *,
    executor: Executor = _HERE,
    memory: int | None = None,
    chunk: int | None = None,
    resume: bool = False,
    progress: Progress = silent,
) -> Scored:
    """Score every edge; what is finished stays in a run folder.

    Parameters
    ----------
    graph : in memory.
    run : folder for what is done once and for finished parts.
    options : how edges are scored; default preset ``robust``.
    executor : where parts are computed.
    memory : bytes that each process may use, of preset ``robust``.
    chunk : edges in a part; default by the engine, or by memory.
    resume : go on with the run that is there.
    progress : told about the steps.

    Examples
    --------
    >>> import tempfile
    >>> from kces.datasets.toys import barbell
    >>> options = ScoreOptions(preset="paper", engine="exact")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     found = score_in_run(barbell(), Path(place) / "run", options, chunk=5)
    >>> bool(np.allclose(found.scores, make_scorer(options).score(barbell()).scores))
    True
    """
    options = options or ScoreOptions()
    scorer, path = make_scorer(options), Path(run).resolve()
    if not isinstance(scorer, PaperScorer | RobustScorer):
        raise InvalidParameterError(f"preset {options.preset} has no parts that could be kept; use robust or paper")
    if isinstance(scorer, PaperScorer):
        said = start_run(path, _parameters(graph, options, {"chunk": chunk}), resume=resume)
        return scorer.score(graph, progress, PartsOfRun(path, executor, said["layout"]["chunk"]))
    on_disk = _goes_to_disk(graph, options)
    if not on_disk and (chunk is not None or not isinstance(executor, InThisProcess)):
        raise InvalidParameterError(f"{graph.name}: {_WHOLE}; leave out workers and chunks")
    start_run(path, _parameters(graph, options, {}), resume=resume)
    if on_disk:
        return scorer.score(graph, progress, _ThroughFolder(path, executor, memory, chunk))
    return scorer.score(graph, progress, partial(_gather_kept, RunFolder(path)))


@dataclass(frozen=True)
class _ThroughFolder:
    """Gathers evidence as from a graph on disk, which it puts into the run folder."""

    run: Path
    executor: Executor
    memory: int | None
    chunk: int | None

    def __call__(
        self, graph: Graph, views: tuple[View, ...], *, seed: int = 0, progress: Progress = silent
    ) -> RobustEvidence:
        folder, parts = self._folder(graph), self.run / "parts"
        found = score_folder(
            folder,
            parts,
            seed=seed,
            executor=self.executor,
            memory=self.memory,
            chunk=self.chunk,
            resume=True,
            progress=progress,
        )
        return _evidence_of(found, views)

    def _folder(self, graph: Graph) -> GraphFolder:
        path = self.run / "graph.kces"
        try:
            folder = GraphFolder.open(path)
            folder.verify()
        except KCESError:  # not there yet, or damaged
            return write_graph_folder(graph, path, force=True)
        return folder


def _evidence_of(found: FolderScores, views: tuple[View, ...]) -> RobustEvidence:
    """What a scored folder knows, in memory."""
    chunks = range(found.n_chunks)
    return RobustEvidence(
        edges=np.concatenate([found.pairs(chunk) for chunk in chunks]).astype(np.int64),
        views=tuple(view for view in views if found.own_features or not all(view.own_features)),
        columns=found.columns,
        weights=found.weights.copy(),
        edge_views=np.concatenate([found.views(chunk).astype(np.float32) for chunk in chunks]),
        random_views=found.random_views.astype(np.float32),
        random_pairs=found.state.results.load("random", 0, "pairs").copy(),
        scores=found.all_scores(),
        random_scores=found.random_scores.copy(),
        own_features=found.own_features,
    )


def _gather_kept(
    run: RunFolder, graph: Graph, views: tuple[View, ...], *, seed: int = 0, progress: Progress = silent
) -> RobustEvidence:
    return gather_evidence(graph, tuple(KeptView(view, run) for view in views), seed=seed, progress=progress)


def _parameters(graph: Graph, options: ScoreOptions, layout: dict[str, Any]) -> dict[str, Any]:
    from kces import __version__

    labels = options.labels
    named = labels if labels is None or isinstance(labels, str) else _digest(np.asarray(labels))
    told = {name: value for name, value in asdict(replace(options, labels=named)).items() if value is not None}
    return {"kces": __version__, "graph": _input_hash(graph), **told, "layout": layout}


def _input_hash(graph: Graph) -> str:
    """Of all that scores depend on: links, features, classes and splits."""
    features = graph.features
    stored = (features.data, features.indices, features.indptr) if is_sparse(features) else (features,)
    return _digest(graph.edges, *stored, graph.labels, graph.train, graph.val, graph.test)


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(b"none" if array is None else f"{array.dtype.str} {array.shape}".encode())
        digest.update(b"" if array is None else np.ascontiguousarray(array).data)
    return digest.hexdigest()
