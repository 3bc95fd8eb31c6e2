"""Attributes of nodes, as NetworkX and igraph keep them, as features and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from kces.errors import InvalidGraphError
from kces.features import prepare_features
from kces.interop.feature_notes import say_about_features
from kces.interop.node_columns import ID_NAMES
from kces.interop.node_labels import LABEL_NAMES, class_numbers
from kces.types import Array, Ints

__all__ = ["MISSING", "AttributeFeatures", "NodeAttributes", "id_array"]

MISSING = object()
"""Stands where a node lacks an attribute."""

_NO_FEATURES = LABEL_NAMES | ID_NAMES | {"y", "train_mask", "val_mask", "test_mask"}


@dataclass(frozen=True, eq=False)
class AttributeFeatures:
    """Features from attributes: ``matrix`` (nodes x features) or None for the graph alone, and its columns' names."""

    matrix: Array | None = None
    names: list[str] | None = None


@dataclass(frozen=True)
class NodeAttributes:
    """All attributes of all nodes.

    Attributes
    ----------
    nodes : the nodes' names, for messages.
    columns : of each attribute one value per node, :data:`MISSING` where a node lacks it.
    """

    nodes: Sequence[object]
    columns: dict[str, list[object]]

    def labels(self, name: str | None) -> Ints | None:
        """The attribute ``name`` as classes."""
        if name is None:
            return None
        values = np.empty(len(self.nodes), dtype=object)
        values[:] = self._complete(name)
        return class_numbers(values, f"node attribute {name!r}")

    def features(self, names: Sequence[str] | None, scale: str) -> AttributeFeatures:
        """The attributes ``names`` (empty: none), or all with a number, or a list of one length, on every node.

        Numbers are prepared like the columns of a table (:func:`kces.features.prepare_features`) and come first;
        lists stand as they are. One warning line says what was left out or done.

        >>> people = NodeAttributes(["ann", "bob"], {"vip": [True, False], "x": [[1, 2], [3, 4]], "team": ["a", "b"]})
        >>> found = people.features(None, "auto")
        >>> found.names, found.matrix.tolist()
        (['vip', 'x[0]', 'x[1]'], [[1.0, 1.0, 2.0], [0.0, 3.0, 4.0]])
        """
        notes: list[str] = []
        if names is None:
            names = self._numeric(notes)
            notes += [] if names else ["no numeric node attribute found: the graph alone is used"]
        if not names:
            say_about_features(notes)
            return AttributeFeatures()
        blocks = {name: _numbers(self._complete(name), name) for name in names}
        single = pd.DataFrame({name: block for name, block in blocks.items() if block.ndim == 1})
        lists = {name: block for name, block in blocks.items() if block.ndim == 2}
        columns = [f"{name}[{position}]" for name, block in lists.items() for position in range(block.shape[1])]
        if single.empty:
            say_about_features(notes)
            return AttributeFeatures(np.hstack(list(lists.values())), columns)
        prepared = prepare_features(single, scale=scale)
        say_about_features([*notes, *prepared.notes])
        return AttributeFeatures(np.hstack([prepared.matrix, *lists.values()]), [*prepared.names, *columns])

    def _numeric(self, notes: list[str]) -> list[str]:
        chosen = []
        for name, values in self.columns.items():
            known = [value for value in values if value is not MISSING]
            if name.lower() in _NO_FEATURES or not known or not _are_numbers(known):
                continue
            if len(known) == len(values):
                chosen.append(name)
            else:
                notes.append(f"attribute {name!r} is left out, {len(values) - len(known)} node(s) lack it")
        return chosen

    def _complete(self, name: str) -> list[object]:
        values = self.columns.get(name, [MISSING] * len(self.nodes))
        for node, value in zip(self.nodes, values, strict=True):
            if value is MISSING:
                raise InvalidGraphError(f"node {node!r} has no attribute {name!r}")
        return values


def _are_numbers(values: Sequence[object]) -> bool:
    """Whether all are numbers, or all lists of numbers of one length above 0."""
    if all(isinstance(value, (Real, np.bool_)) for value in values):
        return True
    if not all(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        return False
    try:
        block = np.array(values)
    except ValueError:  # lists of different lengths
        return False
    return block.ndim == 2 and block.shape[1] > 0 and block.dtype.kind in "biuf"


def _numbers(values: Sequence[object], name: str) -> Array:
    """One number per node, or a matrix where each node has a list."""
    try:
        block = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        block = np.empty(0)
    if block.ndim not in (1, 2) or len(block) != len(values):
        raise InvalidGraphError(f"node attribute {name!r} must be a number, or a list of one length, on every node")
    return block


def id_array(nodes: Sequence[object]) -> npt.NDArray[Any]:
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
