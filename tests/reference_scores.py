"""The scores of both presets and all engines: ``python tests/reference_scores.py [KIND]...`` stores them.

Rerun it only when a score is meant to change, for the kinds that do, and say in the commit which one and why.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import kces
from kces.datasets import load, toys
from kces.graph import Graph

FILE = Path(__file__).parent / "data" / "reference_scores.npz"
GRAPHS = ("thorny", "digits", "synthetic:n=500,seed=1", "cora@metattack-0.25")
ENGINES = ("exact", "local", "gradient", "subgraph", "montecarlo")
KINDS = (*ENGINES, "robust")


def open_graph(name: str) -> Graph:
    return toys.thorny() if name == "thorny" else load(name)


def scores_of(graph: Graph, kind: str) -> npt.NDArray[np.float64]:
    """Signed scores of an engine of ``paper``, or those of ``robust``."""
    if kind in ENGINES:
        return kces.score_edges(graph, preset="paper", engine=kind, signed=True)
    return kces.score_edges(graph, preset="robust")


def main(kinds: tuple[str, ...] = KINDS) -> None:
    with np.load(FILE) as file:
        stored = dict(file)
    for name in GRAPHS:
        graph = open_graph(name)
        stored |= {f"{name}/{kind}": scores_of(graph, kind) for kind in kinds}
    np.savez_compressed(FILE, **stored)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or KINDS)
