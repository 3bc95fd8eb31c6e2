"""A figure of the paper in fifty lines: accuracy when edges go by high score first, at random, or by low score first.

python examples/reproduce_figure.py [GRAPH]

With ``cora@metattack-0.25`` this is figure (b) on the mechanism with a training-free classifier; `kces reproduce
figure-mechanism` makes the figure itself, with trained networks and all seeds.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.figure import Figure

from kces import Graph, score_edges
from kces.classifier import sgc_accuracy
from kces.datasets import load_attacked

SHARES = np.linspace(0.0, 0.9, 10)
STYLES = {"high scores first": "o", "random": "s", "low scores first": "^"}


def orders(graph: Graph) -> dict[str, np.ndarray]:
    """Three orders in which edges go."""
    ranked = np.argsort(-score_edges(graph, preset="paper"), kind="stable")
    shuffled = np.random.default_rng(0).permutation(graph.n_edges)
    return dict(zip(STYLES, (ranked, shuffled, ranked[::-1]), strict=True))


def accuracy_without(graph: Graph, order: np.ndarray, share: float) -> float:
    kept = np.ones(graph.n_edges, dtype=bool)
    kept[order[: round(share * graph.n_edges)]] = False
    return sgc_accuracy(graph.keep_edges(kept), on="test")


def main(name: str) -> None:
    graph = load_attacked(name).graph
    axes = Figure(figsize=(9, 5), layout="constrained").add_subplot()
    for label, order in orders(graph).items():
        values = [accuracy_without(graph, order, share) for share in SHARES]
        axes.plot(SHARES, values, STYLES[label], label=label)  # points: no law joins them
        print(f"{label:18}", " ".join(f"{value:.3f}" for value in values))
    axes.set(xlabel="share of edges pruned", ylabel="test accuracy", title=name)
    axes.legend()
    axes.figure.savefig("mechanism.png", dpi=150)
    print("wrote mechanism.png")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "synthetic:n=400@dice-0.3")
