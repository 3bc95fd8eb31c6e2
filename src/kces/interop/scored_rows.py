"""Results of edges put back beside the rows that the user has: joined, in their order or ranked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.interop.edge_records import EdgeRecords
from kces.interop.formats.base import plain_edges
from kces.types import Ints

__all__ = ["ORDERS", "check_order", "result_names", "scored_rows"]

ORDERS = ("ranked", "input")
_LACKING = {"b": "boolean", "i": "Int64", "u": "Int64"}


def scored_rows(
    graph: Graph,
    results: pd.DataFrame,
    records: EdgeRecords | None = None,
    *,
    order: str = "ranked",
    typed: bool = True,
) -> pd.DataFrame:
    """One row for every row of the input, with all its columns and the results of its edge.

    Both directions and all duplicates of an edge share its results; a self-loop is no edge and has none.

    Parameters
    ----------
    graph : the scored graph.
    results : one row per edge, in the order of ``graph.edges``; its column ``rank`` gives the ranked order.
    records : the rows of the file (:attr:`LoadedGraph.records`); without, the edges themselves are the rows.
    order : ``"ranked"``, most suspicious first and self-loops last, or ``"input"``.
    typed : whether numbers in a text file become numbers; else its cells stay text, as they were.

    Examples
    --------
    >>> graph = Graph.from_edges([[0, 1], [1, 2]])
    >>> scored_rows(graph, pd.DataFrame({"score": [0.1, 0.9], "rank": [2, 1]}))
       source  target  score  rank
    0       1       2    0.9     1
    1       0       1    0.1     2
    """
    check_order(order)
    if len(results) != graph.n_edges:
        raise InvalidParameterError(f"results of {len(results)} edges given, but the graph has {graph.n_edges}")
    if records is None:
        rows, edge = plain_edges(graph), np.arange(graph.n_edges)
    else:
        rows, edge = records.values() if typed else records.frame, records.edge_numbers(graph)
    joined = _results_of(results, edge)
    names = result_names(list(rows.columns), list(results.columns))
    table = pd.concat([rows.reset_index(drop=True), joined.set_axis(names, axis=1)], axis=1)
    if order == "ranked":
        table = table.iloc[joined["rank"].astype("float64").argsort(kind="stable")]
    return table.reset_index(drop=True)


def check_order(order: str) -> str:
    """``order`` if it is one of the two, else an error."""
    if order not in ORDERS:
        raise InvalidParameterError(f"order must be one of {', '.join(ORDERS)}; got {order!r}")
    return order


def result_names(taken: Sequence[str], results: Sequence[str]) -> list[str]:
    """Names for the columns of results beside columns that are ``taken``: kces_score where there is a score already.

    >>> result_names(["source", "target", "Score"], ["score", "rank"])
    ['kces_score', 'rank']
    """
    used = {str(name).lower() for name in taken}
    names = []
    for name in results:
        while name.lower() in used:
            name = f"kces_{name}"
        names.append(name)
    return names


def _results_of(results: pd.DataFrame, edge: Ints) -> pd.DataFrame:
    """The results of each row's edge, or nothing, in types that keep whole numbers and flags beside gaps."""
    plain = results.reset_index(drop=True)
    if (edge >= 0).all():
        return plain.iloc[edge].reset_index(drop=True)
    can_lack = {name: _LACKING.get(column.dtype.kind, column.dtype) for name, column in plain.items()}
    return plain.astype(can_lack).reindex(edge).reset_index(drop=True)
