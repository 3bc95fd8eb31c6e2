"""The seam between what is computed and where: one map over items, whose results land in a run folder.

A step is a function of shared read-only state and the number of an item; it returns arrays. In this process, or on the
workers of a cluster, each item is computed by the same code and saved where it was computed: nothing large moves.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy.typing as npt

from kces.errors import GraphWarning
from kces.progress import Progress, silent
from kces.scale.run_folder import RunFolder

__all__ = ["Executor", "InThisProcess", "Step", "compute_stage"]

State = TypeVar("State")
Step: TypeAlias = Callable[[State, int], Mapping[str, npt.NDArray[Any]]]
"""From shared read-only state and the number of an item to its results, by name."""


_ONE_AT_A_TIME = threading.Lock()
"""A worker with several threads computes one item after another: the loops inside use all its cores, and the bound on
memory is that of one item."""


class Executor(Protocol):
    """Somewhere to compute items."""

    @property
    def workers(self) -> int:
        """How many items are computed at a time."""

    @property
    def memory(self) -> int | None:
        """Bytes that an item may use; None where nobody said."""

    def run(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Call ``work`` on every item; yield what it returns, as items are finished."""


@dataclass(frozen=True)
class InThisProcess:
    """One item after another; the compiled loops inside use all threads.

    >>> list(InThisProcess().run(abs, [-1, 2]))
    [1, 2]
    """

    workers: int = 1
    memory: int | None = None

    def run(self, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        return map(work, items)


@dataclass(frozen=True)
class SavedStep:
    """Computes an item and saves it in the run folder; only its number comes back."""

    run: RunFolder
    stage: str
    step: Step[Any]
    state: Any

    def __call__(self, item: int) -> int:
        with _ONE_AT_A_TIME:
            self.run.save(self.stage, item, self.step(self.state, item))
        return item


def compute_stage(
    executor: Executor,
    run: RunFolder,
    stage: str,
    step: Step[Any],
    state: Any,
    n_items: int,
    progress: Progress = silent,
) -> None:
    """Compute all items of a stage that the run folder does not have yet.

    Parameters
    ----------
    executor : where.
    run : receives the results; those it has are compared with their checksums and made again where they differ.
    stage : its name, in the folder and for people.
    step : what an item is.
    state : what all items share.
    n_items : items are 0 … n_items - 1.
    progress : told about finished items.
    """
    found = [item for item in range(n_items) if run.record(stage, item).exists()]
    sound = {item for item in found if run.is_sound(stage, item)}
    for item in set(found) - sound:
        warnings.warn(f"part {item} of {stage} in {run.path} is damaged; it is made again", GraphWarning, stacklevel=2)
        run.record(stage, item).unlink()
    progress(stage, len(sound), n_items)
    missing = [item for item in range(n_items) if item not in sound]
    for done, _ in enumerate(executor.run(SavedStep(run, stage, step, state), missing), start=len(sound) + 1):
        progress(stage, done, n_items)
