"""From the name of an experiment to its report."""

from __future__ import annotations

from pathlib import Path

from kces.lab.reproduce.needs import in_order
from kces.lab.reproduce.plan import Experiment, Plan, cells_of
from kces.lab.reproduce.result_pages import Report
from kces.lab.reproduce.runner import RunReport, Settings, run_cells
from kces.lab.reproduce.store import Store
from kces.lab.reproduce.tables import fill
from kces.progress import Progress, silent

__all__ = ["reproduce"]


def reproduce(
    experiment: Experiment,
    plan: Plan,
    store_path: Path,
    settings: Settings | None = None,
    *,
    progress: Progress = silent,
) -> tuple[Report, RunReport | None]:
    """Run what is missing of the experiment and report all of it; without ``settings`` run nothing.

    A run that is killed loses the cells under way and no other: call it again and it goes on.
    """
    slots = experiment.plan_slots(plan)
    cells = cells_of(slots)
    with Store.open(store_path) as store:
        ran = None if settings is None else run_cells(cells, store, settings, progress=progress)
        outcomes = store.get(in_order(cells))
    return Report(experiment, plan, fill(slots, outcomes), outcomes), ran
