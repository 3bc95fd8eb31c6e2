"""Preset robust over a graph folder: the same scores as in memory, within memory that does not grow with the edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kces.errors import InvalidGraphError
from kces.progress import Progress, silent
from kces.scale import robust_steps as steps
from kces.scale.backends import open_backend
from kces.scale.drawn_pairs import unlinked_pairs_on_disk
from kces.scale.executors import Executor, InThisProcess, Step, compute_stage
from kces.scale.graph_folder import GraphFolder
from kces.scale.robust_layout import RobustLayout, plan_layout
from kces.scale.robust_steps import FEATURES, PATTERNS, RobustState, Space, edge_chunk, pair_views
from kces.scale.run_folder import RunFolder, start_run
from kces.scorers.centered_features import chunks
from kces.scorers.feature_spaces import RANK
from kces.scorers.leading_directions import leading_eigenvectors
from kces.scorers.link_cosines import HOPS
from kces.scorers.robust import column_words, own_features_differ, pair_complexity, weights_of_means
from kces.scorers.views import View, standard_views
from kces.types import Array, Bools, Ints

__all__ = ["MOST_COLUMNS", "FolderScores", "score_folder", "streams"]

MOST_COLUMNS = 2048
"""Features with more columns are for the routes in memory, which follow stored entries."""
_HERE = InThisProcess()
_ROWS = 2**16


@dataclass(frozen=True, eq=False)
class FolderScores:
    """The scores of a graph folder, in the run folder that they were computed in.

    Attributes
    ----------
    folder : what was scored.
    state : where the parts are, and their sizes.
    columns : (k,) what each column of views compares, in words.
    weights : (k,) of the columns.
    random_views : (R, k) views of random pairs.
    random_scores : (R,) their scores.
    own_features : whether the features can tell nodes apart.
    """

    folder: GraphFolder
    state: RobustState
    columns: tuple[str, ...]
    weights: Array
    random_views: Array
    random_scores: Array
    own_features: bool

    @property
    def n_chunks(self) -> int:
        return -(-self.folder.n_edges // self.state.layout.chunk)

    def bounds(self, chunk: int) -> tuple[int, int]:
        """First and last + 1 edge of a chunk."""
        return edge_chunk(self.folder.n_edges, chunk, self.state.layout.chunk)

    def pairs(self, chunk: int) -> Ints:
        """(C, 2) the edges of a chunk."""
        start, stop = self.bounds(chunk)
        return np.asarray(self.folder.edges[start:stop])

    def scores(self, chunk: int) -> Array:
        """(C,) the scores of a chunk of edges."""
        return self.state.results.load("scores", chunk, "scores")

    def views(self, chunk: int) -> Array:
        """(C, k) the views of a chunk of edges."""
        return self.state.results.load("views", chunk, "views")

    def all_scores(self) -> Array:
        """(E,) all scores, in memory.

        A million edges take 8 MB; larger graphs are better read chunk by chunk.
        """
        return np.concatenate([self.scores(chunk) for chunk in range(self.n_chunks)])

    def silent(self, chunk: int) -> Bools:
        """(C,) edges of a chunk of which every view is blank."""
        return self.state.results.load("scores", chunk, "silent")

    @property
    def contrast(self) -> float:
        """Chance that the ends of an edge have more alike features than a random pair, ties counted half."""
        above = sum(float(self.state.results.load("scores", chunk, "above")[0]) for chunk in self.chunks())
        return above / (self.folder.n_edges * len(self.random_views)) if len(self.random_views) else 1.0

    def chunks(self) -> Iterator[int]:
        return iter(range(self.n_chunks))


def streams(folder: GraphFolder) -> str:
    """Why the features of a folder cannot be scored in a stream; nothing where they can.

    Parameters
    ----------
    folder : an open folder.
    """
    if folder.manifest.features == "none":
        return "it has no features, and the graph alone is followed from node to node in memory"
    if folder.n_features > MOST_COLUMNS:
        return f"it has {folder.n_features} columns of features, and over {MOST_COLUMNS} are followed in memory"
    return ""


def score_folder(
    folder: GraphFolder,
    run: str | Path,
    *,
    seed: int = 0,
    executor: Executor | None = None,
    backend: str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    memory: int | None = None,
    chunk: int | None = None,
    resume: bool = False,
    progress: Progress = silent,
) -> FolderScores:
    """Score every edge of a folder into a run folder.

    Parameters
    ----------
    folder : the graph.
    run : folder for parts and results; what is finished there is not computed again.
    seed : of the random pairs.
    executor : where the parts are computed; in its place ``backend``, ``workers`` and ``cluster`` may say it.
    backend : ``threads``, the loops of this process, or ``dask``.
    workers, cluster : processes of a local Dask cluster, or the address of a scheduler.
    memory : bytes that each process may use.
    chunk : edges in a chunk; default by memory.
    resume : go on with the run that is there.
    progress : told about finished parts.

    Examples
    --------
    >>> import tempfile
    >>> from kces.api import score
    >>> from kces.datasets.builtin import synthetic
    >>> from kces.scale.from_graph import write_graph_folder
    >>> graph = synthetic(n=200, seed=0)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_graph_folder(graph, Path(place) / "g.kces")
    ...     found = score_folder(folder, Path(place) / "run").all_scores()
    >>> bool(np.allclose(found, score(graph).scores))
    True
    """
    if executor is None:
        with open_backend(backend, workers=workers, cluster=cluster, memory=memory) as opened:
            return score_folder(
                folder, run, seed=seed, executor=opened, memory=memory, chunk=chunk, resume=resume, progress=progress
            )
    if reason := streams(folder):
        raise InvalidGraphError(f"{folder.path} cannot be scored in a stream: {reason}")
    sizes = folder.n_nodes, folder.n_edges, folder.n_features
    layout = plan_layout(*sizes, workers=executor.workers, memory=executor.memory or memory, chunk=chunk)
    said = start_run(Path(run), _parameters(folder, seed, layout), resume=resume)
    state = RobustState(folder.origin, Path(run).resolve(), RobustLayout(**said["layout"]))
    state = replace(state, spaces=(Space(FEATURES, folder.n_features, state.layout.width),))
    return _Course(state, executor, seed, progress).run()


def _parameters(folder: GraphFolder, seed: int, layout: RobustLayout) -> dict[str, Any]:
    from kces import __version__

    return {
        "kces": __version__,
        "graph": folder.manifest.fingerprint,
        "preset": "robust",
        "seed": seed,
        "layout": layout.to_json(),
    }


@dataclass
class _Course:
    """The steps in their order."""

    state: RobustState
    executor: Executor
    seed: int
    progress: Progress

    def run(self) -> FolderScores:
        rows = self.state.layout.row_items
        self._stage("presence", steps.presence, rows)
        self._refuse_extremes(rows)
        self._stage("lengths", steps.lengths, rows)
        features = self.state.space(FEATURES)
        self._stage(features.hops, steps.feature_hops, len(features.blocks))
        self._stage(features.nodes, steps.feature_nodes, rows)
        views, own = self._views_to_ask()
        if own:
            self._add_patterns()
        else:
            self.state = replace(self.state, void=tuple(at for at, hops in enumerate(HOPS) if 0 in hops))
        self._stage("views", steps.edge_views, self._n_chunks)
        self._stage("weights", weigh, 1, here=True)
        self._stage("scores", score_chunk, self._n_chunks)
        kept = self.state.results
        return FolderScores(
            self.state.folder,
            self.state,
            column_words(views, own),
            np.asarray(kept.load("weights", 0, "weights")),
            np.asarray(kept.load("weights", 0, "random_views")),
            np.asarray(kept.load("weights", 0, "random_scores")),
            own,
        )

    @property
    def _n_chunks(self) -> int:
        return -(-self.state.folder.n_edges // self.state.layout.chunk)

    def _stage(self, name: str, step: Step[RobustState], items: int, *, here: bool = False) -> None:
        where = _HERE if here else self.executor
        compute_stage(where, RunFolder(self.state.run), name, step, self.state, items, self.progress)

    def _refuse_extremes(self, rows: int) -> None:
        safe = all(self.state.results.load("presence", item, "ordinary").all() for item in range(rows))
        if not safe:
            raise InvalidGraphError(
                f"{self.state.graph} has features beyond 2^100 or below 2^-100, which are scored in memory only;"
                " scale them before converting"
            )

    def _views_to_ask(self) -> tuple[tuple[View, ...], bool]:
        """The views, and whether the features alone can tell random pairs apart."""
        self._stage("random", _Random(self.seed), 1, here=True)
        own = own_features_differ(np.asarray(self.state.results.load("random", 0, "views")))
        views = standard_views(seed=self.seed)
        return tuple(view for view in views if own or not all(view.own_features)), own

    def _add_patterns(self) -> None:
        self._stage("directions", leading_directions, 1, here=True)
        rank = int(self.state.results.load("directions", 0, "directions").shape[1])
        patterns = Space(PATTERNS, rank, self.state.layout.pattern_width(rank, self.state.folder.n_features))
        self.state = replace(self.state, spaces=(*self.state.spaces, patterns))
        self._stage(patterns.hops, steps.pattern_hops, len(patterns.blocks))
        self._stage(patterns.nodes, steps.pattern_nodes, self.state.layout.row_items)


@dataclass(frozen=True)
class _Random:
    """Draws random pairs and looks at them in the space of the features."""

    seed: int

    def __call__(self, state: RobustState, item: int) -> steps.Results:
        pairs = unlinked_pairs_on_disk(state.folder, np.random.default_rng(self.seed))
        return {"pairs": pairs, "views": pair_views(state, pairs, linked=False)}


def leading_directions(state: RobustState, item: int) -> steps.Results:
    """(F, rank) leading eigenvectors of the covariance of the smoothed rows."""
    folder, parts = state.folder, range(state.layout.row_items)
    n = folder.n_features
    rank = min(RANK, min(folder.n_nodes, n) - 1)
    covariance = np.sum([state.results.load(state.space(FEATURES).nodes, part, "covariance") for part in parts], axis=0)
    directions = np.eye(n) if rank < 1 else leading_eigenvectors(covariance, rank)
    return {"directions": directions}


def weigh(state: RobustState, item: int) -> steps.Results:
    """Weights of the columns, from the means over edges and the views of random pairs."""
    results = state.results
    n_chunks = -(-state.folder.n_edges // state.layout.chunk)
    means = sum(results.load("views", chunk, "sums") for chunk in range(n_chunks)) / state.folder.n_edges
    random = pair_views(state, np.asarray(results.load("random", 0, "pairs")), linked=False)
    weights = weights_of_means(np.asarray(means), random)
    return {"weights": weights, "random_views": random, "random_scores": pair_complexity(random @ weights)}


def score_chunk(state: RobustState, item: int) -> steps.Results:
    """(C,) scores of a chunk of edges, and what the cut asks of its views, so that it need not read them all again.

    ``silent`` marks edges of which every view is blank; ``above`` is how often own features are more alike than those
    of a random pair, ties counted half, over all edges and pairs.
    """
    weights = state.results.load("weights", 0, "weights")
    random = np.sort(state.results.load("weights", 0, "random_views")[:, 0].astype(np.float32))
    views = state.results.load("views", item, "views")
    scores, silent, above = np.empty(len(views)), np.empty(len(views), dtype=bool), 0.0
    for part in chunks(len(views), _ROWS):
        rows = np.asarray(views[part])
        singles = rows.astype(np.float32)
        scores[part] = pair_complexity(rows @ weights)
        silent[part] = np.all(singles[:, weights > 0] == 0, axis=1)
        below = np.searchsorted(random, singles[:, 0], "left") + np.searchsorted(random, singles[:, 0], "right")
        above += 0.5 * float(below.sum())
    return {"scores": scores, "silent": silent, "above": np.array([above])}
