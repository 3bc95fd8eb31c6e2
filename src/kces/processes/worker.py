"""One order in a process of its own: ``python -m kces.processes.worker``.

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
from dataclasses import asdict
from pathlib import Path
from typing import IO

from kces.processes.orders import Order, carry_out

__all__ = ["main"]

_WATCH_INTERVAL = 0.5


def main() -> None:
    """Limit the memory, watch the parent, carry out the order."""
    with open(0, closefd=False, encoding="utf-8") as orders:  # not sys.stdin: a forked process has that of its template
        given = json.load(orders)
    answers = _private_stdout()
    if given["memory"] is not None:
        resource.setrlimit(resource.RLIMIT_AS, (given["memory"], given["memory"]))
    _be_killed_first()
    threading.Thread(target=_end_with, args=(given["parent"],), daemon=True).start()
    with answers:
        answers.write(json.dumps(asdict(carry_out(Order(given["function"], given["arguments"])))) + "\n")


def _private_stdout() -> IO[str]:
    """The real stdout for the answer alone; what libraries print, whenever it is flushed, goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _be_killed_first() -> None:
    """When the machine runs out of memory, Linux is to kill this process, not the one that has all of them."""
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
