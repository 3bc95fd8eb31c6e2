"""Choosing hyper-parameters on validation, with the same budget of trials and the same caution for every defense.

A few hundred validation nodes are noisy, and blind to an attack on other nodes: under Nettack they prefer whatever
does nothing. So a lead on them counts only where it is sure, and where it is not, a method keeps its published
settings. KCES has such a rule (:func:`kces.validated_choice.informed_choice`); a fair comparison gives one to all.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.lab.defenses.defense import Classes, Correct, Defense, Grid, Model, Value, best_on_validation
from kces.lab.defenses.gcn import GCN
from kces.validated_choice import surely_better

__all__ = ["Trial", "Tuned", "accuracy", "candidates", "settings_to_try", "tuned"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trial:
    """One setting and the validation accuracy (percent) it reached. No parameters: the published settings."""

    parameters: dict[str, Value]
    accuracy: float


@dataclass(frozen=True)
class Tuned:
    """The chosen setting, ready to be fitted, and all that was tried."""

    defense: Defense
    parameters: dict[str, Value]
    trials: list[Trial]

    @property
    def accuracy(self) -> float | None:
        """On validation; None where nothing was tried."""
        return next((trial.accuracy for trial in self.trials if trial.parameters == self.parameters), None)


def tuned(
    defense: Defense,
    graph: Graph,
    trials: int = 10,
    seed: int = 0,
    *,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> Tuned:
    """Fit each candidate once and choose by validation.

    The best is chosen where validation is sure, by :func:`kces.validated_choice.surely_better`, that it beats either
    the undefended model or the published settings; else the published settings are, which is what no parameters
    mean. A defense with a rule of its own (KCES) follows that. With one trial, or nothing to choose, the published
    settings are taken and nothing is fitted. ``on_trial`` hears of every candidate.

    >>> from kces import load_builtin
    >>> from kces.lab.defenses import make_defense
    >>> graph = load_builtin("synthetic:n=120,seed=0")
    >>> [sorted(trial.parameters) for trial in tuned(make_defense("jaccard"), graph, trials=2).trials]
    [[], ['threshold'], ['threshold']]
    """
    choices = settings_to_try(defense, trials, seed)
    if len(choices) < 2:
        return Tuned(defense.with_parameters({}), {}, [])
    if graph.val is None:
        raise InvalidGraphError(f"{graph.name} has no validation nodes to tune on; use one trial for the defaults")
    done, right = [], []
    for parameters in choices:
        right.append(_right_on_validation(defense.with_parameters(parameters), graph, seed))
        done.append(Trial(parameters, _percent(right[-1])))
        _log.info("%s: %s reaches %.2f %% on validation", graph.name, parameters, done[-1].accuracy)
        on_trial(done[-1])
    own_choice = defense.choose(choices, np.array(right))
    if own_choice is not None:
        chosen = choices[own_choice]
    else:
        known = _published_among(choices, defense)
        published = (
            right[known] if known is not None else _right_on_validation(defense.with_parameters({}), graph, seed)
        )
        undefended = _right_on_validation(_undefended(defense), graph, seed)
        done.insert(0, Trial({}, _percent(published)))  # first, so that it is chosen among equals
        right.insert(0, published)
        best = best_on_validation(np.array(right))
        sure = surely_better(right[best], undefended) or surely_better(right[best], published)
        chosen = done[best].parameters if sure else {}
    _log.info("%s: chose %s", graph.name, chosen or "the published settings")
    return Tuned(defense.with_parameters(chosen), chosen, done)


def settings_to_try(defense: Defense, trials: int, seed: int = 0) -> list[dict[str, Value]]:
    """The candidates within the budget, and what the defense's own choice must hear of besides.

    >>> from kces.lab.defenses import make_defense
    >>> [setting["alpha"] for setting in settings_to_try(make_defense("kces-validated"), trials=3)]
    ['auto', 0.3, 0.8, 0.0]
    """
    chosen = candidates(defense.search_space(), trials, seed)
    if len(chosen) < 2:
        return chosen
    return chosen + [dict(setting) for setting in defense.always_tried() if setting not in chosen]


def _published_among(choices: list[dict[str, Value]], defense: Defense) -> int | None:
    """Which of the settings is the published one; a training with the same seed need not be repeated."""
    published = defense.with_parameters({})
    return next((at for at, each in enumerate(choices) if defense.with_parameters(each) == published), None)


def _undefended(defense: Defense) -> Defense:
    """The model behind a purifier, or a GCN in place of a model."""
    if isinstance(defense, Model):
        return GCN(defense.preset)
    return defense.model_behind()


def _right_on_validation(defense: Defense, graph: Graph, seed: int) -> Correct:
    if graph.val is None or graph.labels is None:
        raise InvalidGraphError(f"{graph.name} has no labeled nodes to tune on")
    classes = defense.fit(graph, seed).predict()
    right: Correct = (classes == graph.labels)[graph.val]
    return right


def _percent(right: Correct) -> float:
    return 100.0 * float(right.mean())


def candidates(grid: Grid, trials: int, seed: int = 0) -> list[dict[str, Value]]:
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
        raise InvalidGraphError(f"{graph.name} has no labeled nodes to judge on")
    return _percent(classes[nodes] == graph.labels[nodes])
