"""The folder of results: Markdown, CSV and figures, with all it takes to judge and repeat them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kces.atomic import atomic_write
from kces.datasets import parse_name
from kces.errors import OutputError
from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.figures import draw_dots, draw_histograms, draw_lines, draw_scale, save_figure
from kces.lab.reproduce.plan import SLOW_METHODS, Experiment, Plan, label_of
from kces.lab.reproduce.store import Outcome
from kces.lab.reproduce.tables import Filled, sections, to_frame, to_markdown
from kces.lab.reproduce.verdicts import verdict_lines
from kces.processes.answers import NOT_APPLICABLE, OK, JsonObject
from kces.types import Array

__all__ = ["Report", "make_folder", "write_report"]

_FLOOR_AND_CEILING = (
    " MLP uses no graph and is the floor; the oracle takes out exactly the adversarial edges that were added and is "
    "the ceiling."
)
_DRAW = {"dots": draw_dots, "lines": draw_lines, "scale": draw_scale}


@dataclass(frozen=True)
class Report:
    """An experiment with its numbers, and how long all its cells took, whenever they were run."""

    experiment: Experiment
    plan: Plan
    filled: list[Filled]
    outcomes: Mapping[Cell, Outcome]

    @property
    def compute_seconds(self) -> float:
        return sum(outcome.seconds for outcome in self.outcomes.values())

    @property
    def environments(self) -> list[str]:
        """What the cells were run with; more than one when versions have changed in between."""
        return sorted({outcome.environment for outcome in self.outcomes.values() if outcome.environment})

    def facts(self) -> JsonObject:
        """How the numbers were made."""
        return {
            "experiment": self.experiment.name,
            "quick": self.plan.quick,
            "seeds": self.plan.seeds,
            "trials": self.plan.trials,
            "training": self.plan.training,
            "cells": len(self.outcomes),
            "compute_seconds": round(self.compute_seconds, 1),
            "environments": self.environments,
        }


def make_folder(folder: Path) -> None:
    """The folder of a report, made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the output folder {folder}: {error.strerror}") from error


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write everything into ``folder``, which is made if need be; files of an earlier run are replaced."""
    make_folder(folder)
    name = report.experiment.name
    figures = _write_figures(report, folder)
    table = folder / f"{name}.csv"
    with atomic_write(table, force=True) as temporary:
        to_frame(report.filled).to_csv(temporary, index=False)
    text = folder / f"{name}.md"
    with atomic_write(text, force=True) as temporary:
        temporary.write_text(markdown(report, figures), encoding="utf-8")
    return [text, table, *figures]


def markdown(report: Report, figures: list[Path]) -> str:
    """The page that a person reads."""
    experiment, facts = report.experiment, report.facts()
    lines = [f"# {experiment.name}: {experiment.about}", ""]
    if report.plan.quick:
        lines += [
            f"**Quick run: a small subset ({_counted(report.plan.seeds, 'seed')}, {facts['trials']} trials, fewer "
            "graphs and methods). It shows that the experiment runs; it does not settle a claim.**",
            "",
        ]
    lines += [
        f"Numbers: {experiment.unit}; {_spread(report.plan.seeds)}. Below ours stands the "
        f"paper's number, in brackets our difference to it.{_FLOOR_AND_CEILING if experiment.judges_accuracy else ''}",
        "",
        to_markdown(report.filled),
        "",
        *(verdict_lines(report.filled) if experiment.compares_defenses else []),
        *(f"- {note}" for note in experiment.notes),
        *(_how_trained(report) if experiment.judges_accuracy else []),
        "",
        *(f"![{path.stem}]({path.name})" for path in figures if path.suffix == ".png"),
        "",
        *_failures(report),
        f"Repeat: `{command(report)}`. {facts['cells']} cells, {_hours(facts['compute_seconds'])} of computing.",
        "",
        *(f"Measured with {each}." for each in facts["environments"]),
    ]
    return "\n".join(lines) + "\n"


def command(report: Report) -> str:
    """The command that makes this folder again."""
    plan = report.plan
    words = ["kces reproduce", report.experiment.name]
    words += ["--quick"] if plan.quick else [f"--seeds {plan.seeds}", f"--trials {plan.trials}"]
    slow = {"--slow-seeds": plan.slow_seeds, "--slow-trials": plan.slow_trials}
    words += [f"{option} {count}" for option, count in slow.items() if count != 1]
    words += [f"--slow {','.join(plan.slow)}"] if plan.slow != SLOW_METHODS else []
    words += [f"--only {','.join(plan.only)}"] if plan.only else []
    words += [f"--methods {','.join(plan.methods)}"] if plan.methods else []
    words += [f"--training {plan.training}"] if plan.training != "deeprobust" else []
    return " ".join(words)


def _how_trained(report: Report) -> list[str]:
    plan = report.plan
    tried = f"{plan.trials} settings tried on validation with seed 0" if plan.trials > 1 else "the defaults, not tuned"
    return [f"- Hyper-parameters: {tried}; training preset {plan.training}.", *_slow_methods(report)]


def _slow_methods(report: Report) -> list[str]:
    """A line on the methods that got fewer trainings than the others, if there are any."""
    plan = report.plan
    slow = sorted({label_of(cell.method) for cell in report.outcomes if plan.is_slow(cell.method)})
    if not slow or (plan.slow_seeds, plan.slow_trials) == (plan.seeds, plan.trials):
        return []
    tuning = "default settings, not tuned" if plan.slow_trials == 1 else f"{plan.slow_trials} settings tried"
    return [f"- {', '.join(slow)}: {_counted(plan.slow_seeds, 'seed')}, {tuning}; a training takes minutes."]


def _failures(report: Report) -> list[str]:
    """Every message of a cell that ended without a result, with how many cells it ended.

    What cannot run on a data set cannot run on its attacked graphs, nor be tuned there: that is one line.
    """
    counts: Counter[str] = Counter()
    for cell, outcome in report.outcomes.items():
        graph, message = cell.graph, outcome.message.removeprefix("tune: ")
        if outcome.status == NOT_APPLICABLE:
            graph = parse_name(graph).dataset
            message = message.replace(cell.graph.partition("#")[0], graph)
        if outcome.status != OK:
            counts[f"{graph}, {label_of(cell.method) or cell.task}: {outcome.status}: {message}"] += 1
    if not counts:
        return []
    return ["## Without a result", "", *(f"- {line} ({_counted(count, 'cell')})" for line, count in counts.items()), ""]


def _write_figures(report: Report, folder: Path) -> list[Path]:
    name = report.experiment.name
    drawn = {}
    if report.experiment.drawing in _DRAW:
        drawn = _DRAW[report.experiment.drawing](report.filled, report.experiment.unit)
    figures = {f"{name}-{_file_word(section)}": figure for section, figure in drawn.items()}
    if report.experiment.has_distributions:
        figures |= {f"{name}-{_file_word(section)}": figure for section, figure in _histograms(report).items()}
    return [path for stem, figure in figures.items() for path in save_figure(figure, folder, stem)]


def _histograms(report: Report) -> JsonObject:
    from kces.lab.reproduce.tasks import unpack

    drawn = {}
    for section, members in sections(report.filled).items():
        found = {each.slot.row: report.outcomes.get(each.slot.cells[0]) for each in members}
        scores: dict[str, Array] = {}
        for row, outcome in found.items():
            if outcome and "scores" in outcome.result:
                scores |= _told_apart(row, unpack(outcome.result["scores"]), outcome.result.get("adversarial", []))
        if scores:
            drawn[section] = draw_histograms(section, scores)
    return drawn


def _told_apart(row: str, scores: Array, adversarial: list[int]) -> dict[str, Array]:
    """The scores of a graph, those of its adversarial edges by themselves.

    >>> {name: values.tolist() for name, values in _told_apart("attacked", np.array([1.0, 2.0]), [1]).items()}
    {'attacked, genuine': [1.0], 'attacked, adversarial': [2.0]}
    """
    if not adversarial:
        return {row: scores}
    is_added = np.zeros(len(scores), dtype=bool)
    is_added[adversarial] = True
    return {f"{row}, genuine": scores[~is_added], f"{row}, adversarial": scores[is_added]}


def _file_word(section: str) -> str:
    """
    >>> _file_word("cora@metattack-0.25")
    'cora-metattack-0.25'
    """
    kept = "".join(letter if letter.isalnum() or letter == "." else " " for letter in section)
    return "-".join(kept.split())


def _spread(seeds: int) -> str:
    return "one seed, so no standard deviation" if seeds == 1 else f"mean ± standard deviation of {seeds} seeds"


def _counted(count: int, word: str) -> str:
    """
    >>> _counted(1, "seed"), _counted(3, "seed")
    ('1 seed', '3 seeds')
    """
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _hours(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 3600:.1f} h"
