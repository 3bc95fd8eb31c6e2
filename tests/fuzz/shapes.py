"""Time and memory of graphs that are all hub, all triangle, all pieces: ``make shapes``, a Markdown table.

Each shape is scored with each preset in a process of its own: it must answer within two minutes, refuse with the amount
of memory, or say beforehand that it takes longer. What is said to take more than two minutes is not waited for; what is
said to take less must answer within three times as long. ``python tests/fuzz/shapes.py --small`` takes a hundredth of
the size.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.types import Features, Ints

LIMIT_SECONDS = 120
PATIENCE = 3
"""How many times as long as was said an answer may take."""
STATED = re.compile(r"takes about (a|\d+) minute")


def _complete(n: int) -> Ints:
    return np.stack(np.triu_indices(n, 1), axis=1)


def _star(n: int) -> Ints:
    return np.stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)], axis=1)


def _ring(first: int, stop: int) -> Ints:
    nodes = np.arange(first, stop)
    return np.stack([nodes, np.roll(nodes, -1)], axis=1)


def _pieces(count: int) -> Ints:
    triangle = np.array([[0, 1], [1, 2], [0, 2]])
    return (triangle + 3 * np.arange(count)[:, None, None]).reshape(-1, 2)


def _dense(n: int, columns: int = 16) -> Features:
    return np.random.default_rng(0).normal(size=(n, columns))


def _wide(n: int, columns: int) -> Features:
    return sp.csr_array(sp.random_array((n, columns), density=20 / columns, rng=np.random.default_rng(0)))


@dataclass(frozen=True)
class Shape:
    """Edges by size, and features by the number of nodes; None for a graph without any."""

    size: int
    edges: Callable[[int], Ints]
    features: Callable[[int], Features] | None = _dense

    def build(self, *, small: bool = False) -> Graph:
        edges = self.edges(max(self.size // 100, 4) if small else self.size)
        n = int(edges.max()) + 1
        return Graph.from_edges(edges, None if self.features is None else self.features(n), n_nodes=n)


SHAPES = {
    "complete graph of 300 nodes": Shape(300, _complete),
    "star of 100,000 leaves": Shape(100_001, _star),
    "wheel of 50,000 spokes": Shape(50_001, lambda n: np.concatenate([_star(n), _ring(1, n)])),
    "hub of a million": Shape(1_000_001, _star, lambda n: _dense(n, 4)),
    "matching of 100,000 edges": Shape(200_000, lambda n: np.arange(n - n % 2).reshape(-1, 2)),
    "10,000 triangles apart": Shape(10_000, _pieces),
    "ring of 100,000 without features": Shape(100_000, lambda n: _ring(0, n), None),
    "ring of 20,000, a million sparse columns": Shape(20_000, lambda n: _ring(0, n), lambda n: _wide(n, 2**20)),
    "ring of 2,000, 20,000 dense columns": Shape(2_000, lambda n: _ring(0, n), lambda n: _dense(n, 20_000)),
    "ring of 2,000,000": Shape(2_000_000, lambda n: _ring(0, n), lambda n: _dense(n, 4)),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help="default: all")
    parser.add_argument("--small", action="store_true", help="a hundredth of the size")
    parser.add_argument("--inside", nargs=2, metavar=("SHAPE", "PRESET"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return 0 if measure(*given.inside, small=given.small) else 1
    print("| shape | preset | answer | seconds | peak MB |\n|---|---|---|---|---|")
    rows = [row(name, preset, small=given.small) for name in given.shapes or SHAPES for preset in ("robust", "paper")]
    return 0 if all(rows) else 1


def row(name: str, preset: str, *, small: bool) -> bool:
    command = [sys.executable, __file__, *(["--small"] if small else []), "--inside", name, preset]
    most = PATIENCE * LIMIT_SECONDS
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=most + 30, check=False)
    except subprocess.TimeoutExpired:
        print(f"| {name} | {preset} | **no answer** | over {most} | |", flush=True)
        return False
    said = ran.stdout.strip() or f"| {name} | {preset} | **{ran.stderr.strip()[-200:]}** | | |"
    print(said, flush=True)
    return ran.returncode == 0


class _TooLongToWaitError(Exception):
    """What was said before the work is all that there is to see."""


class _Listener:
    """Hears what is said before the work; ``seconds`` are those that it says."""

    def __init__(self) -> None:
        self.seconds: int | None = None

    def __call__(self, message: Warning | str, *_: object) -> None:
        if found := STATED.search(str(message)):
            self.seconds = 60 * (1 if found[1] == "a" else int(found[1]))
            if self.seconds > LIMIT_SECONDS:
                raise _TooLongToWaitError


def measure(name: str, preset: str, *, small: bool) -> bool:
    """Print a row; whether what it tells was promised."""
    import kces
    from kces.errors import MemoryLimitError
    from kces.memory import peak_memory

    graph, heard = SHAPES[name].build(small=small), _Listener()
    warnings.showwarning = heard
    began = time.perf_counter()
    try:
        answer = f"{len(kces.score_edges(graph, preset=preset))} scores"
    except MemoryLimitError as refusal:
        answer = f"refused: {refusal}"
    except _TooLongToWaitError:
        print(f"| {name} | {preset} | says it takes about {(heard.seconds or 0) // 60} minutes | | |")
        return True
    seconds = time.perf_counter() - began
    most = LIMIT_SECONDS if heard.seconds is None else PATIENCE * heard.seconds
    said = "" if heard.seconds is None else f", said about {heard.seconds // 60} min"
    late = "" if seconds <= most else " **too late**"
    print(f"| {name} | {preset} | {answer}{said}{late} | {seconds:.1f} | {peak_memory() / 2**20:.0f} |")
    return not late


if __name__ == "__main__":
    sys.exit(main())
