"""A worker process seen from the runner: start it, ask whether it has ended, and how."""

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.store import ERROR, OOM, TIMEOUT, Outcome

__all__ = ["WORKER", "Limits", "RunningCell"]

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


class RunningCell:
    """One cell under way in a fresh process that leads a group of its own."""

    def __init__(
        self,
        cell: Cell,
        inputs: dict[str, dict[str, Any]],
        limits: Limits,
        *,
        data_root: Path | None = None,
        command: Sequence[str] = WORKER,
    ) -> None:
        self.cell = cell
        self._limits = limits
        order = {
            "cell": cell.to_json(),
            "inputs": inputs,
            "data_root": None if data_root is None else str(data_root),
            "memory": None if limits.memory is None else limits.memory + _ADDRESS_SPACE_OF_LIBRARIES,
            "runner": os.getpid(),
        }
        # Files, not pipes: nobody has to empty them while the process runs.
        self._stdout, self._stderr = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        with tempfile.TemporaryFile() as stdin:
            stdin.write(json.dumps(order).encode())
            stdin.seek(0)
            self._process = subprocess.Popen(
                command,
                stdin=stdin,
                stdout=self._stdout,
                stderr=self._stderr,
                env=_environment(limits),
                start_new_session=True,
            )
        self._start = time.monotonic()

    def poll(self) -> Outcome | None:
        """The outcome once the process has ended, or has used up its time; None before."""
        seconds = time.monotonic() - self._start
        if self._process.poll() is None:
            if self._limits.seconds is None or seconds < self._limits.seconds:
                return None
            self.kill()
            return Outcome(TIMEOUT, message=f"stopped after {self._limits.seconds:g} s", seconds=seconds)
        outcome = self._outcome(seconds)
        self._close()
        return outcome

    def kill(self) -> None:
        """End the process and whatever it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._close()

    def _outcome(self, seconds: float) -> Outcome:
        lines = _text(self._stdout).strip().splitlines()
        if self._process.returncode == 0 and lines:
            said = json.loads(lines[-1])
            return Outcome(said["status"], said["result"], said["message"], seconds)
        complaint = _text(self._stderr).strip()
        status, message = _death(self._process.returncode, complaint)
        return Outcome(status, message=message, seconds=seconds)

    def _close(self) -> None:
        self._stdout.close()
        self._stderr.close()


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


def _environment(limits: Limits) -> dict[str, str]:
    own = dict.fromkeys((*_THREAD_VARIABLES, "KCES_NUM_THREADS"), str(limits.threads))
    if limits.memory is not None:
        own["KCES_MEMORY_LIMIT"] = str(limits.memory)  # lets the library refuse before it allocates
    return os.environ | own


def _text(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode(errors="replace"))
