"""Nodes by name with what is known about each: features, their names, labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from kces.features.own_values import OwnValues
from kces.features.prepare import PreparedFeatures, with_unknown_rows
from kces.types import Features, Ints, Values

__all__ = ["MAX_UNKNOWN", "NodeRows"]

MAX_UNKNOWN = 0.1
"""Up to this share of an edge list's nodes may lack a row in the table; beyond, the wrong table is more likely."""


@dataclass(frozen=True, eq=False)
class NodeRows:
    """One row per node.

    Attributes
    ----------
    ids : the nodes' names as text.
    features : a matrix with as many rows, or None.
    feature_names : what its columns are, or None.
    labels : class of each, or None.
    notes : what was done to the features, one line each.
    own_values : the table's columns as they were handed in, or None.
    """

    ids: Values
    features: Features | None = None
    feature_names: tuple[str, ...] | None = None
    labels: Ints | None = None
    notes: list[str] = field(default_factory=list)
    own_values: OwnValues | None = None

    def taken(self, order: Ints) -> NodeRows:
        """The given rows in that order."""
        return replace(
            self,
            ids=self.ids[order],
            features=None if self.features is None else self.features[order],
            labels=None if self.labels is None else self.labels[order],
            own_values=None if self.own_values is None else self.own_values.taken(order),
        )

    def may_lack(self, unknown: int, nodes: int) -> bool:
        """Whether ``unknown`` of ``nodes`` without a row are few enough to fill in."""
        is_table = self.feature_names is not None or self.features is None
        return is_table and unknown <= MAX_UNKNOWN * nodes

    def with_unknown(self, names: Values) -> NodeRows:
        """These and rows for nodes of which nothing is known: medians, a column that marks them, no class."""
        if not len(names):
            return self
        more = replace(self, ids=np.concatenate([self.ids, names]))
        if self.labels is not None:
            more = replace(more, labels=np.concatenate([self.labels, np.full(len(names), -1)]))
        if isinstance(self.features, np.ndarray) and self.feature_names is not None and self.own_values is not None:
            known = PreparedFeatures(self.features, list(self.feature_names), self.notes, self.own_values)
            prepared = with_unknown_rows(known, len(names))
            note = f"{len(names)} node(s) without a row filled with medians and marked, such as {names[0]}"
            more = replace(
                more,
                features=prepared.matrix,
                feature_names=tuple(prepared.names),
                notes=[*self.notes, note],
                own_values=prepared.own,
            )
        return more
