"""Time and memory of defenses: inside this process, and in a fresh process for each.

``kces lab cost pubmed@metattack-0.1 --defense gcn,kces+gcn`` prints the paper's table of costs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from kces.lab.training import DEEPROBUST
from kces.memory import peak_memory
from kces.processes import Order, run_order
from kces.processes.answers import OK, JsonObject

__all__ = ["EPOCHS", "Cost", "Usage", "cost_of", "measure_fresh", "measure_here", "watch"]

_MEGABYTE = 2**20
EPOCHS = DEEPROBUST.epochs  # the paper's table of costs is of as many
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
    accuracy: float | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    peak_mb: float | None = None
    before_mb: float | None = None
    note: str = ""
    status: str = OK


def measure_fresh(graph: str, defense: str, data_root: Path | None = None) -> Cost:
    """Fit the defense once, with its default hyper-parameters, 200 epochs and seed 0, in a fresh process."""
    root = None if data_root is None else str(data_root)
    answer = run_order(Order(f"{__name__}:cost_of", {"graph": graph, "defense": defense, "data_root": root}))
    if answer.status != OK:
        return Cost(graph, defense, note=answer.message, status=answer.status)
    return Cost(**answer.result)


def cost_of(graph: str, defense: str, data_root: str | None) -> JsonObject:
    """What the fresh process does."""
    return asdict(measure_here(graph, defense, None if data_root is None else Path(data_root)))


def measure_here(graph: str, name: str, data_root: Path | None = None) -> Cost:
    """Fit the defense in this process, which has to be a fresh one: its memory counts as the defense's."""
    from kces.datasets import load_attacked
    from kces.lab.defenses import make_defense
    from kces.lab.defenses.tuning import accuracy

    # Compiling and the first call of libraries are no part of the method: a small run takes them first.
    small = load_attacked(_WARM_UP_GRAPH)
    method = make_defense(name).trained_for(EPOCHS)
    method.informed_by(small).fit(small.graph, seed=0)
    attacked = load_attacked(graph, data_root)
    defense = method.informed_by(attacked)
    before = psutil.Process().memory_info().rss / _MEGABYTE
    start, cpu_start = time.perf_counter(), time.process_time()
    classes = defense.fit(attacked.graph, seed=0).predict()
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    right = accuracy(attacked.graph, classes, attacked.judged_nodes)
    return Cost(graph, name, right, seconds, cpu_seconds, peak_memory() / _MEGABYTE, before)
