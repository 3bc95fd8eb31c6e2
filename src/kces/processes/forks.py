"""The template seen from the runner: start it once, have it fork a process for every order."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from kces.processes.process import Limits, Process, Streams, environment_of
from kces.processes.template import STARTED

__all__ = ["TEMPLATE", "Template", "TemplateLostError"]

TEMPLATE: tuple[str, ...] = (sys.executable, "-m", "kces.processes.template")

_LONGEST_MESSAGE = 64


class TemplateLostError(Exception):
    """The template has ended and its work with it, which did nothing wrong."""


class Template:
    """A process that has imported the modules and forks. All orders have the number of threads of ``limits``."""

    def __init__(self, limits: Limits, modules: Sequence[str] = (), command: Sequence[str] = TEMPLATE) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno()), str(os.getpid()), *modules],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment_of(limits),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def parent(self) -> int:
        return self._process.pid

    def start(self, streams: Streams) -> Process:
        """Fork; the first call waits for the imports, so that they are no part of the work's time."""
        line, theirs = socket.socketpair()
        files = (streams.order, streams.answer, streams.complaints, theirs)
        try:
            with theirs:
                socket.send_fds(self._socket, [b"\n"], [file.fileno() for file in files])
            said = line.recv(len(STARTED))
        except OSError:
            said = b""
        if said != STARTED:
            line.close()
            raise TemplateLostError
        return _Forked(line)

    def close(self) -> None:
        """End the template; work that it still has notices and ends too."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


@dataclass
class _Forked:
    """A forked process at the other end of its line; see the module ``template``."""

    line: socket.socket

    def poll(self) -> int | None:
        try:
            message = self.line.recv(_LONGEST_MESSAGE, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except ConnectionError:
            message = b""
        self.line.close()
        if not message:
            raise TemplateLostError
        return int(message)

    def kill(self) -> None:
        with self.line, suppress(ConnectionError):
            self.line.shutdown(socket.SHUT_WR)
            self.line.recv(_LONGEST_MESSAGE)  # comes when the process is gone
