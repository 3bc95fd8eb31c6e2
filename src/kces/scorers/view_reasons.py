"""Why the ends of an edge disagree, read off the views: against the graph's other links and against random pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kces.graph import Graph
from kces.scorers.centered_features import CenteredFeatures, chunks
from kces.scorers.feature_spaces import centered_space
from kces.scorers.grounds import FeatureReading, Reading, Texts
from kces.scorers.typical_gaps import typical_gaps
from kces.types import Array, Bools, Ints, Singles

__all__ = [
    "CodedReasons",
    "coded_reasons",
    "differing_features",
    "feature_name",
    "feature_readings",
    "named_columns",
    "percent_below",
    "readings_in_words",
    "view_reasons",
]

_ALIKE = 50.0
"""Percent of links: a pair above the median link counts as alike."""
_NO_OTHER_LINK = "; an end has no other link to testify"
_SILENT = "no view tells it from the other links"
_SHOWN_FEATURES = 5
_NAMED_FEATURES = 2
_EDGE_BLOCK = 8_192


def percent_below(values: Array | Singles, reference: Array | Singles) -> Array:
    """Percent of ``reference`` (R, k), column by column, that lies below ``values`` (P, k); an equal one counts half.

    >>> percent_below(np.array([[2.0]]), np.array([[1.0], [2.0], [3.0], [4.0]])).tolist()
    [[37.5]]
    """
    below = np.empty(values.shape)
    for column in range(values.shape[1]):
        order = np.argsort(values[:, column])  # looked up in order, a million values are found several times faster
        ordered, own = np.sort(reference[:, column]), values[order, column]
        below[order, column] = np.searchsorted(ordered, own, "left") + np.searchsorted(ordered, own, "right")
    return 50.0 * below / max(len(reference), 1)


def view_reasons(graph: Graph, columns: Sequence[str], weights: Array, edge_views: Singles) -> Texts:
    """(E,) for each edge the view that speaks most against it, or, where none does, the one that speaks most for it.

    A view speaks by its weight times its distance from the median link. Where features have names, those in which
    the ends of an edge that is spoken against differ most are named too.

    Parameters
    ----------
    graph : whose edges they are.
    columns : (k,) what each view compares.
    weights : (k,) of the views.
    edge_views : (E, k) agreement of the ends.
    """
    leaf: Bools = np.any(graph.degrees[graph.edges] <= 2, axis=1)
    found = coded_reasons(columns, weights, edge_views, edge_views, leaf)
    reasons = found.texts[found.which]
    if graph.feature_names is not None:
        accused = np.flatnonzero(found.accused)
        reasons[accused] += differing_features(graph, accused)
    return reasons


class CodedReasons(NamedTuple):
    """A few texts that serve many edges.

    Attributes
    ----------
    texts : (T,) distinct reasons.
    which : (E,) the reason of each edge.
    accused : (E,) edges that are spoken against.
    """

    texts: Texts
    which: Ints
    accused: Bools


def coded_reasons(
    columns: Sequence[str], weights: Array, edge_views: Array | Singles, reference: Array | Singles, leaf: Bools
) -> CodedReasons:
    """Reasons of some edges beside others, without the names of features.

    Parameters
    ----------
    columns, weights : (k,) what each view compares, and its weight.
    edge_views : (E, k) agreement of the ends.
    reference : (R, k) the same of the links that they are compared with: all of them, or a sample.
    leaf : (E,) edges with an end that has no other link.
    """
    speaks = weights * (edge_views - np.median(reference, axis=0))
    below = percent_below(edge_views, reference)
    against = speaks.argmin(axis=1)
    rows = np.arange(len(speaks))
    alike = below[rows, against] >= _ALIKE
    column = np.where(alike, speaks.argmax(axis=1), against)
    percent = below[rows, column]
    # Few distinct texts serve a million edges: one per view, whole percent, and whether an end is a leaf.
    share = np.floor(np.where(percent >= _ALIKE, percent, 100.0 - percent)).astype(np.int64)
    shape = (len(columns), 101, 2, 2)
    codes = np.ravel_multi_index((column, share, (percent >= _ALIKE).astype(int), leaf.astype(int)), shape)
    codes = np.where(speaks.any(axis=1), codes, np.prod(shape))
    distinct, which = np.unique(codes, return_inverse=True)
    texts = [_SILENT if code == np.prod(shape) else _code_in_words(columns, code, shape) for code in distinct]
    return CodedReasons(np.array(texts, dtype=object), which.ravel(), percent < _ALIKE)


def _code_in_words(columns: Sequence[str], code: int, shape: tuple[int, ...]) -> str:
    column, share, alike, leaf = (int(part) for part in np.unravel_index(code, shape))
    return _in_words(columns[column], share, bool(alike), bool(leaf))


def differing_features(graph: Graph, edges: Ints) -> Texts:
    """(len(edges),) the one or two named features in which the ends differ most, as the end of a reason.

    Parameters
    ----------
    graph : has names for its features.
    edges : numbers of edges.
    """
    space, names, typical = centered_space(graph), named_columns(graph), typical_gaps(graph.features)
    shown = min(_NAMED_FEATURES, len(names))
    said = np.empty(len(edges), dtype=object)
    for chunk in chunks(len(edges), _EDGE_BLOCK):
        pairs = graph.edges[edges[chunk]]
        speaks = _by_column(graph, _speech(graph, space, typical, pairs), pairs)
        worst = np.argsort(speaks, axis=1, kind="stable")[:, :shown]
        differs = np.take_along_axis(speaks, worst, axis=1) < 0
        said[chunk] = [
            _differ([names[c] for c, is_so in zip(row, flags, strict=True) if is_so])
            for row, flags in zip(worst.tolist(), differs.tolist(), strict=True)
        ]
    return said


def named_columns(graph: Graph) -> list[str]:
    """What people call the features: the columns of their table, each once, or the features' own names."""
    if graph.own_values is not None:
        return [column.name for column in graph.own_values.columns]
    return list(graph.feature_names or ())


def _by_column(graph: Graph, speaks: Array, pairs: Ints) -> Array:
    """(P, C) what each column of the caller's table adds: the sum over the features that were made of it.

    Where an end has no value, the column says nothing.
    """
    if graph.own_values is None:
        return speaks
    made_from = graph.own_values.made_from
    sums = np.zeros((len(speaks), len(graph.own_values.columns)))
    for feature, column in enumerate(made_from.tolist()):
        sums[:, column] += speaks[:, feature]
    for place, column in enumerate(graph.own_values.columns):
        sums[column.is_missing(pairs).any(axis=1), place] = 0.0
    return sums


def _speech(graph: Graph, space: CenteredFeatures, typical: Array | None, pairs: Ints) -> Array:
    """(P, F) what each feature adds to the inner product of the ends, as far as it makes sense to people.

    Two ends on one side of the mean may be far apart, and two on different sides of it close together. So values
    nearer than those of most pairs never speak against a pair, and values farther apart never for it.
    """
    speaks = space.rows(pairs[:, 0]) * space.rows(pairs[:, 1])
    first, second = _rows(graph, pairs[:, 0]), _rows(graph, pairs[:, 1])
    gap = np.abs(first / 2 - second / 2) * 2
    near, far = gap == 0, np.zeros(gap.shape, dtype=bool)
    if typical is not None:
        near, far = near | (gap < typical), (gap > typical) & (typical > 0)
    return np.where(near, np.maximum(speaks, 0.0), np.where(far, np.minimum(speaks, 0.0), speaks))


def _differ(names: Sequence[str]) -> str:
    return f"; they differ in {', '.join(names)}" if names else ""


def _in_words(view: str, percent: int, alike: bool, leaf: bool) -> str:
    most = _share_in_words(percent, "links")
    return f"{view}: {'more' if alike else 'less'} alike than {most}" + (_NO_OTHER_LINK if leaf else "")


def readings_in_words(readings: Sequence[Reading]) -> tuple[str, ...]:
    """One sentence per reading that carries weight, the weightiest first.

    >>> readings_in_words([Reading("own features", 0.5, -0.2, 0.1, 3.0, 40.0)])
    ('Own features: agreement -0.20 (0.10 with the edge itself), less alike than 97 % of links and ...',)
    """
    ordered = sorted(readings, key=lambda reading: -reading.weight)
    return tuple(_sentence(reading) for reading in ordered if reading.weight > 0)


def _sentence(reading: Reading) -> str:
    name = reading.view[0].upper() + reading.view[1:]
    links, random = _compared(reading.above_links, "links"), _compared(reading.above_random, "random pairs")
    agreement = f"{reading.without_edge:.2f} ({reading.with_edge:.2f} with the edge itself)"
    return f"{name}: agreement {agreement}, {links} and {random}."


def _compared(percent: float, others: str) -> str:
    if percent >= _ALIKE:
        return f"more alike than {_share_in_words(percent, others)}"
    return f"less alike than {_share_in_words(100 - percent, others)}"


def _share_in_words(percent: float, others: str) -> str:
    return f"nearly all {others}" if percent >= 99 else f"{int(percent)} % of {others}"


def feature_readings(graph: Graph, edge: Ints) -> tuple[tuple[FeatureReading, ...], tuple[FeatureReading, ...]]:
    """The features in which the ends agree most, and those in which they differ most."""
    space = centered_space(graph)
    scale = float(np.prod(np.linalg.norm(space.rows(edge), axis=1)))
    if scale == 0.0:
        return (), ()
    speech = _speech(graph, space, typical_gaps(graph.features), edge[None, :])
    speaks = _by_column(graph, speech, edge[None, :])[0] / scale
    order = np.argsort(-speaks, kind="stable")
    most, least = order[:_SHOWN_FEATURES], order[::-1][:_SHOWN_FEATURES]

    def read(columns: Ints) -> tuple[FeatureReading, ...]:
        return tuple(_feature_reading(graph, edge, column, float(speaks[column])) for column in columns.tolist())

    return read(most[speaks[most] > 0]), read(least[speaks[least] < 0])


def _feature_reading(graph: Graph, edge: Ints, column: int, speaks: float) -> FeatureReading:
    first, second = edge.tolist()
    if graph.own_values is not None:
        own = graph.own_values.columns[column]
        return FeatureReading(own.name, own.value(first), own.value(second), speaks)
    values = float(graph.features[first, column]), float(graph.features[second, column])
    return FeatureReading(feature_name(graph, column), *values, speaks)


def feature_name(graph: Graph, column: int) -> str:
    """The column's name, or its number where nobody named it."""
    return f"feature {column}" if graph.feature_names is None else graph.feature_names[column]


def _rows(graph: Graph, nodes: Ints) -> Array:
    rows = graph.features[nodes]
    return rows if isinstance(rows, np.ndarray) else rows.toarray()
