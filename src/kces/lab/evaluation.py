"""Accuracy, time and memory of defenses on graphs: the rows behind every table of the laboratory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from kces.datasets import load_attacked
from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidGraphError, InvalidParameterError, MemoryLimitError, one_line
from kces.graph import Graph
from kces.lab.defenses import Defense, NotApplicableError, Purifier, make_defense
from kces.lab.defenses.defense_registry import before_a_gcn
from kces.lab.defenses.tuning import accuracy, candidates, settings_to_try, tuned
from kces.lab.measure import watch
from kces.lab.training import DEEPROBUST, TrainingPreset
from kces.processes.answers import JsonObject
from kces.progress import Progress, silent

__all__ = ["COLUMNS", "evaluate", "summarize", "table"]

COLUMNS = [
    "graph",
    "defense",
    "seed",
    "accuracy",
    "seconds",
    "peak_mb",
    "training",
    "trials",
    "validation",
    "parameters",
    "note",
]


# Refusals, and what libraries raise when memory or numbers run out. Bad input is none of these: it ends the command.
_BREAKDOWNS = (NotApplicableError, MemoryLimitError, MemoryError, RuntimeError, ArithmeticError, np.linalg.LinAlgError)


@dataclass(frozen=True)
class _Protocol:
    seeds: tuple[int, ...]
    trials: int
    preset: TrainingPreset
    progress: Progress


class _Steps:
    """Counts the trainings of one defense: those of the tuning, then one per seed."""

    def __init__(self, name: str, total: int, progress: Progress) -> None:
        self._name, self._total, self._progress = name, total, progress
        self._done = -1
        self.advance()

    def advance(self, _: object = None) -> None:
        self._done += 1
        self._progress(self._name, self._done, self._total)


def evaluate(
    graphs: Iterable[str | Graph | AttackedGraph],
    defenses: Iterable[str | Defense | Purifier],
    *,
    seeds: int | Iterable[int] = 10,
    trials: int = 10,
    preset: TrainingPreset = DEEPROBUST,
    data_root: str | Path | None = None,
    progress: Progress = silent,
    on_run: Callable[[JsonObject], None] = lambda row: None,
) -> pd.DataFrame:
    """One row per run: graph, defense, seed, accuracy (percent), seconds, peak_mb, and how it was tuned.

    Graphs are names, attacked graphs, or plain graphs with labels and a split. Defenses are names or instances of
    :class:`~kces.lab.defenses.Defense`, which keep the training they were made with, or of
    :class:`~kces.lab.defenses.Purifier`, which stand before a GCN.

    Hyper-parameters are chosen once per graph and defense, on validation accuracy with the first seed, and
    kept for all seeds. Seconds are those of one training with what a purifier in front of it takes, not of
    the tuning. A defense that cannot run on a graph, or breaks down there, gives a row without accuracy and with a
    note. ``on_run`` hears of every row when it is there, so that an interrupted evaluation need not lose any.

    Examples
    --------
    >>> rows = evaluate(["synthetic:n=120,seed=0"], ["mlp", "gcn"], seeds=2, trials=1)
    >>> rows[["defense", "seed"]].values.tolist()
    [['mlp', 0], ['mlp', 1], ['gcn', 0], ['gcn', 1]]
    """
    seeds = tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
    ready = _ready(defenses, preset)
    if not seeds or not ready:
        raise InvalidParameterError("at least one seed and one defense are needed, such as gcn")
    candidates({}, trials)  # refuses a bad number of trials before anything is loaded
    protocol = _Protocol(seeds, trials, preset, progress)
    rows = []
    for graph in graphs:
        attacked = _opened(graph, data_root, progress)
        _check_judged(attacked)
        for name, defense in ready.items():
            for run in _runs(attacked, name, defense.informed_by(attacked), protocol):
                rows.append({"graph": attacked.graph.name, "defense": name, "training": preset.name} | run)
                on_run(rows[-1])
    return table(rows)


def _ready(defenses: Iterable[str | Defense | Purifier], preset: TrainingPreset) -> dict[str, Defense]:
    """The defenses by the name that their rows carry."""
    ready: dict[str, Defense] = {}
    for each in defenses:
        if isinstance(each, str):
            ready[each] = make_defense(each, preset=preset)
            continue
        if not isinstance(each, (Defense, Purifier)):
            raise InvalidParameterError(f"a defense is a name or an instance of Defense or Purifier, not {each!r}")
        name = getattr(each, "name", None) or type(each).__name__
        if name in ready:
            raise InvalidParameterError(f"two defenses are called '{name}'; give one of them another `name`")
        ready[name] = before_a_gcn(each, preset=preset) if isinstance(each, Purifier) else each
    return ready


def _opened(graph: str | Graph | AttackedGraph, data_root: str | Path | None, progress: Progress) -> AttackedGraph:
    if isinstance(graph, AttackedGraph):
        return graph
    if isinstance(graph, Graph):
        return AttackedGraph(graph, graph)
    return load_attacked(graph, data_root, progress=progress)


def _check_judged(attacked: AttackedGraph) -> None:
    graph = attacked.graph
    if graph.labels is None or graph.train is None or graph.val is None:
        raise InvalidGraphError(f"{graph.name} needs labels and a train, val and test split to be evaluated")
    if attacked.targets is None and graph.test is None:
        raise InvalidGraphError(f"{graph.name} has no test nodes to judge on")
    if len(attacked.judged_nodes) == 0:
        raise InvalidGraphError(f"{graph.name} has no label at any of the nodes to judge on")


def _runs(attacked: AttackedGraph, name: str, defense: Defense, protocol: _Protocol) -> Iterator[JsonObject]:
    """The runs that succeed, and after them the one that did not: what is done is not lost with it."""
    done = 0
    try:
        for run in _successful_runs(attacked, name, defense, protocol):
            done += 1
            yield run
    except _BREAKDOWNS as problem:
        yield {"seed": protocol.seeds[done], "trials": 0, "parameters": "{}", "note": one_line(problem)}


def _successful_runs(attacked: AttackedGraph, name: str, defense: Defense, protocol: _Protocol) -> Iterator[JsonObject]:
    graph, first_seed = attacked.graph, protocol.seeds[0]
    settings = settings_to_try(defense, protocol.trials, first_seed)
    fits = len(settings) if len(settings) > 1 else 0
    steps = _Steps(name, fits + len(protocol.seeds), protocol.progress)
    choice = tuned(defense, graph, protocol.trials, first_seed, on_trial=steps.advance)
    for seed in protocol.seeds:
        with watch() as usage:
            classes = choice.defense.fit(graph, seed).predict()
        steps.advance()
        yield {
            "seed": seed,
            "accuracy": accuracy(graph, classes, attacked.judged_nodes),
            "seconds": usage.seconds + choice.defense.reused_seconds,
            "peak_mb": usage.peak_mb,
            "trials": len(choice.trials),
            "validation": choice.accuracy,
            "parameters": json.dumps(choice.parameters),
            "note": "",
        }


def table(rows: list[JsonObject]) -> pd.DataFrame:
    """The rows that :func:`evaluate` has so far, in its columns."""
    return pd.DataFrame(rows, columns=COLUMNS)


def summarize(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over the seeds, a row per graph and defense, in the order of ``rows``."""
    groups = rows.groupby(["graph", "defense"], sort=False)
    return groups.agg(
        mean=("accuracy", "mean"),
        std=("accuracy", "std"),
        runs=("accuracy", "count"),
        seconds=("seconds", "mean"),
        peak_mb=("peak_mb", "max"),
        training=("training", "first"),
        parameters=("parameters", "first"),
        note=("note", "last"),
    ).reset_index()
