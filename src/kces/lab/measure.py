"""Time and memory of defenses: inside this process, and in a fresh process for each.

``python -m kces.lab.measure pubmed@metattack-0.1 --defense gcn,kces+gcn`` prints the paper's table of costs.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from kces.errors import InvalidParameterError, KCESError
from kces.lab.failures import ERROR, OK, OOM, one_line, status_of
from kces.lab.training import DEEPROBUST
from kces.memory import peak_memory

__all__ = ["Cost", "Usage", "main", "measure_fresh", "watch"]

_MEGABYTE = 2**20
_EPOCHS = DEEPROBUST.epochs  # the paper's table of costs is of as many
_WARM_UP_GRAPH = "synthetic:n=200,seed=0"


@dataclass
class Usage:
    """Filled in when the watched block ends."""

    seconds: float = 0.0
    peak_mb: float = 0.0


@contextmanager
def watch(interval: float = 0.01) -> Iterator[Usage]:
    """Wall time and highest resident memory of this process while the block runs.

    The memory is that of the whole process, Python and torch included, looked at every ``interval`` seconds.

    >>> with watch() as usage:
    ...     _ = bytearray(10)
    >>> usage.peak_mb > 1
    True
    """
    usage = Usage()
    process = psutil.Process()
    finished = threading.Event()
    peak = process.memory_info().rss

    def sample() -> None:
        nonlocal peak
        while not finished.wait(interval):
            peak = max(peak, process.memory_info().rss)

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    start = time.perf_counter()
    try:
        yield usage
    finally:
        usage.seconds = time.perf_counter() - start
        finished.set()
        sampler.join()
        usage.peak_mb = max(peak, process.memory_info().rss) / _MEGABYTE


@dataclass(frozen=True)
class Cost:
    """What one training of a defense took in a process of its own.

    ``status`` says whether it ran, ``note`` why not.
    ``cpu_seconds`` adds up all threads and hardly depends on what else the machine is doing.
    """

    graph: str
    defense: str
    accuracy: float | None
    seconds: float | None
    cpu_seconds: float | None
    peak_mb: float | None
    before_mb: float | None
    note: str = ""
    status: str = OK


def measure_fresh(graph: str, defense: str, data_root: Path | None = None) -> Cost:
    """Fit the defense once, with its default hyper-parameters, 200 epochs and seed 0, in a fresh process."""
    command = [sys.executable, "-m", "kces.lab.measure", graph, "--defense", defense, "--worker"]
    if data_root is not None:
        command += ["--data-root", str(data_root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGKILL:
        return _unmeasured(graph, defense, OOM, "killed by the system, most likely for its memory")
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
        return _unmeasured(graph, defense, ERROR, last)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def _unmeasured(graph: str, defense: str, status: str, note: str) -> Cost:
    return Cost(graph, defense, None, None, None, None, None, note, status)


def _measure_or_say_why(graph: str, name: str, data_root: Path | None) -> Cost:
    try:
        return _measure_here(graph, name, data_root)
    except Exception as error:  # whatever goes wrong is the answer of this process
        return _unmeasured(graph, name, status_of(error), one_line(error))


def _measure_here(graph: str, name: str, data_root: Path | None) -> Cost:
    from kces.datasets import load_attacked
    from kces.lab.defenses import make_defense
    from kces.lab.defenses.tuning import accuracy

    # Compiling and the first call of libraries are no part of the method: a small run takes them first.
    small = load_attacked(_WARM_UP_GRAPH)
    method = make_defense(name).trained_for(_EPOCHS)
    method.informed_by(small).fit(small.graph, seed=0)
    attacked = load_attacked(graph, data_root)
    defense = method.informed_by(attacked)
    before = psutil.Process().memory_info().rss / _MEGABYTE
    start, cpu_start = time.perf_counter(), time.process_time()
    classes = defense.fit(attacked.graph, seed=0).predict()
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    right = accuracy(attacked.graph, classes, attacked.judged_nodes)
    return Cost(graph, name, right, seconds, cpu_seconds, peak_memory() / _MEGABYTE, before)


def main(arguments: list[str] | None = None) -> None:
    """Measure each defense in a fresh process and print a table; ``-o`` writes it as CSV."""
    parser = argparse.ArgumentParser(prog="python -m kces.lab.measure", description=main.__doc__)
    parser.add_argument("graph")
    parser.add_argument("--defense", required=True, help="names, separated by commas")
    parser.add_argument("--data-root", type=Path, default=None)
    parser.add_argument("-o", "--output", type=Path, default=None)
    parser.add_argument("--force", action="store_true", help="replace an existing output")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    try:
        if options.worker:
            cost = _measure_or_say_why(options.graph, options.defense, options.data_root)
            sys.stdout.write(json.dumps(asdict(cost)) + "\n")
        else:
            _measure_all(options)
    except KCESError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


def _measure_all(options: argparse.Namespace) -> None:
    import pandas as pd
    from rich.markup import escape

    from kces.atomic import atomic_write, check_output
    from kces.cli.output import console, progress_bar, show_table

    if options.output is not None:
        check_output(options.output, force=options.force)
    names = [name.strip() for name in options.defense.split(",") if name.strip()]
    if not names:
        raise InvalidParameterError("--defense names nothing to measure; try --defense gcn,kces")
    costs = []
    with progress_bar(quiet=False) as progress:
        for done, name in enumerate(names):
            progress("fresh processes", done, len(names))
            costs.append(measure_fresh(options.graph, name, options.data_root))
    show_table(
        f"{options.graph}: one training each, fresh process, default hyper-parameters, {_EPOCHS} epochs",
        ["defense", "seconds", "CPU seconds", "peak MB", "before fit MB", "accuracy"],
        [[cost.defense, *map(_number, _figures(cost))] for cost in costs],
    )
    for cost in costs:
        if cost.note:
            console.print(escape(f"{cost.defense}: {cost.note}"), highlight=False, soft_wrap=True)
    if options.output is not None:
        with atomic_write(options.output, force=options.force) as temporary:
            pd.DataFrame(map(asdict, costs)).to_csv(temporary, index=False)
    if all(cost.status != OK for cost in costs):
        raise KCESError(f"nothing could be measured on {options.graph}")


def _figures(cost: Cost) -> tuple[float | None, ...]:
    return cost.seconds, cost.cpu_seconds, cost.peak_mb, cost.before_mb, cost.accuracy


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


if __name__ == "__main__":
    main()
