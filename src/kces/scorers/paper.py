"""The paper's score to the letter: ``|GKC(G) − GKC(G−e)|`` for pseudo labels (Algorithm 1, lines 1 to 8)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kces.engines import choose_engine, make_engine
from kces.engines.parts import Parts, one_after_another
from kces.engines.problem import Problem
from kces.engines.regime import Regime
from kces.errors import GraphWarning, InvalidParameterError
from kces.feature_range import within_range, without_empty_columns
from kces.graph import Graph
from kces.kernel import RIDGE, aggregate, check_ridge, complexity, gram, normalize_rows
from kces.memory import require_memory
from kces.narrowed import is_far_wider_than_high, narrowed
from kces.offered import ENCODINGS
from kces.progress import Progress, in_minutes, silent
from kces.renumbered import Renumbered
from kces.scorers.grounds import Grounds, Texts
from kces.scorers.pseudo_labels import PseudoLabels, encode, pseudo_labels
from kces.scorers.score_options import ScoreOptions, check_seed
from kces.scorers.scored import Fact, Scored
from kces.types import Array, Features, Ints, is_sparse

__all__ = ["PaperEvidence", "PaperScorer", "in_canonical_order"]

_LONG = 60.0
"""Seconds beyond which it is said beforehand what they are."""
_ROUNDING = 1e-12
"""Of cosines, and of complexities as a share of the largest there can be."""


@dataclass(frozen=True, eq=False)
class PaperEvidence:
    """What the paper's score rests on.

    Attributes
    ----------
    pseudo : the pseudo labels and where they came from.
    change : (E,) ``GKC(G) − GKC(G−e)`` with its sign; positive: without the edge the labels are simpler.
    """

    pseudo: PseudoLabels
    change: Array

    @property
    def yardstick(self) -> None:
        """Changes of GKC have no scale of their own: nothing says how large the change of a good edge is."""

    @property
    def silent(self) -> None:
        """Every edge has a change of GKC."""

    def reasons(self, graph: Graph) -> Texts:
        """(E,) the pseudo classes that each edge joins, and what its removal does to the complexity."""
        texts = np.empty(graph.n_edges, dtype=object)
        texts[:] = [
            self._in_words(edge) for edge in zip(*self.pseudo.clusters[graph.edges].T, self.change, strict=True)
        ]
        return texts

    def grounds(self, graph: Graph, edge: int, ends: Ints) -> Grounds:
        """Pseudo labels of the ends and the change of GKC."""
        first, second = (int(cluster) for cluster in self.pseudo.clusters[ends])
        change = float(self.change[edge])
        said = self._in_words((first, second, change))
        sentence = f"{said[0].upper()}{said[1:]} ({self.pseudo.k} classes by {self.pseudo.method})."
        return Grounds((sentence,), pseudo_labels=(first, second), change=change)

    @staticmethod
    def _in_words(edge: tuple[int, int, float]) -> str:
        first, second, change = edge
        joins = f"within pseudo class {first}" if first == second else f"joins pseudo classes {first} and {second}"
        return f"{joins}; without it GKC {'falls' if change > 0 else 'rises'} by {abs(change):.3g}"


class PaperScorer:
    """Owns what the paper's score is made of: pseudo labels, their codes, the ridge and the engine."""

    name: ClassVar[str] = "paper"

    def __init__(self, options: ScoreOptions) -> None:
        self.labels = "kmeans" if options.labels is None else options.labels
        self.clusters = options.clusters
        self.encoding = options.encoding or "linear"
        self.ridge = RIDGE if options.ridge is None else options.ridge
        self.signed = bool(options.signed)
        self.engine = options.engine
        self.engine_options = dict(options.engine_options or {})
        self.seed = options.seed

    @staticmethod
    def validate(options: ScoreOptions) -> None:
        if options.ridge is not None:
            check_ridge(options.ridge)
        if options.encoding is not None and options.encoding not in ENCODINGS:
            raise InvalidParameterError(f"unknown encoding '{options.encoding}'; use one of {', '.join(ENCODINGS)}")
        if options.engine != "auto":
            make_engine(options.engine, dict(options.engine_options or {}), options.seed)
        elif options.engine_options:
            raise InvalidParameterError("engine auto takes no options; name the engine they are for")

    @classmethod
    def checked(cls, options: ScoreOptions) -> PaperScorer:
        """The scorer after all checks, for callers who want more of it than scores."""
        check_seed(options.seed)
        cls.validate(options)
        return cls(options)

    def pose(self, graph: Graph, parts: Parts = one_after_another) -> tuple[Problem, PseudoLabels]:
        """Aggregate and label: the problem that an engine solves; ``parts`` may know the labels.

        >>> from kces.datasets.toys import barbell
        >>> problem, pseudo = PaperScorer(ScoreOptions(preset="paper")).pose(barbell())
        >>> problem.codes.shape, pseudo.k
        ((10, 1), 2)
        """
        graph = _fit_to_score(graph)

        def find() -> tuple[object, ...]:  # Algorithm 1, line 1
            unit, _ = normalize_rows(aggregate(graph))
            found = pseudo_labels(graph, unit, self.labels, clusters=self.clusters, seed=self.seed)
            return found.clusters, found.k, found.method, found.chosen_by

        pseudo = PseudoLabels(*parts.once("labels", find))
        return Problem(graph, encode(pseudo.clusters, pseudo.k, self.encoding), self.ridge), pseudo

    def complexity(self, graph: Graph) -> float:
        """Graph Kernel Complexity of the graph for its pseudo labels: ``2 yᵀ (H + λI)⁻¹ y / N``."""
        needed = 3 * 8 * graph.n_nodes**2
        require_memory(needed, "the Gram matrix", "score edges with engine local, which keeps none")
        problem, _ = self.pose(graph)
        return complexity(gram(problem.Z), problem.codes, problem.ridge)

    def score(self, graph: Graph, progress: Progress = silent, parts: Parts = one_after_another) -> Scored:
        """Score every edge; ``parts`` says where edges are scored, and what is kept."""
        fit = _fit_to_score(graph)
        _say_what_it_takes(fit, self.engine)
        progress("pseudo labels", 0, 1)
        problem, pseudo = self.pose(fit, parts)
        progress("pseudo labels", 1, 1)
        engine, reason = choose_engine(self.engine, problem, self.engine_options, self.seed)
        canonical, places = in_canonical_order(problem)
        if _point_one_way(fit.features):
            change = np.zeros(graph.n_edges)
        else:
            change = engine.score(canonical, progress, parts)[places]  # Algorithm 1, lines 2 to 8
        change = _without_mere_rounding(change, problem)
        scores = change if self.signed else np.abs(change)
        evidence = PaperEvidence(pseudo, change)
        return Scored(graph, scores, self.name, engine.name, reason, self._facts(pseudo), evidence)

    def _facts(self, pseudo: PseudoLabels) -> dict[str, Fact]:
        return {
            "labels": pseudo.method,
            "clusters": pseudo.k,
            "clusters_by": pseudo.chosen_by,
            "encoding": self.encoding,
            "ridge": self.ridge,
            "signed": self.signed,
        }


def in_canonical_order(problem: Problem) -> tuple[Problem, Ints]:
    """The problem told so that nothing an engine draws or rounds depends on numbers, and (E,) where each edge went.

    >>> from kces.datasets.toys import barbell
    >>> problem, _ = PaperScorer(ScoreOptions(preset="paper")).pose(barbell())
    >>> told, places = in_canonical_order(problem)
    >>> sorted(places.tolist()) == list(range(problem.graph.n_edges))
    True
    """
    told = Renumbered.of(problem.graph)
    return replace(problem, graph=told.graph, codes=problem.codes[told.nodes]), told.edges


def _point_one_way(features: Features) -> bool:
    """Whether all rows are positive multiples of one: constant features, a single positive column.

    Then all nodes aggregate to the same unit row, with any edge or without it, and no edge changes the complexity.

    >>> _point_one_way(np.array([[1.0, 2.0], [3.0, 6.0]])), _point_one_way(np.array([[1.0], [-1.0]]))
    (True, False)
    """
    for rows in (slice(0, 2), slice(None)):  # two rows tell most features apart
        unit, _ = normalize_rows(features[rows])
        first = np.asarray(unit[[0]].toarray() if is_sparse(unit) else unit[[0]]).ravel()
        if float((unit @ first).min()) < 1.0 - _ROUNDING:
            return False
    return True


def _without_mere_rounding(change: Array, problem: Problem) -> Array:
    """Zeros where no edge changes the complexity by more than its rounding: constant features, a single column.

    Those would else be ranked by their last digits. The complexity itself is at most ``2 mean(y²) / λ``.
    """
    most = 2.0 * float(np.square(problem.codes).sum(axis=1).mean()) / max(problem.ridge, RIDGE)
    return np.zeros_like(change) if np.abs(change).max(initial=0.0) <= _ROUNDING * most else change


def _fit_to_score(graph: Graph) -> Graph:
    """Features with the same cosines, whose squares are numbers, in no more columns than are of use."""
    graph = within_range(without_empty_columns(graph))
    if not is_far_wider_than_high(graph.features):
        return graph
    return replace(graph, features=narrowed(graph.features), feature_names=None, own_values=None)


def _say_what_it_takes(graph: Graph, engine: str) -> None:
    """Before the work: a graph on which it takes longer than anyone waits without a word."""
    seconds = Regime.of(graph).seconds(engine)
    if seconds >= _LONG:
        said = f"preset paper takes about {in_minutes(seconds)} on {graph.n_nodes} nodes, preset robust far less"
        warnings.warn(f"{graph.name}: {said}", GraphWarning, stacklevel=3)
