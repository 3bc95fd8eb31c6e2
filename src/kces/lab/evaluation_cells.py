"""Defenses evaluated by the workers of a cluster: a cell is one defense on one graph, which the worker opens itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from kces.datasets import load_attacked
from kces.datasets.attacked import AttackedGraph
from kces.datasets.attacked_files import read_attacked
from kces.lab.evaluation import evaluate, table
from kces.lab.training import training_preset
from kces.processes.answers import JsonObject
from kces.progress import Progress, silent
from kces.scale.executors import Executor

__all__ = ["EvaluationCell", "evaluate_cells", "open_attacked"]


@dataclass(frozen=True)
class EvaluationCell:
    """One defense on one graph.

    Attributes
    ----------
    graph : a name, or a file that the worker sees.
    defense : its name.
    seeds, trials, training : as in :func:`kces.lab.evaluation.evaluate`; training by name.
    features : a file with features, or None.
    data_root : folder of the data sets.
    """

    graph: str
    defense: str
    seeds: int
    trials: int
    training: str
    features: str | None = None
    data_root: str | None = None

    def rows(self) -> list[JsonObject]:
        """Run it, here: a row per seed."""
        rows: list[JsonObject] = []
        attacked = open_attacked(self.graph, self.features, self.data_root)
        preset = training_preset(self.training)
        evaluate([attacked], [self.defense], seeds=self.seeds, trials=self.trials, preset=preset, on_run=rows.append)
        return rows


def open_attacked(graph: str, features: str | None, data_root: str | Path | None) -> AttackedGraph:
    """A graph by its name, or from a file."""
    return read_attacked(graph, features=features) if Path(graph).exists() else load_attacked(graph, data_root)


def evaluate_cells(
    cells: Sequence[EvaluationCell],
    executor: Executor,
    *,
    progress: Progress = silent,
    on_run: Callable[[JsonObject], None] = lambda row: None,
) -> pd.DataFrame:
    """The rows of all cells, in their order, whichever ends first.

    Parameters
    ----------
    cells : what to run.
    executor : where.
    progress : told about finished cells.
    on_run : hears of every row when its cell is done.

    Examples
    --------
    >>> from kces.scale.executors import InThisProcess
    >>> cells = [EvaluationCell("synthetic:n=120,seed=0", name, 1, 1, "deeprobust") for name in ("mlp", "gcn")]
    >>> evaluate_cells(cells, InThisProcess())["defense"].tolist()
    ['mlp', 'gcn']
    """
    found: dict[int, list[JsonObject]] = {}
    progress("defenses", 0, len(cells))
    for place, rows in executor.run(_numbered_rows, list(enumerate(cells))):
        found[place] = rows
        for row in rows:
            on_run(row)
        progress("defenses", len(found), len(cells))
    return table([row for place in range(len(cells)) for row in found[place]])


def _numbered_rows(numbered: tuple[int, EvaluationCell]) -> tuple[int, list[JsonObject]]:
    place, cell = numbered
    return place, cell.rows()
