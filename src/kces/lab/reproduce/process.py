"""A cell's process seen from the runner: start it, ask whether it has ended, and how."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from kces.lab.failures import ERROR, OOM, TIMEOUT
from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.store import Outcome

__all__ = ["WORKER", "FreshInterpreter", "Limits", "Process", "Program", "RunningCell", "Streams", "environment_of"]

WORKER: tuple[str, ...] = (sys.executable, "-m", "kces.lab.reproduce.worker")

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_ADDRESS_SPACE_OF_LIBRARIES = 2 * 2**30
"""The limit counts address space, and torch, numba and their threads map this much before they use any."""


@dataclass(frozen=True)
class Limits:
    """What one cell may use; None is no limit. ``memory`` is in bytes, ``seconds`` is wall time."""

    threads: int = 1
    memory: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Streams:
    """The order, the answer and the complaints of one process: files, which nobody has to empty while it runs."""

    order: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    answer: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    complaints: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def write_order(self, order: dict[str, Any]) -> None:
        self.order.write(json.dumps(order).encode())
        self.order.seek(0)

    def close(self) -> None:
        for file in (self.order, self.answer, self.complaints):
            file.close()


class Process(Protocol):
    """A process that leads a group of its own."""

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""

    def kill(self) -> None:
        """End it and whatever it has started, and wait until it is gone."""


class Program(Protocol):
    """What turns an order into a process."""

    def parent(self) -> int:
        """Number of the process whose end must be the end of the cell."""

    def start(self, streams: Streams) -> Process: ...


@dataclass(frozen=True)
class FreshInterpreter:
    """Starts a new program for every cell: seconds of imports, but time and memory are the cell's own."""

    limits: Limits
    command: Sequence[str] = WORKER

    def parent(self) -> int:
        return os.getpid()

    def start(self, streams: Streams) -> Process:
        return _Started(
            subprocess.Popen(
                self.command,
                stdin=streams.order,
                stdout=streams.answer,
                stderr=streams.complaints,
                env=environment_of(self.limits),
                start_new_session=True,
            )
        )


@dataclass(frozen=True)
class _Started:
    process: subprocess.Popen[bytes]

    def poll(self) -> int | None:
        return self.process.poll()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class RunningCell:
    """One cell under way."""

    def __init__(
        self,
        cell: Cell,
        inputs: dict[str, dict[str, Any]],
        limits: Limits,
        program: Program,
        *,
        data_root: Path | None = None,
    ) -> None:
        self.cell = cell
        self._limits = limits
        self._streams = Streams()
        self._streams.write_order(
            {
                "cell": cell.to_json(),
                "inputs": inputs,
                "data_root": None if data_root is None else str(data_root),
                "memory": None if limits.memory is None else limits.memory + _ADDRESS_SPACE_OF_LIBRARIES,
                "parent": program.parent(),
            }
        )
        try:
            self._process = program.start(self._streams)
        except BaseException:
            self._streams.close()
            raise
        self._start = time.monotonic()

    def poll(self) -> Outcome | None:
        """The outcome once the process has ended, or has used up its time; None before."""
        seconds = time.monotonic() - self._start
        try:
            code = self._process.poll()
        except BaseException:
            self._streams.close()
            raise
        if code is None:
            if self._limits.seconds is None or seconds < self._limits.seconds:
                return None
            self.kill()
            return Outcome(TIMEOUT, message=f"stopped after {self._limits.seconds:g} s", seconds=seconds)
        outcome = self._outcome(code, seconds)
        self._streams.close()
        return outcome

    def kill(self) -> None:
        """End the process and whatever it has started."""
        self._process.kill()
        self._streams.close()

    def _outcome(self, code: int, seconds: float) -> Outcome:
        lines = _text(self._streams.answer).strip().splitlines()
        if code == 0 and lines:
            said = json.loads(lines[-1])
            return Outcome(said["status"], said["result"], said["message"], seconds)
        status, message = _death(code, _text(self._streams.complaints).strip())
        return Outcome(status, message=message, seconds=seconds)


def _death(code: int, complaint: str) -> tuple[str, str]:
    """Status and message of a process that ended without an answer.

    >>> _death(-9, "")
    ('oom', 'killed by the system, most likely for its memory')
    >>> _death(1, "Traceback …\\nMemoryError")
    ('oom', 'MemoryError')
    """
    last = complaint.splitlines()[-1][:300] if complaint else ""
    if code == -signal.SIGKILL:
        return OOM, "killed by the system, most likely for its memory"
    if "alloc" in complaint.lower() or "MemoryError" in complaint:
        return OOM, last
    if code < 0:
        return ERROR, f"ended by signal {signal.Signals(-code).name}"
    return ERROR, last or f"ended with code {code} and no answer"


def environment_of(limits: Limits) -> dict[str, str]:
    """The environment of a process within the limits: libraries read their number of threads when they are imported.

    >>> environment_of(Limits(threads=3))["OMP_NUM_THREADS"]
    '3'
    """
    own = dict.fromkeys((*_THREAD_VARIABLES, "KCES_NUM_THREADS"), str(limits.threads))
    if limits.memory is not None:
        own["KCES_MEMORY_LIMIT"] = str(limits.memory)  # lets the library refuse before it allocates
    return os.environ | own


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
