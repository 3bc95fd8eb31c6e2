"""What every attack looks like from outside, and the checks they share."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.lab.attacks.flips import Details, budget_label
from kces.offered import PER_TARGET, SHARE_OF_EDGES
from kces.progress import Progress, silent

__all__ = [
    "PER_TARGET",
    "SHARE_OF_EDGES",
    "Attack",
    "AttackFunction",
    "check_positive",
    "known_labels",
    "train_nodes",
]

AttackFunction: TypeAlias = Callable[..., AttackedGraph]
"""``run(graph, budget, seed=0, *, progress=silent, **params)``: one graph, budget, seed and choice of parameters give
one result. To add one's own, decorate such a function with :func:`kces.lab.attacks.register_attack`."""


@dataclass(frozen=True)
class Attack:
    """One registered attack; :func:`kces.lab.attacks.register_attack` makes one of a function.

    Attributes
    ----------
    name : as on the command line and in ``cora@dice-0.25``.
    run : the attack itself.
    budget_unit : ``SHARE_OF_EDGES`` or ``PER_TARGET``.
    knows : what the attacker is assumed to see.
    version : of the attack: kept graphs of another version are not used.
    """

    name: str
    run: AttackFunction
    budget_unit: str
    knows: str
    version: int = 1

    def __call__(
        self, graph: Graph, budget: float, seed: int = 0, *, progress: Progress = silent, **params: Any
    ) -> AttackedGraph:
        """Check the parameters' names, then attack, and complete name and log where the attack itself gave none."""
        unknown = sorted(set(params) - set(self.defaults))
        if unknown:
            known = ", ".join(sorted(self.defaults)) or "none"
            raise InvalidParameterError(
                f"attack {self.name} has no parameter {', '.join(unknown)}; its parameters: {known}"
            )
        for name, value in params.items():
            _check_kind(f"{self.name}'s {name}", value, self.defaults[name])
        start = time.perf_counter()
        attacked = self.run(graph, budget, seed, progress=progress, **params)
        if not isinstance(attacked, AttackedGraph):
            raise InvalidParameterError(f"attack {self.name} must return an AttackedGraph, not {attacked!r}")
        return self._logged(attacked, budget, seed, round(time.perf_counter() - start, 3))

    def _logged(self, attacked: AttackedGraph, budget: float, seed: int, seconds: float) -> AttackedGraph:
        facts: Details = {"method": self.name, "budget": budget, "seed": seed, "seconds": seconds}
        if "added" not in attacked.log:
            facts |= {"added": len(attacked.added), "removed": len(attacked.removed)}
        graph = attacked.graph
        if graph.name == attacked.clean.name:
            graph = replace(graph, name=f"{graph.name}@{self.name}-{budget_label(budget)}")
        return replace(attacked, graph=graph, log=facts | attacked.log)

    @property
    def defaults(self) -> Details:
        """Its own parameters with their default values."""
        parameters = inspect.signature(self.run).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "progress"}

    @property
    def resumable(self) -> bool:
        """Whether it takes ``checkpoint=``, a file from which an interrupted run goes on."""
        return "checkpoint" in self.defaults


def _check_kind(what: str, value: object, default: object) -> None:
    """Refuse a word for a number, or a number for a word; parameters also come from the command line."""
    for kind, name in ((bool, "true or false"), (Integral, "a whole number"), (Real, "a number"), (str, "a word")):
        if isinstance(default, kind):
            if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
                raise InvalidParameterError(f"{what} must be {name}, got {value}")
            return


def check_positive(**values: float) -> None:
    """Refuse a parameter that must be above zero."""
    for name, value in values.items():
        if not value > 0:
            raise InvalidParameterError(f"{name} must be above 0, got {value}")


def known_labels(graph: Graph, method: str) -> npt.NDArray[np.int64]:
    """The label of every node, for attacks that need all of them."""
    if graph.labels is None or (graph.labels < 0).any():
        raise InvalidGraphError(f"{method} needs the label of every node; {graph.name} does not have them")
    return graph.labels


def train_nodes(graph: Graph, method: str) -> npt.NDArray[np.int64]:
    """The labeled training nodes, for attacks that train a surrogate."""
    if graph.labels is None:
        raise InvalidGraphError(f"{method} trains a surrogate and needs labels; {graph.name} has none")
    if graph.train is None or len(graph.train) == 0:
        raise InvalidGraphError(f"{method} trains a surrogate and needs train nodes; {graph.name} has none")
    if (graph.labels[graph.train] < 0).any():
        raise InvalidGraphError(f"{method}: a train node of {graph.name} has no label")
    if len(np.unique(graph.labels[graph.train])) < 2:
        raise InvalidGraphError(f"{method} needs train nodes of two classes; {graph.name} has fewer")
    return graph.train
