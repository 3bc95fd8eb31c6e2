"""Attributes of nodes, as NetworkX and igraph keep them, as features and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd

from kces.errors import InvalidGraphError, KCESError
from kces.features import prepare_features
from kces.features.encode import encode_column
from kces.features.own_values import OwnValues
from kces.interop.feature_notes import say_about_features
from kces.interop.node_columns import ID_NAMES
from kces.interop.node_labels import LABEL_NAMES, class_numbers
from kces.types import Array, Bools, Ints, Values

__all__ = ["AttributeFeatures", "NodeAttributes", "id_array"]

_NO_FEATURES = LABEL_NAMES | ID_NAMES | {"train_mask", "val_mask", "test_mask"}


@dataclass(frozen=True, eq=False)
class AttributeFeatures:
    """Features from attributes: ``matrix`` (nodes x features) or None for the graph alone, and what its columns are."""

    matrix: Array | None = None
    names: list[str] | None = None
    own: OwnValues | None = None


@dataclass(frozen=True)
class NodeAttributes:
    """All attributes of all nodes.

    Attributes
    ----------
    nodes : the nodes' names, for messages.
    columns : of each attribute one value per node, None where a node lacks it.
    linked : (N,) which nodes have a link, and so a say in the scale of a column; default all.
    """

    nodes: Sequence[object]
    columns: dict[str, list[object]]
    linked: Bools | None = None

    def labels(self, name: str | None) -> Ints | None:
        """The attribute ``name`` as classes."""
        if name is None:
            return None
        values = np.empty(len(self.nodes), dtype=object)
        values[:] = self._complete(name)
        return class_numbers(values, f"node attribute {name!r}")

    def features(self, names: Sequence[str] | None, scale: str, label: str | None = None) -> AttributeFeatures:
        """The attributes ``names`` (empty: none), or all that can be features, prepared like the columns of a table.

        See :func:`kces.features.prepare_features`; attributes with lists come last, and ``label`` is none of all.
        One warning line says what was left out or done.

        >>> people = NodeAttributes(["ann", "bob"], {"x": [[1, 2], [3, 4]], "vip": [True, False]})
        >>> found = people.features(None, "auto")
        >>> found.names, found.matrix.tolist()
        (['vip', 'x[0]', 'x[1]'], [[1.0, 1.0, 2.0], [0.0, 3.0, 4.0]])
        """
        notes: list[str] = []
        asked_for = names
        if names is None:
            names = [name for name in self._usable(notes) if name != label]
            notes += [] if names else ["no node attribute can be a feature: the graph alone is used"]
        if not names:
            say_about_features(notes)
            return AttributeFeatures()
        columns = {name: self._column(name) for name in names}
        in_order = sorted(columns, key=lambda name: _holds_lists(columns[name]))
        frame = pd.DataFrame({name: columns[name] for name in in_order})
        prepared = prepare_features(frame, columns=asked_for, scale=scale, counted=self.linked)
        say_about_features([*notes, *prepared.notes])
        return AttributeFeatures(prepared.matrix, prepared.names, prepared.own)

    def _usable(self, notes: list[str]) -> list[str]:
        """Attributes that are not called id or class and that can be encoded; the others are noted."""
        chosen = []
        for name in self.columns:
            if name.lower() in _NO_FEATURES or (name.lower() == "y" and not self._is_coordinate(name)):
                continue
            try:
                if encode_column(name, self._column(name)).names:
                    chosen.append(name)
            except KCESError as error:
                notes.append(f"left out, {str(error).partition(';')[0]}")
        return chosen

    def _is_coordinate(self, name: str) -> bool:
        """Whether ``y`` stands beside an ``x`` that is one number; beside a list of features it is the class."""
        beside = self.columns.get("x" if name == "y" else "X", [])
        return any(isinstance(value, Real) for value in beside)

    def _column(self, name: str) -> pd.Series:
        """One cell per node, None where it lacks the attribute; numbers of all types are floating-point numbers."""
        values = self.columns.get(name, [])
        known = [value for value in values if value is not None]
        if not known:
            raise InvalidGraphError(f"no node has an attribute {name!r}")
        if all(isinstance(value, (Real, np.bool_)) for value in known):
            try:
                return pd.Series(values, index=_labels_of(self.nodes), dtype=np.float64)
            except (TypeError, OverflowError) as error:
                raise InvalidGraphError(f"node attribute {name!r} holds a number that is too large") from error
        return pd.Series(values, index=_labels_of(self.nodes))

    def _complete(self, name: str) -> list[object]:
        values = self.columns.get(name, [None] * len(self.nodes))
        for node, value in zip(self.nodes, values, strict=True):
            if value is None:
                raise InvalidGraphError(f"node {node!r} has no attribute {name!r}")
        return values


def _holds_lists(column: pd.Series) -> bool:
    return column.dtype == object and any(isinstance(cell, (list, tuple, np.ndarray)) for cell in column)


def _labels_of(nodes: Sequence[object]) -> pd.Index:
    """The nodes' names as an index of objects, for messages: pandas would take tuples apart."""
    return pd.Index(id_array(nodes), dtype=object, tupleize_cols=False)


def id_array(nodes: Sequence[object]) -> Values:
    """Names as an array that keeps their types: numpy would turn ``[1, "a"]`` into text.

    >>> id_array([1, (2, 3)]).tolist()
    [1, (2, 3)]
    """
    if {type(node) for node in nodes} in ({int}, {str}):
        try:
            return np.array(nodes)
        except OverflowError:
            pass
    ids = np.empty(len(nodes), dtype=object)
    ids[:] = nodes
    return ids
