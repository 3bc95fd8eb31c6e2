"""Copies of one process that has imported everything: ``python -m kces.processes.template SOCKET PARENT MODULE …``.

Importing torch and the rest takes longer than most work. The template does it once and then forks: an order starts
in milliseconds, with memory that nothing has been computed in, and ends as a process of its own. The template
itself computes nothing, so that no pool of threads is there to be lost in a fork.

Runner and template share a socket on which the runner hands over four files for each order: order, answer and
complaints, and a line. On its line the template says that the work has started, and later its exit code. Either side
notices the other's end by the closed line: the runner starts the work again, the template kills it.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from kces.processes import worker

__all__ = ["FILES_PER_ORDER", "STARTED", "main"]

FILES_PER_ORDER = 4
STARTED = b"started\n"

_REAP_INTERVAL = 0.02
_WATCH_INTERVAL = 0.2


def main(work: Callable[[], None] = worker.main) -> None:
    """Import the modules, then run ``work`` in a copy of this process for every order, until the runner is gone."""
    number, parent, *modules = sys.argv[1:]
    with _ending_with(int(parent)):
        _import_all(modules)
    gc.collect()
    gc.freeze()  # else the first collection in a copy would write to, and so copy, every page
    with socket.socket(fileno=int(number)) as runner:
        _Template(runner, work).serve()


@contextmanager
def _ending_with(parent: int) -> Iterator[None]:
    """During the imports nobody looks at the socket; afterwards this thread is gone, and forks are safe."""
    finished = threading.Event()

    def watch() -> None:
        while not finished.wait(_WATCH_INTERVAL):
            if os.getppid() != parent:
                os._exit(1)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        finished.set()
        watcher.join()


def _import_all(modules: list[str]) -> None:
    for module in modules:
        with suppress(ImportError):  # the work that needs it says so
            importlib.import_module(module)


@dataclass
class _Template:
    """The copies under way, by process number, each with its line to the runner."""

    runner: socket.socket
    work: Callable[[], None]
    lines: dict[int, socket.socket] = field(default_factory=dict)
    killed: set[int] = field(default_factory=set)

    def serve(self) -> None:
        while True:
            watched = {line: pid for pid, line in self.lines.items() if pid not in self.killed}
            readable, _, _ = select.select([self.runner, *watched], [], [], _REAP_INTERVAL if self.lines else None)
            for line in readable:
                if line is not self.runner:
                    self._kill(watched[line])
                elif not self._accept():
                    for pid in self.lines:
                        self._kill(pid)
                    return
            self._reap()

    def _accept(self) -> bool:
        """Fork for the next order; False when there is no runner any more."""
        message, files, _, _ = socket.recv_fds(self.runner, 1, FILES_PER_ORDER)
        if not message:
            return False
        pid = os.fork()
        if pid == 0:
            self._become_worker(files)
        # Here and in the copy: whoever comes first, the group is there before anybody wants to kill it.
        with suppress(OSError):
            os.setpgid(pid, pid)
        *streams, line = files
        for stream in streams:
            os.close(stream)
        self.lines[pid] = socket.socket(fileno=line)
        self._tell(pid, STARTED)
        return True

    def _become_worker(self, files: list[int]) -> None:
        """The copy's life; it never comes back from here."""
        code = 1
        try:
            os.setpgid(0, 0)
            for number, stream in enumerate(files[:-1]):
                os.dup2(stream, number)
            for file in files:
                os.close(file)
            # An end of a line that stayed open here would hide the template's own end from the runner.
            for line in (self.runner, *self.lines.values()):
                line.close()
            self.work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _reap(self) -> None:
        while self.lines:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._tell(pid, f"{os.waitstatus_to_exitcode(status)}\n".encode())
            self.lines.pop(pid).close()
            self.killed.discard(pid)

    def _tell(self, pid: int, message: bytes) -> None:
        with suppress(OSError):  # a runner that is gone is noticed where lines are watched
            self.lines[pid].sendall(message)

    def _kill(self, pid: int) -> None:
        self.killed.add(pid)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
