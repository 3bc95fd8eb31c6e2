"""What an experiment consists of: slots of tables, each filled by cells; and how much of it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from kces.datasets import parse_name
from kces.errors import InvalidParameterError
from kces.lab.reproduce.cells import Cell, Option
from kces.lab.reproduce.needs import PRESET_OF
from kces.lab.reproduce.published_numbers import Reported

__all__ = [
    "CEILING",
    "FLOOR",
    "QUICK_SEEDS",
    "QUICK_TRIALS",
    "SLOW_METHODS",
    "Experiment",
    "Plan",
    "Slot",
    "cells_of",
    "label_of",
]

FLOOR, CEILING = "mlp", "oracle"
"""Rows that every table of accuracies has: no graph at all, and the adversarial edges taken out."""
QUICK_SEEDS, QUICK_TRIALS = 1, 3
SLOW_METHODS = ("prognn",)
"""A single training of these takes minutes even on a small graph: a plan has its own numbers for them."""

_CLEAN = "@clean"
_ACCURACY = "accuracy, %"
_LABELS = {
    "mlp": "MLP (floor)",
    "oracle": "oracle (ceiling)",
    "gcn": "GCN",
    "gat": "GAT",
    "rgcn": "RGCN",
    "prognn": "ProGNN",
    "svd": "GCN-SVD",
    "jaccard": "GCN-Jaccard",
    "gnnguard": "GNNGuard",
    "airgnn": "AirGNN",
    "noisegnn": "NoiseGNN",
    "gpr-gae": "GPR-GAE",
    "kces": "KCES robust",
    "kces-validated": "KCES robust, validated",
    "kces-paper": "KCES paper",
}


def label_of(method: str) -> str:
    """How tables and figures write a method; ``(K)`` is the paper's mark for KCES in front.

    >>> label_of("kces-paper+gat"), label_of("gcn"), label_of("K = 5")
    ('GAT (K paper)', 'GCN', 'K = 5')
    """
    first, plus, second = method.partition("+")
    if plus and first in PRESET_OF:
        return f"{label_of(second)} (K {PRESET_OF[first]})"
    return _LABELS.get(method, method)


@dataclass(frozen=True)
class Slot:
    """One place of a table: which cells fill it (one per seed), and what the paper has there.

    Rows are methods or settings, columns are situations, so that the floor and the ceiling of a place stand in
    the same column. ``quantity`` is a key of the cells' results.
    """

    section: str
    row: str
    column: str
    cells: tuple[Cell, ...]
    quantity: str = "accuracy"
    paper: Reported | None = None


@dataclass(frozen=True)
class Plan:
    """How much is run.

    Attributes
    ----------
    seeds : trainings per slot.
    trials : settings tried on validation.
    only : data sets, full names of graphs, or ``DATASET@clean`` for the graph without its attacks; empty for all.
    methods : methods; empty for all. The floor and the ceiling always belong.
    training : training preset of the models.
    quick : the small subset.
    slow_seeds, slow_trials : as ``seeds`` and ``trials``, for the methods of ``slow``. One trial is the default
        setting.
    slow : methods whose training takes minutes, behind a purifier too.
    """

    seeds: int = 10
    trials: int = 10
    only: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    training: str = "deeprobust"
    quick: bool = False
    slow_seeds: int = 1
    slow_trials: int = 1
    slow: tuple[str, ...] = SLOW_METHODS

    @classmethod
    def quickly(cls, only: Iterable[str] = (), methods: Iterable[str] = (), training: str = "deeprobust") -> Plan:
        """One seed and few trials; each experiment leaves out graphs and methods besides."""
        return cls(QUICK_SEEDS, QUICK_TRIALS, tuple(only), tuple(methods), training, quick=True)

    def choose(self, everything: Iterable[str], quick: Iterable[str]) -> tuple[str, ...]:
        """The whole list, or with ``quick`` the short one."""
        return tuple(quick if self.quick else everything)

    def datasets(self, everything: Iterable[str], quick: Iterable[str]) -> tuple[str, ...]:
        """The data sets that are wanted: named ones in full, else all, or the quick ones."""
        known = tuple(everything)
        named = {parse_name(name.removesuffix(_CLEAN)).dataset for name in self.only}
        return tuple(name for name in known if name in named) if named else self.choose(known, quick)

    def wants_graph(self, graph: str) -> bool:
        """Whether the graph or its data set is named, or nothing is.

        >>> plan = Plan(only=("cora@clean",))
        >>> plan.wants_graph("cora"), plan.wants_graph("cora@metattack-0.25")
        (True, False)
        """
        return not self.only or not _wishes_for(graph).isdisjoint(self.only)

    def wants_method(self, method: str) -> bool:
        return not self.methods or method in self.methods or method in (FLOOR, CEILING)

    def is_slow(self, method: str) -> bool:
        """Whether the method, or the model behind a purifier, is one of ``slow``.

        >>> Plan().is_slow("kces+prognn"), Plan().is_slow("kces"), Plan(slow=("gpr-gae",)).is_slow("prognn")
        (True, False, False)
        """
        return not set(self.slow).isdisjoint(method.split("+"))

    def runs(self, graph: str, method: str, **options: Option) -> tuple[Cell, ...]:
        """A tuned training per seed.

        >>> len(Plan(seeds=3).runs("cora", "gcn")), len(Plan(seeds=3).runs("cora", "kces+prognn"))
        (3, 1)
        """
        seeds, trials = (self.slow_seeds, self.slow_trials) if self.is_slow(method) else (self.seeds, self.trials)
        shared: dict[str, Any] = {"trials": trials, "training": self.training} | options
        return tuple(Cell.of("accuracy", graph, method, seed, **shared) for seed in range(seeds))


@dataclass(frozen=True)
class Experiment:
    """A table or figure.

    Attributes
    ----------
    name : as on the command line.
    about : a line for the list of experiments.
    slots : makes its cells from a plan.
    notes : what a reader must know, printed under the tables.
    drawing : ``dots``, ``lines`` (rows are numbers), ``scale`` (time against edges) or ``none``.
    unit : of the numbers, for headings and axes.
    has_distributions : draw histograms of the scores of all cells that have them.
    compares_defenses : name the best defense of each column.
    """

    name: str
    about: str
    slots: Callable[[Plan], list[Slot]]
    notes: tuple[str, ...] = ()
    drawing: str = "dots"
    unit: str = _ACCURACY
    has_distributions: bool = False
    compares_defenses: bool = False

    @property
    def judges_accuracy(self) -> bool:
        """Whether models are tuned and judged, and not timed."""
        return self.unit == _ACCURACY

    def plan_slots(self, plan: Plan) -> list[Slot]:
        """The slots of the plan; a wish that selects nothing is an error, not a smaller table."""
        found = self.slots(plan)
        cells = cells_of(found)
        graphs = set().union(*(_wishes_for(cell.graph) for cell in cells))
        methods = {cell.method for cell in cells}
        for wish, has in [(word, graphs) for word in plan.only] + [(word, methods) for word in plan.methods]:
            if wish not in has:
                everything = cells_of(self.slots(replace(plan, only=(), methods=())))
                known = {parse_name(cell.graph).dataset for cell in everything} | {cell.method for cell in everything}
                raise InvalidParameterError(f"{self.name} has no '{wish}'; it has: {', '.join(sorted(known))}")
        return found


def _wishes_for(graph: str) -> set[str]:
    """The words of ``only`` that mean this graph."""
    dataset = parse_name(graph).dataset
    return {dataset, graph if graph != dataset else dataset + _CLEAN}


def cells_of(slots: Iterable[Slot]) -> list[Cell]:
    """All cells of the slots, each once."""
    return list(dict.fromkeys(cell for slot in slots for cell in slot.cells))
