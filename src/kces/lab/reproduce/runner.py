"""Runs cells: what is finished is kept, what is not is run, each in a process of its own.

Most cells are forked from a template that has imported everything. Cells that measure time and memory get a fresh
interpreter: what a forked process inherits would count as its own.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.needs import in_order, longest_first, needs
from kces.lab.reproduce.store import Outcome, Store
from kces.lab.reproduce.tasks import EXCLUSIVE, RUN_CELL
from kces.memory import available_memory
from kces.processes import Limits, Order
from kces.processes.answers import NOT_APPLICABLE, OK
from kces.processes.forks import TEMPLATE, Template, TemplateLostError
from kces.processes.process import POLL_INTERVAL, WORKER, FreshInterpreter, Program, RunningOrder
from kces.processes.remote import RemoteOrder
from kces.progress import Progress, silent
from kces.threads import thread_count

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["PRELOADED", "RunReport", "Settings", "run_cells"]

_MEMORY_SHARE = 0.9

PRELOADED = (
    "pandas",
    "sklearn.cluster",
    "torch_geometric.nn",
    "kces.scorers",
    "kces.estimator",
    "kces.datasets",
    "kces.lab.defenses.tuning",
    "kces.lab.measure",
    "kces.lab.reproduce.features",
    "kces.lab.reproduce.tasks",
    "kces.lab.training",
)
"""What the tasks import when they are run."""


@dataclass(frozen=True)
class Settings:
    """How cells are run; nothing here changes a result, only whether there is one. The jobs share the threads.

    Attributes
    ----------
    jobs : processes at a time.
    memory : bytes each may use; default: 90 % of what is free, shared by the jobs.
    seconds : wall time each may take; default: no limit.
    retry_failed : run again what ended in OOM, error or timeout.
    data_root : folder of the data sets.
    command : the program that runs one cell in a fresh interpreter.
    template : the program that forks one process per cell; None: every cell gets a fresh interpreter.
    client : of a Dask cluster whose workers run the cells, in place of this machine.
    """

    jobs: int = 1
    memory: int | None = None
    seconds: float | None = None
    retry_failed: bool = False
    data_root: Path | None = None
    command: Sequence[str] = WORKER
    template: Sequence[str] | None = TEMPLATE
    client: Client | None = None

    def is_finished(self, status: str | None) -> bool:
        """Whether a cell that ended so is not to be run again."""
        return status is not None and (not self.retry_failed or status in (OK, NOT_APPLICABLE))

    def limits(self) -> Limits:
        memory = self.memory or int(_MEMORY_SHARE * available_memory() / self.jobs)
        return Limits(max(1, thread_count() // self.jobs), memory, self.seconds)


@dataclass(frozen=True)
class RunReport:
    """How a run went: cells found finished, cells run now by status, and wall seconds."""

    reused: int
    ran: dict[str, int]
    seconds: float


def run_cells(
    cells: list[Cell], store: Store, settings: Settings | None = None, *, progress: Progress = silent
) -> RunReport:
    """Run the cells and all they need; every one that is finished is in the store, whatever happens next."""
    start = time.monotonic()
    with store.exclusively():
        schedule = _Schedule(_wanted(cells, store, settings or Settings()), store, settings or Settings(), progress)
        reused = schedule.finished
        schedule.run()
    return RunReport(reused, dict(schedule.ran), time.monotonic() - start)


def _wanted(cells: list[Cell], store: Store, settings: Settings) -> list[Cell]:
    """The cells, and what the unfinished ones among them need: scores that nobody waits for are not made again."""
    known = store.statuses()
    unfinished = [cell for cell in cells if not settings.is_finished(known.get(cell.key))]
    return longest_first(list(dict.fromkeys([*in_order(unfinished), *cells])))


@dataclass(frozen=True)
class _RunningCell:
    cell: Cell
    order: RunningOrder | RemoteOrder


@dataclass
class _Schedule:
    """The cells that are left, and those under way."""

    cells: list[Cell]
    store: Store
    settings: Settings
    progress: Progress
    running: list[_RunningCell] = field(default_factory=list)
    ran: Counter[str] = field(default_factory=Counter)
    template: Template | None = None
    lost: set[Cell] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.limits = self.settings.limits()
        self.needs = {cell: needs(cell) for cell in self.cells}
        known = self.store.statuses()
        self.statuses = {cell: known[cell.key] for cell in self.cells if self.settings.is_finished(known.get(cell.key))}
        self.waiting = [cell for cell in self.cells if cell not in self.statuses]

    @property
    def finished(self) -> int:
        return len(self.statuses)

    def run(self) -> None:
        self._report()
        try:
            while self.waiting or self.running:
                self._start_what_can()
                self._collect()
                time.sleep(POLL_INTERVAL)
        finally:
            for each in self.running:
                each.order.kill()
            self._close_template()

    def _start_what_can(self) -> None:
        if len(self.running) >= self.settings.jobs:
            return
        for cell in list(self.waiting):
            missing = [need for need in self.needs[cell].values() if self.statuses.get(need) != OK]
            ended_badly = [need for need in missing if need in self.statuses]
            if ended_badly:
                self.waiting.remove(cell)
                self._finish(cell, self._inherited(ended_badly[0]))
            elif not missing and self._has_room(cell):
                self.waiting.remove(cell)
                self._launch(cell)

    def _has_room(self, cell: Cell) -> bool:
        alone = any(each.cell.task in EXCLUSIVE for each in self.running)
        room = 1 if cell.task in EXCLUSIVE else self.settings.jobs
        return not alone and len(self.running) < room

    def _launch(self, cell: Cell) -> None:
        found = self.store.get(self.needs[cell].values())
        inputs = {part: found[need].result for part, need in self.needs[cell].items()}
        limits = replace(self.settings, jobs=1).limits() if cell.task in EXCLUSIVE else self.limits
        root = None if self.settings.data_root is None else str(self.settings.data_root)
        order = Order(RUN_CELL, {"cell": cell.to_json(), "inputs": inputs, "data_root": root})
        if self.settings.client is not None:
            self.running.append(_RunningCell(cell, RemoteOrder(order, limits, self.settings.client)))
            return
        try:
            self.running.append(_RunningCell(cell, RunningOrder(order, limits, self._program(cell, limits))))
        except TemplateLostError:
            self._close_template()  # the next cell gets a new one
            self._run_again(cell)

    def _program(self, cell: Cell, limits: Limits) -> Program:
        if self.settings.template is None or cell.task in EXCLUSIVE or cell in self.lost:
            return FreshInterpreter(limits, self.settings.command)
        if self.template is None:
            self.template = Template(limits, PRELOADED, self.settings.template)
        return self.template

    def _collect(self) -> None:
        for each in list(self.running):
            try:
                answer = each.order.poll()
            except TemplateLostError:
                self.running.remove(each)
                self._run_again(each.cell)
                continue
            if answer is not None:
                self.running.remove(each)
                self._finish(each.cell, Outcome.of(answer))

    def _run_again(self, cell: Cell) -> None:
        """Without a template this time: whatever keeps it from living cannot keep the run from ending."""
        self.lost.add(cell)
        self.waiting.insert(0, cell)

    def _close_template(self) -> None:
        if self.template is not None:
            self.template.close()
            self.template = None

    def _inherited(self, need: Cell) -> Outcome:
        """A cell that cannot run because of another ends as that one did."""
        outcome = self.store.get([need])[need]
        return Outcome(outcome.status, message=f"{need.task}: {outcome.message}"[:300])

    def _finish(self, cell: Cell, outcome: Outcome) -> None:
        self.store.put(cell, outcome)
        self.statuses[cell] = outcome.status
        self.ran[outcome.status] += 1
        self._report()

    def _report(self) -> None:
        self.progress("cells", self.finished, len(self.cells))
