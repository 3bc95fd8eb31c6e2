"""A process seen from the one that wants its answer: start it, ask whether it has ended, and how."""

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
from typing import IO, Protocol

from kces.processes.answers import ERROR, OOM, TIMEOUT, Answer
from kces.processes.orders import Order

__all__ = [
    "POLL_INTERVAL",
    "WORKER",
    "FreshInterpreter",
    "Limits",
    "Process",
    "Program",
    "RunningOrder",
    "Streams",
    "environment_of",
    "run_order",
]

WORKER: tuple[str, ...] = (sys.executable, "-m", "kces.processes.worker")
POLL_INTERVAL = 0.02

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_ADDRESS_SPACE_OF_LIBRARIES = 2 * 2**30
"""The limit counts address space, and torch, numba and their threads map this much before they use any."""


@dataclass(frozen=True)
class Limits:
    """What one process may use; None is no limit. ``memory`` is in bytes, ``seconds`` is wall time."""

    threads: int | None = None
    memory: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Streams:
    """The order, the answer and the complaints of one process: files, which nobody has to empty while it runs."""

    order: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    answer: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    complaints: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def write_order(self, order: str) -> None:
        self.order.write(order.encode())
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
        """Number of the process whose end must be the end of the work."""

    def start(self, streams: Streams) -> Process: ...


@dataclass(frozen=True)
class FreshInterpreter:
    """Starts a new program for every order: seconds of imports, but time and memory are the work's own."""

    limits: Limits = Limits()
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


class RunningOrder:
    """One order under way."""

    def __init__(self, order: Order, limits: Limits, program: Program) -> None:
        self._limits = limits
        self._streams = Streams()
        memory = None if limits.memory is None else limits.memory + _ADDRESS_SPACE_OF_LIBRARIES
        self._streams.write_order(order.to_json(memory=memory, parent=program.parent()))
        try:
            self._process = program.start(self._streams)
        except BaseException:
            self._streams.close()
            raise
        self._start = time.monotonic()

    def poll(self) -> Answer | None:
        """The answer once the process has ended, or has used up its time; None before."""
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
            return Answer(TIMEOUT, message=f"stopped after {self._limits.seconds:g} s", seconds=seconds)
        answer = self._answer(code, seconds)
        self._streams.close()
        return answer

    def kill(self) -> None:
        """End the process and whatever it has started."""
        self._process.kill()
        self._streams.close()

    def _answer(self, code: int, seconds: float) -> Answer:
        lines = _text(self._streams.answer).strip().splitlines()
        if code == 0 and lines:
            said = json.loads(lines[-1])
            return Answer(said["status"], said["result"], said["message"], seconds)
        status, message = _death(code, _text(self._streams.complaints).strip())
        return Answer(status, message=message, seconds=seconds)


def run_order(order: Order, limits: Limits = Limits()) -> Answer:
    """Carry out the order in a fresh interpreter and wait for its answer.

    >>> run_order(Order("kces.processes.orders:_greeting", {"name": "Bob"})).result
    {'said': 'hello Bob'}
    """
    running = RunningOrder(order, limits, FreshInterpreter(limits))
    answer = None
    try:
        while (answer := running.poll()) is None:
            time.sleep(POLL_INTERVAL)
        return answer
    finally:
        if answer is None:  # interrupted: the process leads a group of its own and has not heard of it
            running.kill()


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
    own = {}
    if limits.threads is not None:
        own = dict.fromkeys((*_THREAD_VARIABLES, "KCES_NUM_THREADS"), str(limits.threads))
    if limits.memory is not None:
        own["KCES_MEMORY_LIMIT"] = str(limits.memory)  # lets the library refuse before it allocates
    return os.environ | own


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
