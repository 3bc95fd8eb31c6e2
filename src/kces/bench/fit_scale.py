"""The unit costs of the model behind ``kces lab plan``, fitted to measured stages of runs on disk.

The model is linear in its unit costs, so that they follow from the stages of all points by least squares without
negative numbers. Every stage counts by its error relative to the whole run, since it is whole runs that are planned.

    python -m kces.bench.fit_scale POINTS.json ...

Each file holds what ``kces bench scale --json`` printed. What is printed belongs into ``scale/cost_model.py``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import scipy.optimize

from kces.processes.answers import JsonObject
from kces.scale.cost_model import Effort, Machine, Resources, UnitCosts, Workload, stage_efforts
from kces.scale.robust_layout import RobustLayout

__all__ = ["fit_units", "measured_seconds"]

_STAGES = {
    "presence": "rows",
    "lengths": "rows",
    "features-hops": "hops",
    "features-nodes": "nodes",
    "random": "order",
    "directions": "patterns",
    "patterns-hops": "patterns",
    "patterns-nodes": "patterns",
    "views": "views",
    "weights": "scores",
    "scores": "scores",
    "cut": "cut",
}
"""What the model calls the stages of a run."""


def measured_seconds(run: JsonObject) -> dict[str, float]:
    """Seconds of a run on disk, by the stages of the model.

    >>> measured_seconds({"stages": {"presence": 1.0, "lengths": 2.0, "cut": 0.5}})
    {'rows': 3.0, 'cut': 0.5}
    """
    found: dict[str, float] = {}
    for stage, seconds in run["stages"].items():
        found[_STAGES[stage]] = found.get(_STAGES[stage], 0.0) + float(seconds)
    return found


def fit_units(points: Sequence[JsonObject], machine: Machine | None = None) -> UnitCosts:
    """Unit costs that reproduce the stages of measured runs best, to three digits.

    Parameters
    ----------
    points : what ``kces bench scale --json`` printed, a document each.
    machine : what it ran on.
    """
    machine = machine or Machine()
    names = [each.name for each in fields(UnitCosts)]
    rows, wanted = [], []
    for effort, seconds, whole in _stages(points, machine):
        rows.append([1e-9 * effort.steps.get(name, 0.0) / whole for name in names])
        wanted.append(max(seconds - effort.moved / machine.disk_speed, 0.0) / whole)
    table = np.array(rows)
    scale = np.where(table.any(axis=0), np.abs(table).max(axis=0), 1.0)  # counts differ by ten powers of ten
    found, _ = scipy.optimize.nnls(table / scale, np.array(wanted))
    return UnitCosts(**{name: float(f"{value:.3g}") for name, value in zip(names, found / scale, strict=True)})


def _stages(points: Sequence[JsonObject], machine: Machine) -> Iterator[tuple[Effort, float, float]]:
    """Every stage of every run: what the model counts, what was measured, and the seconds of the whole run."""
    for point in points:
        for run in point["disk"]:
            work = Workload(point["nodes"], run["edges"], point["features"])
            workers = int(run["workers"])
            given = Resources(machine.threads, max(workers, 1), machine.disk_speed, workers > 0)
            efforts = stage_efforts(work, RobustLayout(**run["layout"]), given)
            for stage, seconds in measured_seconds(run).items():
                yield efforts[stage], seconds, float(run["seconds"])


def main(files: Sequence[str]) -> None:
    """Print the unit costs that fit the points of some files."""
    points = [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]
    for name, value in asdict(fit_units(points)).items():
        sys.stdout.write(f"    {name}: float = {value!r}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
