"""Time and memory of graphs that are all hub, all triangle, all pieces: ``make shapes``, a Markdown table.

Each shape is scored with each preset in a process of its own, under a limit of two minutes: it must answer, refuse with
the amount, or have said beforehand that it takes longer. ``python tests/fuzz/shapes.py --small`` takes a hundredth of
the size.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kces.graph import Graph
from kces.types import Features, Ints

LIMIT_SECONDS = 120


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
        measure(*given.inside, small=given.small)
        return 0
    print("| shape | preset | answer | seconds | peak MB |\n|---|---|---|---|---|")
    rows = [row(name, preset, small=given.small) for name in given.shapes or SHAPES for preset in ("robust", "paper")]
    return 0 if all(rows) else 1


def row(name: str, preset: str, *, small: bool) -> bool:
    command = [sys.executable, __file__, *(["--small"] if small else []), "--inside", name, preset]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS + 30, check=False)
    except subprocess.TimeoutExpired as late:
        said = [line for line in (late.stderr or b"").decode().splitlines() if "takes some" in line]
        answer = f"said: {said[0].partition('GraphWarning: ')[2]}" if said else "**no answer**"
        print(f"| {name} | {preset} | {answer} | over {LIMIT_SECONDS} | |", flush=True)
        return bool(said)
    sound = ran.returncode == 0
    print(ran.stdout.strip() if sound else f"| {name} | {preset} | **{ran.stderr.strip()[-200:]}** | | |", flush=True)
    return sound


def measure(name: str, preset: str, *, small: bool) -> None:
    import kces
    from kces.errors import MemoryLimitError
    from kces.memory import peak_memory

    graph = SHAPES[name].build(small=small)
    began = time.perf_counter()
    try:
        answer = f"{len(kces.score_edges(graph, preset=preset))} scores"
    except MemoryLimitError as refusal:
        answer = f"refused: {refusal}"
    print(f"| {name} | {preset} | {answer} | {time.perf_counter() - began:.1f} | {peak_memory() / 2**20:.0f} |")


if __name__ == "__main__":
    sys.exit(main())
