"""Choosing hyper-parameters on validation accuracy, with the same budget of trials for every defense."""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.lab.defenses.base import Classes, Defense, Grid

__all__ = ["Trial", "Tuned", "accuracy", "candidates", "tuned"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trial:
    """One setting and the validation accuracy (percent) it reached."""

    parameters: dict[str, Any]
    accuracy: float


@dataclass(frozen=True)
class Tuned:
    """The chosen setting, ready to be fitted, and all that was tried."""

    defense: Defense
    parameters: dict[str, Any]
    trials: list[Trial]


def tuned(
    defense: Defense,
    graph: Graph,
    trials: int = 10,
    seed: int = 0,
    *,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> Tuned:
    """Fit each candidate once and let the defense choose by validation: the best, unless it has a rule of its own.

    With one trial, or nothing to choose, the defaults are taken and nothing is fitted.

    >>> from kces import load_builtin
    >>> from kces.lab.defenses import make_defense
    >>> graph = load_builtin("synthetic:n=120,seed=0")
    >>> sorted(tuned(make_defense("jaccard"), graph, trials=2).parameters)
    ['threshold']
    """
    choices = candidates(defense.search_space(), trials, seed)
    if len(choices) < 2:
        return Tuned(defense.with_parameters({}), {}, [])
    if graph.val is None:
        raise InvalidGraphError(f"{graph.name} has no validation nodes to tune on; use one trial for the defaults")
    done, right = [], []
    for parameters in choices:
        classes = defense.with_parameters(parameters).fit(graph, seed).predict()
        done.append(Trial(parameters, accuracy(graph, classes, graph.val)))
        right.append((classes == graph.labels)[graph.val])
        _log.info("%s: %s reaches %.2f %% on validation", graph.name, parameters, done[-1].accuracy)
        on_trial(done[-1])
    chosen = choices[defense.choose(choices, np.array(right))]
    _log.info("%s: chose %s", graph.name, chosen)
    return Tuned(defense.with_parameters(chosen), chosen, done)


def candidates(grid: Grid, trials: int, seed: int = 0) -> list[dict[str, Any]]:
    """At most ``trials`` settings: the whole grid if it is no larger, else a Latin square of it.

    In the Latin square every parameter's values are covered evenly from end to end; how the values of
    different parameters meet is drawn with the seed.

    >>> candidates({"alpha": (0.0, 0.1, 0.2, 0.3)}, 2)
    [{'alpha': 0.0}, {'alpha': 0.3}]
    >>> len(candidates({"alpha": (0.0, 0.1), "beta": (1, 2)}, 10))
    4
    """
    if trials < 1:
        raise InvalidParameterError(f"at least one trial is needed, got {trials}")
    if trials == 1 or not grid:
        return [{}]
    if math.prod(len(values) for values in grid.values()) <= trials:
        return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    generator = np.random.default_rng(seed)
    # The parameter with the most values keeps its order, so that no setting can occur twice by chance.
    longest = max(grid, key=lambda name: len(grid[name]))
    columns = {}
    for name, values in grid.items():
        places = np.linspace(0, len(values) - 1, trials).round().astype(int)
        columns[name] = places if name == longest else generator.permutation(places)
    settings = [{name: grid[name][columns[name][row]] for name in grid} for row in range(trials)]
    return [setting for row, setting in enumerate(settings) if setting not in settings[:row]]


def accuracy(graph: Graph, classes: Classes, nodes: Classes) -> float:
    """Percent of ``nodes`` whose class is right."""
    if graph.labels is None or len(nodes) == 0:
        raise InvalidGraphError(f"{graph.name} has no labelled nodes to judge on")
    return 100.0 * float((classes[nodes] == graph.labels[nodes]).mean())
