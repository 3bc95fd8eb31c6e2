"""The interface every defense has, and what models and purifiers add to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from torch import nn
from typing_extensions import Self

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.lab.defenses.weighted_adjacency import Adjacency, sparse_on_edges
from kces.lab.training import (
    DEEPROBUST,
    FeatureInput,
    Supervision,
    TrainingPreset,
    feature_input,
    seeded,
    torch_threads,
    train,
)
from kces.processes import NotApplicableError
from kces.threads import thread_count

__all__ = [
    "Defense",
    "Grid",
    "Model",
    "NeedsFeaturesError",
    "NotApplicableError",
    "Parameters",
    "Purifier",
    "Task",
    "Value",
]

Value: TypeAlias = str | int | float | bool | None
Parameters: TypeAlias = Mapping[str, Value]
Grid: TypeAlias = Mapping[str, Sequence[Value]]
Classes = npt.NDArray[np.int64]
Correct = npt.NDArray[np.bool_]

#: Graphs of this size and more count as large: 32 hidden units (the protocol's choice for Pubmed) and all
#: threads. Below, one thread is faster for sparse products, and gives the same result on every machine.
_LARGE = 10_000


class NeedsFeaturesError(NotApplicableError):
    """The method compares node features, and the graph has none (identity features)."""


class Defense(ABC):
    """Trained on a graph that may be attacked, it names the class of every node.

    To add one's own, write :meth:`fit` and :meth:`predict` (or subclass :class:`Model` or :class:`Purifier`, which
    have more of it done), and hand an instance to :func:`kces.lab.evaluation.evaluate`, or decorate the class with
    :func:`kces.lab.defenses.register_defense`. Hyper-parameters that are to be tuned are attributes named in
    :meth:`search_space`. Tables show ``name``, else the name of the class.
    """

    name: str | None = None

    #: Seconds of work that a cache saved the last ``fit``; timings add them back.
    reused_seconds: float = 0.0

    @abstractmethod
    def fit(self, graph: Graph, seed: int = 0) -> Self:
        """Train on the graph; the same seed gives the same classes."""

    @abstractmethod
    def predict(self) -> Classes:
        """The class of every node of the graph given to :meth:`fit`."""

    def search_space(self) -> Grid:
        """Values to try for each hyper-parameter when tuning."""
        return {}

    def with_parameters(self, parameters: Parameters) -> Defense:
        """A fresh copy with some hyper-parameters changed."""
        changed = copy(self)
        for name, value in parameters.items():
            setattr(changed, name, value)
        return changed

    def choose(self, settings: Sequence[Parameters], right: Correct) -> int | None:
        """Which setting to keep, from the validation nodes (columns) that each setting (row) got right.

        None leaves it to the rule of :func:`kces.lab.defenses.tuning.tuned`.
        """
        return None

    def always_tried(self) -> Sequence[Parameters]:
        """Settings that :meth:`choose` must hear of, however few trials there are."""
        return ()

    def model_behind(self) -> Defense:
        """A fresh copy of the model that is trained in the end, without what cleans the graph before it."""
        return self.with_parameters({})

    def trained_for(self, epochs: int) -> Defense:
        """A fresh copy whose model, if it is trained in epochs, is trained for so many."""
        return self.with_parameters({})

    def informed_by(self, attacked: AttackedGraph) -> Defense:
        """A copy that knows the attack. Only the oracle uses it."""
        return self


@dataclass
class Task:
    """What a model is trained on: a graph with a (possibly weighted, possibly low-rank) adjacency."""

    graph: Graph
    adjacency: Adjacency
    supervision: Supervision
    features: FeatureInput

    @classmethod
    def of(cls, graph: Graph, adjacency: Adjacency | None = None) -> Task:
        return cls(
            graph=graph,
            adjacency=graph.adjacency if adjacency is None else adjacency,
            supervision=Supervision.of(graph),
            features=feature_input(graph.features),
        )

    @property
    def sparse_adjacency(self) -> sp.csr_array:
        return sparse_on_edges(self.graph, self.adjacency)

    @property
    def n_classes(self) -> int:
        return self.supervision.n_classes


@dataclass
class Model(Defense):
    """A network trained on the graph. Subclasses, which are dataclasses, say in ``_network`` how it is built.

    ``hidden=None`` is the protocol's width: 16, and 32 on graphs as large as Pubmed.
    """

    preset: TrainingPreset = DEEPROBUST
    hidden: int | None = None

    grid: ClassVar[Grid] = {}
    needs_features: ClassVar[bool] = False

    def fit(self, graph: Graph, seed: int = 0, *, adjacency: Adjacency | None = None) -> Self:
        """Train on the graph, or on another adjacency of its nodes."""
        if self.needs_features:
            require_features(graph, type(self).__name__)
        task = Task.of(graph, adjacency)
        with seeded(seed), torch_threads(self._threads(graph)):
            self._classes = self._train(task)
        return self

    def predict(self) -> Classes:
        if not hasattr(self, "_classes"):
            raise InvalidParameterError(f"{type(self).__name__} is not fitted; call fit(graph, seed) first")
        return self._classes

    def search_space(self) -> Grid:
        return self.grid

    def with_parameters(self, parameters: Parameters) -> Model:
        changes: dict[str, Any] = dict(parameters)  # mypy cannot know which field each of them is
        return replace(self, **changes)

    def trained_for(self, epochs: int) -> Model:
        return replace(self, preset=replace(self.preset, epochs=epochs))

    def width(self, task: Task) -> int:
        """Hidden units on this graph."""
        if self.hidden is not None:
            return self.hidden
        return 32 if task.graph.n_nodes >= _LARGE else 16

    def _threads(self, graph: Graph) -> int:
        return threads_for(graph)

    def _train(self, task: Task) -> Classes:
        return train(self._network(task), task.supervision, self.preset)

    @abstractmethod
    def _network(self, task: Task) -> nn.Module:
        """A network that gives the logits of all nodes when called without arguments."""


@dataclass
class Purifier(ABC):
    """Cleans the graph before a model sees it, without labels.

    Subclasses are dataclasses whose fields are the hyper-parameters; ``grid`` says which values are tried.
    """

    grid: ClassVar[Grid] = {}
    always_tried: ClassVar[tuple[Parameters, ...]] = ()
    needs_features: ClassVar[bool] = False

    #: Seconds of work that a cache saved the last ``purify``.
    def __post_init__(self) -> None:
        self.reused_seconds = 0.0

    @abstractmethod
    def purify(self, graph: Graph, seed: int = 0) -> Adjacency:
        """The adjacency to train on."""

    def choose(self, settings: Sequence[Parameters], right: Correct) -> int | None:
        """As :meth:`Defense.choose`, for the purifier and the model behind it together."""
        return None

    def informed_by(self, attacked: AttackedGraph) -> Purifier:
        return self


def best_on_validation(right: Correct) -> int:
    """The row with the most right answers; among equals the first.

    >>> best_on_validation(np.array([[True, False], [True, True], [True, True]]))
    1
    """
    return int(right.sum(axis=1).argmax())


def threads_for(graph: Graph) -> int:
    """How many threads training on this graph should use."""
    return thread_count() if graph.n_nodes >= _LARGE else 1


def require_features(graph: Graph, method: str) -> None:
    """Refuse a graph whose features only number its nodes."""
    if not graph.has_features:
        raise NeedsFeaturesError(f"{method} needs features, but those of {graph.name} only number its nodes")
