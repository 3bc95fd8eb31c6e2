"""Everything that is known about one edge, in words and in numbers."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from kces.cut import Cut
from kces.errors import InvalidParameterError
from kces.features.own_values import in_words
from kces.graph import Graph, edge_keys
from kces.scorers.grounds import FeatureReading, Grounds
from kces.scorers.scored import Fact, Scored

__all__ = ["Explanation", "Neighbors", "explain_edge", "find_node"]

_LISTED = 10
"""Neighbors named for machines; the numbers count all of them."""
_SHOWN_NAMES = 3
"""Neighbors named in the text."""


@dataclass(frozen=True)
class Neighbors:
    """Who else the two ends are linked to: counts, and the first few names."""

    shared: int
    only_source: int
    only_target: int
    shared_names: tuple[str, ...]
    only_source_names: tuple[str, ...]
    only_target_names: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """Why an edge has its score.

    Attributes
    ----------
    source, target : the caller's names of the ends.
    score, rank, edges : its score, its place from the top, and how many edges there are.
    suspicious, alpha : whether the cut at this share removes it.
    preset : which score it is.
    neighbors : who else the ends are linked to.
    grounds : what the scorer says.
    """

    source: Fact
    target: Fact
    score: float
    rank: int
    edges: int
    suspicious: bool
    alpha: float
    preset: str
    neighbors: Neighbors
    grounds: Grounds

    def to_dict(self) -> dict[str, object]:
        """Plain numbers and texts, for machines."""
        return asdict(self) | {"text": str(self)}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        verdict = "suspicious" if self.suspicious else "not suspicious"
        yield (
            f"{self.source} - {self.target}: {verdict}, rank {self.rank} of {self.edges} "
            f"(score {self.score:.4g}, preset {self.preset}, alpha {self.alpha:.3g})"
        )
        yield from self.grounds.sentences
        yield _neighbors_in_words(self)
        for title, features in (
            ("Features that speak for it", self.grounds.features_for),
            ("Features that speak against it", self.grounds.features_against),
        ):
            if features:
                yield f"{title}: {', '.join(map(_feature_in_words, features))}."


def explain_edge(scored: Scored, cut: Cut, source: object, target: object) -> Explanation:
    """Explain the edge between two nodes, named as the caller names them, in either order.

    >>> from kces.datasets.toys import barbell
    >>> from kces.scorers import ScoreOptions, make_scorer
    >>> scored = make_scorer(ScoreOptions()).score(barbell())
    >>> explanation = explain_edge(scored, scored.cut(0.1), 5, 4)
    >>> explanation.rank, explanation.neighbors.shared, explanation.suspicious
    (1, 0, True)
    """
    graph = scored.graph
    ends = np.array([find_node(graph, source), find_node(graph, target)])
    edge = _edge_number(graph, ends)
    if scored.evidence is None:
        raise InvalidParameterError("these scores came without evidence, so there is nothing to explain")
    first, second = graph.ids_of(ends).tolist()
    return Explanation(
        source=first,
        target=second,
        score=float(scored.scores[edge]),
        rank=int(cut.rank[edge]),
        edges=graph.n_edges,
        suspicious=not bool(cut.kept[edge]),
        alpha=cut.alpha,
        preset=scored.scorer,
        neighbors=_neighbors(graph, *ends.tolist()),
        grounds=scored.evidence.grounds(graph, edge, ends),
    )


def find_node(graph: Graph, name: object) -> int:
    """The number of the node that the caller calls ``name``; text stands for a number too.

    >>> from kces.datasets.toys import path
    >>> find_node(path(3), "2")
    2
    """
    known = graph.ids_of(np.arange(graph.n_nodes)).tolist()
    if name in known:
        return known.index(name)
    words = [str(each) for each in known]
    if str(name) in words:
        return words.index(str(name))
    near = [word for word in words if word.lower() == str(name).strip().lower()]
    near = near or difflib.get_close_matches(str(name), words, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise InvalidParameterError(f"{graph.name} has no node {name}{hint}")


def _edge_number(graph: Graph, ends: np.ndarray) -> int:
    key = edge_keys(np.sort(ends)[None, :], graph.n_nodes)[0]
    keys = edge_keys(graph.edges, graph.n_nodes)
    edge = int(np.searchsorted(keys, key))
    if edge == len(keys) or keys[edge] != key:
        first, second = graph.ids_of(ends).tolist()
        if first == second:
            raise InvalidParameterError(f"{first} is one node; an edge has two ends, and a self-loop is not scored")
        raise InvalidParameterError(
            f"{first} and {second} are not linked in {graph.name}; name the two ends of an edge"
        )
    return edge


def _neighbors(graph: Graph, source: int, target: int) -> Neighbors:
    around = [
        set(graph.adjacency.indices[graph.adjacency.indptr[node] : graph.adjacency.indptr[node + 1]].tolist())
        - {source, target}
        for node in (source, target)
    ]
    parts = around[0] & around[1], around[0] - around[1], around[1] - around[0]
    names = [tuple(map(str, graph.ids_of(np.array(sorted(part)[:_LISTED], dtype=np.int64)))) for part in parts]
    return Neighbors(len(parts[0]), len(parts[1]), len(parts[2]), names[0], names[1], names[2])


def _neighbors_in_words(explanation: Explanation) -> str:
    found = explanation.neighbors
    shared = _counted(found.shared, "shared", found.shared_names)
    source = _counted(found.only_source, f"only of {explanation.source}", found.only_source_names)
    target = _counted(found.only_target, f"only of {explanation.target}", found.only_target_names)
    return f"Neighbors: {shared}; {source}; {target}."


def _counted(count: int, what: str, names: tuple[str, ...]) -> str:
    """
    >>> _counted(12, "shared", ("a", "b", "c", "d"))
    '12 shared (a, b, c, …)'
    """
    if not count:
        return f"0 {what}"
    more = ", …" if count > _SHOWN_NAMES else ""
    return f"{count} {what} ({', '.join(names[:_SHOWN_NAMES])}{more})"


def _feature_in_words(feature: FeatureReading) -> str:
    """
    >>> _feature_in_words(FeatureReading("income", 1200, 98000, -0.4))
    'income 1200 against 98000'
    >>> _feature_in_words(FeatureReading("city", "Oslo", "Oslo", 0.2))
    'city Oslo on both sides'
    """
    first, second = in_words(feature.source_value), in_words(feature.target_value)
    if first == second:
        return f"{feature.name} {first} on both sides"
    return f"{feature.name} {first} {'against' if feature.speaks < 0 else 'and'} {second}"
