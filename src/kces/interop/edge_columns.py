"""Edges given as two columns of names: which nodes, in which order, described by which table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidGraphError
from kces.features.missing import MISSING_WORDS
from kces.graph import Graph
from kces.interop.doubtful_ids import near_name, warn_of_doubtful_ids
from kces.interop.node_columns import warn_of_missing, without_zero_decimals
from kces.interop.node_rows import NodeRows
from kces.interop.node_table import NodeTable
from kces.interop.outputs import plain_name
from kces.interop.records import count_weights
from kces.text_ids import text_ids
from kces.types import Bools, Ints, Values

__all__ = ["EndColumns", "integer_ids", "plain_ids"]


def integer_ids(names: Values) -> Ints | None:
    """The names as integers if all of them are (``007`` is not: it would not come back as it was).

    >>> integer_ids(np.array(["3", "-1"], dtype=object)).tolist(), integer_ids(np.array(["007"]))
    ([3, -1], None)
    """
    try:
        numbers = [int(name) for name in names]
        if all(str(number) == name for number, name in zip(numbers, names, strict=True)):
            return np.array(numbers, dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    return None


def plain_ids(names: Values) -> Values | None:
    """Node ids for a graph from names as text: None if they only count 0 … N-1, integers where all are."""
    numbers = integer_ids(names)
    if numbers is None:
        return text_ids(names)
    return None if np.array_equal(numbers, np.arange(len(numbers))) else numbers


_TOTALS = frozenset({"total", "totals", "grand total", "subtotal", "sum", "summe", "gesamt", "somme", "suma"})
"""How the last row of a table begins that adds up the others."""


@dataclass(frozen=True)
class EndColumns:
    """The two ends of every record, as names.

    ``where`` says where a record stands in the file, and ``names`` what the two columns are called, for messages.
    """

    sources: Values
    targets: Values
    where: Callable[[int], str]
    names: tuple[str, str] | None = None

    def to_graph(
        self,
        path: Path,
        table: NodeTable | None,
        labels: Ints | None,
        weights: npt.ArrayLike | None = None,
    ) -> tuple[Graph, Ints, tuple[str, ...]]:
        """The graph, each record's pair of node numbers in it, and what was done to the features."""
        if not len(self.sources):
            raise InvalidGraphError(f"{path} has no rows: the graph has no nodes")
        rows, pairs = self.numbered(path, table)
        graph = Graph.from_edges(
            pairs,
            rows.features,
            n_nodes=len(rows.ids),
            labels=rows.labels if labels is None else labels,
            node_ids=plain_ids(rows.ids),
            feature_names=rows.feature_names,
            own_values=rows.own_values,
            name=plain_name(path).stem,
            weighted=0 if weights is None else count_weights(weights),
        )
        return graph, pairs, tuple(rows.notes)

    def numbered(self, path: Path, table: NodeTable | None) -> tuple[NodeRows, Ints]:
        """All nodes, integers by value and words as they come, and each record's pair of node numbers."""
        codes, found = pd.factorize(np.concatenate(_whole_where_all_are(self.sources, self.targets)))
        names = np.array([str(name) for name in found], dtype=object)
        ends = codes.reshape(2, -1).T
        if "" in names:
            record = int((names[ends] == "").any(axis=1).argmax())
            total = " (a total?)" if record == len(ends) - 1 else ""
            raise InvalidGraphError(
                f"{path} {self.where(record)} has an empty node id{total}; fill it in or delete the row"
            )
        if any("\0" in name for name in names):
            record = int(np.array(["\0" in name for name in names])[ends].any(axis=1).argmax())
            raise InvalidGraphError(f"{path} {self.where(record)} has a node id with a NUL in it, which is no text")
        self._refuse_no_edges(path, names, ends)
        self._warn_of_missing(path, names, ends)
        warn_of_doubtful_ids(names, path)
        rows = NodeRows(names) if table is None else self._described(path, names, ends, table)
        rows = rows.taken(_order(rows.ids))
        number_of = pd.Index(rows.ids).get_indexer(pd.Index(names))
        return rows, number_of[ends].astype(np.int64).reshape(-1, 2)

    def _refuse_no_edges(self, path: Path, names: Values, ends: Ints) -> None:
        """A total below the table, and the rule below the names of a Markdown table."""
        text = pd.Series(names, dtype=object)
        rules = text.str.fullmatch(r":?-{3,}:?").to_numpy(dtype=bool)
        if rules.any():
            record = int(rules[ends].any(axis=1).argmax())
            raise InvalidGraphError(f"{path} {self.where(record)} is a rule between lines and no edge; delete it")
        if len(ends) < 2:
            return
        first, second = names[ends[-1]]
        others_name_them = np.isin(ends[:-1], ends[-1]).any()
        if first.lower() in _TOTALS and not others_name_them:
            raise InvalidGraphError(
                f"{path} {self.where(len(ends) - 1)} is an edge from {first!r} to {second!r} (a total?); delete the"
                " row, or give the node another name"
            )

    def _warn_of_missing(self, path: Path, names: Values, ends: Ints) -> None:
        """A node called NaN is rather no node at all, but may be one: NA is a country."""
        suspects = pd.Series(names).str.lower().isin(MISSING_WORDS).to_numpy()
        if suspects.any():
            warn_of_missing(path, names[suspects.argmax()], suspects[ends].any(axis=1), self.where)

    def _refuse_one_sided(self, path: Path, names: Values, ends: Ints, strange: Bools, table: NodeTable) -> None:
        """Links between customers and shops with a table of customers alone: no slip in a name, but one kind of two."""
        sides = strange[ends].T
        lacks_all, lacks_some = [bool(side.all()) for side in sides], [bool(side.any()) for side in sides]
        if not table.names_nodes or lacks_all != lacks_some or lacks_all[0] == lacks_all[1]:
            return
        first, second = (f"column {name}" for name in self.names) if self.names else ("the first end", "the second end")
        missing, there = (first, second) if lacks_all[0] else (second, first)
        raise InvalidGraphError(
            f"{path}: all {int(strange.sum())} nodes of {missing} are missing in {table.path}"
            f" (such as {names[strange.argmax()]}), all of {there} are there; add rows for them with features"
            f" that both kinds have, link nodes of {there} that share one of {missing}, or score without features"
        )

    def _described(self, path: Path, names: Values, ends: Ints, table: NodeTable) -> NodeRows:
        """The rows of the table, those of isolated nodes too, and rows for the few nodes it does not know."""
        if not table.names_nodes and integer_ids(names) is None:
            raise InvalidGraphError(
                f"{path} names its nodes with words, so {table.path} cannot tell which row is whose;"
                " give the features as a table with a column of node ids"
            )
        rows = table.rows_for(names)
        strange = ~pd.Index(names).isin(rows.ids)
        if strange.any() and not rows.may_lack(int(strange.sum()), len(names)):
            record = int(strange[ends].any(axis=1).argmax())
            source, target = names[ends[record]]
            stranger = source if strange[ends[record, 0]] else target
            hint = near_name(stranger, rows.ids)
            if not hint:
                self._refuse_one_sided(path, names, ends, strange, table)
            raise InvalidGraphError(
                f"{path} {self.where(record)}: edge {source} - {target} names node {stranger},"
                f" which is not among the {len(rows.ids)} nodes of {table.path}"
                f" ({int(strange.sum())} of {len(names)} nodes are not){hint}"
            )
        unlinked = ~pd.Index(rows.ids).isin(names)
        if table.names_nodes and unlinked.any():
            note = f"{int(unlinked.sum())} of {len(rows.ids)} rows are nodes without a link, such as"
            rows = replace(rows, notes=[*rows.notes, f"{note} {rows.ids[unlinked.argmax()]}"])
        return rows.with_unknown(names[strange])


def _whole_where_all_are(*columns: Values) -> list[Values]:
    """Node names as they are, or whole numbers where all are such and some columns have them with decimals (1.0)."""
    texts = [pd.Series(column, dtype=object) for column in columns]
    whole = [without_zero_decimals(text) for text in texts]
    if all(one is text for one, text in zip(whole, texts, strict=True)):
        return list(columns)
    found = [one.to_numpy(dtype=object) for one in whole]
    return list(columns) if integer_ids(np.concatenate(found)) is None else found


def _order(names: Values) -> Ints:
    """Integers by value, words as they come."""
    numbers = integer_ids(names)
    return np.arange(len(names)) if numbers is None else np.argsort(numbers, kind="stable")
