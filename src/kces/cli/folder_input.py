"""Scoring a graph folder as the commands do it: where the parts are computed, where they are kept, and the cut."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kces.cli.output import errors, print_lines
from kces.cli.scale_options import ScaleOptions
from kces.cli.score_input import ScoringOptions, parse_alpha
from kces.errors import GraphWarning
from kces.progress import Progress
from kces.scale.backends import open_backend
from kces.scale.executors import Executor
from kces.scale.graph_folder import GraphFolder
from kces.scale.robust_on_disk import score_folder
from kces.scale.run_folder import delete_run, locked_run
from kces.scale.streamed_cut import FolderCut, cut_folder

__all__ = ["FolderRun", "open_executor", "scored_folder"]


@dataclass(frozen=True, eq=False)
class FolderRun:
    """A graph folder, scored and cut; its parts are on disk while the command runs."""

    cut: FolderCut
    seed: int
    executor: Executor
    run: Path

    @property
    def folder(self) -> GraphFolder:
        return self.cut.scored.folder

    def facts(self) -> dict[str, object]:
        """How scores and cut came about, for ``--json``."""
        folder, choice = self.folder, self.cut.choice
        return {
            "graph": folder.name,
            "nodes": folder.n_nodes,
            "edges": folder.n_edges,
            "preset": "robust",
            "engine": "views",
            "engine_reason": self._reason(),
            "labels": "none",
            "seed": self.seed,
            "repairs": str(folder.repairs),
            **choice.facts(),
            "read": [f"features: {note}" for note in folder.manifest.notes],
        }

    def closing_lines(self) -> list[str]:
        notes = [f"features: {note}" for note in self.folder.manifest.notes]
        return [*notes, f"preset robust, engine views ({self._reason()}); {self.cut.choice}"]

    def _reason(self) -> str:
        scored, layout = self.cut.scored, self.cut.scored.state.layout
        parts = f"{layout.width} columns and {layout.chunk} edges at a time"
        return f"{len(scored.columns)} views of {self.folder.n_edges} edges on disk, {parts}"


@contextmanager
def scored_folder(
    graph: str, scoring: ScoringOptions, scale: ScaleOptions, output: Path | None, progress: Progress
) -> Iterator[FolderRun]:
    """Score and cut a folder; the run folder goes when the block has ended well, unless it is to be kept."""
    scoring.checked()
    folder, run = GraphFolder.open(graph), scale.run_folder(graph, output)
    with locked_run(run), open_executor(scale.workers, scale.cluster, scale.memory_bytes) as executor:
        folder.verify()
        scored = score_folder(
            folder,
            run,
            seed=scoring.seed,
            executor=executor,
            memory=scale.memory_bytes,
            chunk=scale.chunk,
            resume=scale.resume,
            progress=progress,
        )
        cut = cut_folder(scored, parse_alpha(scoring.alpha))
        if cut.warning:
            warnings.warn(f"{folder.name}: {cut.warning}", GraphWarning, stacklevel=2)
        yield FolderRun(cut, scoring.seed, executor, run)
    if not scale.keep_run:
        delete_run(run)


@contextmanager
def open_executor(workers: int | None, cluster: str | None, memory: int | None = None) -> Iterator[Executor]:
    """This process, or a Dask cluster, whose dashboard is named on stderr."""
    with open_backend(workers=workers, cluster=cluster, memory=memory) as executor:
        if dashboard := getattr(executor, "dashboard", None):
            print_lines([f"dashboard: {dashboard}"], to=errors)
        yield executor
