"""From the name of an experiment to its report."""

from __future__ import annotations

from pathlib import Path

from kces.lab.reproduce.kept_cells import read_cells, write_cells
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
    kept: Path | None = None,
    progress: Progress = silent,
) -> tuple[Report, RunReport | None]:
    """Run what is missing of the experiment and report all of it; without ``settings`` run nothing.

    A run that is killed loses the cells under way and no other: call it again and it goes on.

    Parameters
    ----------
    experiment : what to run.
    plan : how much of it.
    store_path : file of finished cells.
    settings : how cells are run; None: not at all.
    kept : folder of finished cells as text, read before and written after, also when the run is interrupted.
    progress : told how far it is.
    """
    slots = experiment.plan_slots(plan)
    cells = cells_of(slots)
    with Store.open(store_path) as store:
        if kept is not None:
            read_cells(kept, store)
        try:
            ran = None if settings is None else run_cells(cells, store, settings, progress=progress)
        finally:
            if kept is not None:
                write_cells(kept, in_order(cells), store)
        outcomes = store.get(in_order(cells))
    return Report(experiment, plan, fill(slots, outcomes), outcomes), ran
