"""One cell in a process of its own: ``python -m kces.lab.reproduce.worker``.

Reads an order as JSON on stdin and writes one JSON line to stdout. The process limits its own memory, and ends
when the process that started it is gone, so that a killed run leaves nothing behind that would go on computing.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from kces.lab.failures import OK, one_line, status_of
from kces.lab.reproduce.cells import Cell

__all__ = ["answer", "main"]

_WATCH_INTERVAL = 0.5


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """Run the order's cell and say how it ended.

    >>> cell = Cell.of("score", "synthetic:n=60,seed=0", "kces")
    >>> answer({"cell": cell.to_json(), "inputs": {}, "data_root": None})["status"]
    'ok'
    """
    root = None if order["data_root"] is None else Path(order["data_root"])
    try:
        from kces.lab.reproduce.tasks import run_task

        result = run_task(Cell.from_json(order["cell"]), order["inputs"], root)
    except Exception as error:  # whatever goes wrong in a cell is that cell's outcome, not the end of the run
        return {"status": status_of(error), "message": one_line(error), "result": {}}
    return {"status": OK, "message": "", "result": result}


def main() -> None:
    """Limit the memory, watch the parent, run the cell."""
    with open(0, closefd=False, encoding="utf-8") as orders:  # not sys.stdin: a forked process has that of its template
        order = json.load(orders)
    answers = _private_stdout()
    if order["memory"] is not None:
        resource.setrlimit(resource.RLIMIT_AS, (order["memory"], order["memory"]))
    _be_killed_first()
    threading.Thread(target=_end_with, args=(order["parent"],), daemon=True).start()
    with answers:
        answers.write(json.dumps(answer(order)) + "\n")


def _private_stdout() -> IO[str]:
    """The real stdout for the answer alone; what libraries print, whenever it is flushed, goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _be_killed_first() -> None:
    """When the machine runs out of memory, Linux is to kill a cell, not the process that has all of them."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_INTERVAL)
    # This process was made the leader of a group: what it started itself goes with it.
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
