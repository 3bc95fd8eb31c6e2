"""Facts about the graph, the scores and the cut, and what the cut does to a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

import numpy as np
from scipy.sparse.csgraph import connected_components

from kces.cut import Cut
from kces.graph import Graph
from kces.report.numbers import Json, short
from kces.scorers.scored import Scored

__all__ = ["Origin", "accuracies", "cut_facts", "graph_and_score_facts"]

_MOST_FITTING = 5e7
"""Train nodes × features × classes beyond which no classifier is fitted: it would take longer than the report."""


@dataclass(frozen=True)
class Origin:
    """Where a report comes from.

    Attributes
    ----------
    command : what was typed, or nothing.
    reading : how the files were read, one line each.
    seconds : time that reading and scoring took.
    seed : of everything random.
    """

    command: str = ""
    reading: tuple[str, ...] = ()
    seconds: float = 0.0
    seed: int = 0


def graph_and_score_facts(scored: Scored, cut: Cut, origin: Origin) -> Json:
    """What was scored and how; parameters as of :func:`kces.report.report_payload`."""
    from kces import __version__

    graph = scored.graph
    degrees = np.diff(graph.adjacency.indptr)
    components, _ = connected_components(graph.adjacency, directed=False)
    return {
        "graph": graph.name,
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "features": graph.n_features if graph.has_features else 0,
        "classes": graph.n_classes,
        "components": int(components),
        "leaves": int((degrees == 1).sum()),
        "isolated": int((degrees == 0).sum()),
        "mean_degree": short(float(degrees.mean())),
        "preset": scored.scorer,
        "engine": scored.engine,
        "engine_reason": scored.engine_reason,
        "seed": origin.seed,
        "version": __version__,
        "made": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seconds": short(origin.seconds),
        "command": origin.command,
        "parameters": {"alpha": short(cut.alpha), **scored.facts},
        "repairs": str(graph.repairs),
        "reading": list(origin.reading),
    }


def cut_facts(cut: Cut) -> Json:
    """How much goes, and who decided that.

    >>> from kces.cut import AlphaChoice, cut_at
    >>> cut_facts(cut_at(np.array([0.1, 0.9]), AlphaChoice.asked_for(0.5)))["removed"]
    1
    """
    choice = cut.choice
    return {
        "alpha": short(cut.alpha),
        "removed": cut.n_removed,
        "reason": choice.reason,
        "verdict": choice.verdict,
        "noise": short(choice.noise),
        "interval": None if choice.interval is None else [short(end) for end in choice.interval],
        "warning": cut.warning,
    }


def accuracies(graph: Graph, cut: Cut, clean: Graph | None) -> Json | None:
    """Test accuracy of a training-free classifier on the clean, the given and the sanitized graph.

    None where labels or a split are missing, or where the graph is too large to fit a classifier in passing.

    Parameters
    ----------
    graph : as it was scored.
    cut : what is removed from it.
    clean : the graph before an attack, where it is known.

    Examples
    --------
    >>> from kces.datasets.toys import barbell
    >>> accuracies(barbell(), Scored(barbell(), np.arange(21.0)).cut(0.0), None)["sanitized"]
    1.0
    """
    if not _can_be_judged(graph):
        return None
    from kces.classifier import sgc_accuracy  # scikit-learn, which most of a report does without

    return {
        "clean": None if clean is None else short(sgc_accuracy(clean, on="test")),
        "attacked": short(sgc_accuracy(graph, on="test")),
        "sanitized": short(sgc_accuracy(graph.keep_edges(cut.kept), on="test")),
        "how": "accuracy on the test nodes of simplified graph convolution with logistic regression",
    }


def _can_be_judged(graph: Graph) -> bool:
    if graph.labels is None or graph.train is None or graph.test is None or len(graph.test) == 0:
        return False
    if (graph.labels[graph.train] < 0).any() or len(classes := np.unique(graph.labels[graph.train])) < 2:
        return False
    return len(graph.train) * min(graph.n_features, 256) * len(classes) <= _MOST_FITTING
