"""Where an engine's time goes: a clock that listens to its progress reports."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["BETWEEN", "StageClock"]

BETWEEN = "between the stages"


class StageClock:
    """Seconds by stage; a :class:`kces.progress.Progress`.

    A report of units done closes the time since the last report and gives it to the stage; a report of none done
    opens the stage, and what came before it lies between the stages.

    >>> ticks = iter([0.0, 1.0, 4.0, 4.5])
    >>> clock = StageClock(lambda: next(ticks))
    >>> clock("solve", 0, 1); clock("solve", 1, 1); clock.stop()
    >>> clock.seconds
    {'between the stages': 1.5, 'solve': 3.0}
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._last = now()
        self.seconds: dict[str, float] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        self._close(what if done > 0 else BETWEEN)

    def stop(self) -> None:
        """The time since the last report lies between the stages."""
        self._close(BETWEEN)

    def _close(self, stage: str) -> None:
        now = self._now()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now
