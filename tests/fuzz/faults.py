"""SIGKILL at random moments of sanitize, score, attack and reproduce: ``make test-faults``, or
``python tests/fuzz/faults.py --seconds 60 sanitize``.

A command runs whole once, for its time and its result. Then it is killed at random moments, and after each kill the
input must be what it was and the output absent or whole, the same as that of the whole run; the store of ``reproduce``
must be sound and keep every finished cell. At last a whole run must end well on what the kills left behind.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from kces.datasets.builtin import synthetic
from kces.interop import write_graph

COMMANDS = {
    "sanitize": "sanitize g.csv -o out.csv --alpha 0.2 --quiet",
    "score": "score g.csv -o out.csv --quiet",
    "attack": "attack g.npz --method dice --budget 0.1 -o out.npz --quiet",
    "reproduce": "reproduce table-robustness --only cora@clean --methods gcn --seeds 2 --trials 1 "
    "--store cells.sqlite -o results",
}
NEEDS_DATA = ("reproduce",)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"of {', '.join(COMMANDS)}; default: all")
    parser.add_argument("--seconds", type=float, default=60.0, help="of kills, for each command")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    given = parser.parse_args()
    broken = 0
    for name in given.commands or COMMANDS:
        if name in NEEDS_DATA and "KCES_DATA_ROOT" not in os.environ:
            print(f"{name}: left out, it needs Cora: set KCES_DATA_ROOT")
            continue
        with tempfile.TemporaryDirectory() as folder:
            victim = Victim(COMMANDS[name].split(), Path(folder), random.Random(given.seed))
            complaint = victim.torment(given.seconds)
        said = complaint or f"killed {victim.kills} times: nothing lost, nothing half-written"
        print(f"{name}: {said} (whole: {victim.seconds:.1f} s)", flush=True)
        broken += bool(complaint)
    return 1 if broken else 0


@dataclass
class Victim:
    """One command in a folder of its own."""

    words: list[str]
    folder: Path
    chance: random.Random
    kills: int = 0
    seconds: float = 0.0
    finished: int = 0
    inputs: dict[str, bytes] = field(default_factory=dict)
    whole: list[bytes] | None = None

    def torment(self, seconds: float) -> str:
        """What went wrong, or nothing."""
        graph = synthetic(n=400, seed=0)
        for name in ("g.csv", "g.npz"):
            write_graph(graph, self.folder / name)
            self.inputs[name] = (self.folder / name).read_bytes()
        began = time.monotonic()
        if self.run_whole() != 0:
            return "the whole run failed"
        self.seconds = time.monotonic() - began
        self.whole = self.output()
        self.start_again()
        end = time.monotonic() + seconds
        while time.monotonic() < end or self.kills < 3:
            self.run_and_kill(self.chance.uniform(0.2, 1.05) * self.seconds)
            if complaint := self.wrong():
                return f"after kill {self.kills}: {complaint}"
        self.start_again(keep_store=True)
        return "a whole run after the kills failed" if self.run_whole() != 0 else self.wrong()

    def command(self) -> list[str]:
        return [sys.executable, "-m", "kces", *self.words]

    def run_whole(self) -> int:
        return subprocess.run(self.command(), cwd=self.folder, capture_output=True, check=False).returncode

    def run_and_kill(self, after: float) -> None:
        """Kill the command and all it started, ``after`` seconds after its start; then its output may come again."""
        process = subprocess.Popen(
            self.command(),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.kills += 1

    def output(self) -> list[bytes] | None:
        """The bytes of the output, those of each member of an archive, whose time of day differs; None without one."""
        if (table := self.folder / "out.csv").exists():
            return [table.read_bytes()]
        if not (path := self.folder / "out.npz").exists():
            return None
        with zipfile.ZipFile(path) as archive:
            return [archive.read(name) for name in sorted(archive.namelist())]

    def start_again(self, *, keep_store: bool = False) -> None:
        for name in ("out.csv", "out.npz", *([] if keep_store else ["cells.sqlite"])):
            (self.folder / name).unlink(missing_ok=True)

    def wrong(self) -> str:
        if any((self.folder / name).read_bytes() != content for name, content in self.inputs.items()):
            return "the input has changed"
        if (found := self.output()) is not None:
            if found != self.whole:
                return "the output is not that of a whole run"
            self.start_again(keep_store=True)
        return self.wrong_store()

    def wrong_store(self) -> str:
        store = self.folder / "cells.sqlite"
        if not store.exists():
            return ""
        with closing(sqlite3.connect(store)) as base:
            sound = base.execute("PRAGMA integrity_check").fetchone()[0]
            tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            rows = sum(base.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables)
        if sound != "ok":
            return f"the store is damaged: {sound}"
        if rows < self.finished:
            return f"the store has lost {self.finished - rows} cells"
        self.finished = rows
        return ""


if __name__ == "__main__":
    sys.exit(main())
