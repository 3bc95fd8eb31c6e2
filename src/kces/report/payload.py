"""Everything that the page shows, as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from kces.cut import Cut
from kces.graph import Graph
from kces.report.about import Origin, accuracies, cut_facts, graph_and_score_facts
from kces.report.distribution import score_distribution, view_summaries
from kces.report.held import Held, in_order_of_removal
from kces.report.numbers import Json
from kces.report.pruning_curves import pruning_curves
from kces.report.shown_graph import (
    edges_as_columns,
    ends_as_table,
    hot_nodes,
    neighborhood_as_columns,
    nodes_as_columns,
    shown_graph,
)
from kces.scorers.scored import Scored
from kces.types import Bools

__all__ = ["report_payload"]

_FORMAT = 1


def report_payload(
    scored: Scored,
    cut: Cut,
    *,
    injected: Bools | None = None,
    clean: Graph | None = None,
    held: Held | None = None,
    mode: str = "report",
    command: str = "",
    reading: Sequence[str] = (),
    seconds: float = 0.0,
    seed: int = 0,
) -> Json:
    """The document behind a report: small whatever the graph, since it carries histograms and the worst edges alone.

    Parameters
    ----------
    scored, cut : what is reported.
    injected : (E,) mask of the edges that are known to be harmful, for precision and recall.
    clean : the graph before an attack, for its accuracy.
    held : marks that ``cut`` holds.
    mode : ``report``, or ``explore`` for a page with a server behind it.
    command : what was typed, to be shown.
    reading : how the files were read, one line each.
    seconds : time that reading and scoring took.
    seed : of everything random.

    Examples
    --------
    >>> from kces import score
    >>> from kces.datasets.toys import barbell
    >>> scored = score(barbell())
    >>> payload = report_payload(scored, scored.cut(0.1))
    >>> payload["cut"]["removed"], payload["total_edges"], payload["edges"]["rank"][:3]
    (3, 21, [1, 2, 3])
    """
    graph, cut = scored.graph, in_order_of_removal(cut)
    shown = shown_graph(graph, cut)
    origin = Origin(command, tuple(reading), seconds, seed)
    return {
        "format": _FORMAT,
        "mode": mode,
        "about": graph_and_score_facts(scored, cut, origin),
        "cut": cut_facts(cut),
        "distribution": score_distribution(scored, cut.kept),
        "alphas": pruning_curves(scored, cut.rank, injected=injected, held=held),
        "accuracy": accuracies(graph, cut, clean),
        "views": view_summaries(scored),
        "nodes": nodes_as_columns(scored, shown),
        "edges": edges_as_columns(scored, cut, shown, injected),
        "table": ends_as_table(graph, shown),
        "shown_edges": len(shown.edges),
        "total_edges": graph.n_edges,
        "neighborhood": neighborhood_as_columns(graph, cut, shown),
        "hot_nodes": hot_nodes(graph, shown),
    }
