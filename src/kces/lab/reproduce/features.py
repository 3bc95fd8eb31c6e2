"""Perturbed features: what KCES was not made for, and how it then fares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.datasets.attacked import AttackedGraph
from kces.types import Features

__all__ = ["perturb_features", "with_perturbed_features"]


def with_perturbed_features(attacked: AttackedGraph, share: float, seed: int = 0) -> AttackedGraph:
    """The same edges with a share of the features perturbed, in the clean graph too: only edges are undone."""
    features = perturb_features(attacked.graph.features, share, seed)
    graph, clean = replace(attacked.graph, features=features), replace(attacked.clean, features=features)
    return replace(attacked, graph=graph, clean=clean)


def perturb_features(features: Features, share: float, seed: int = 0) -> Features:
    """A share of the non-zero entries handed to other nodes, within each column.

    In a bag of words that is a pair of bit flips: one node loses the word, another gets it. How often each
    feature occurs stays as it is, so no column gives the perturbation away.

    >>> words = sp.csr_array(np.eye(4))
    >>> float(perturb_features(words, 0.5).sum())
    4.0
    """
    generator = np.random.default_rng(seed)
    if sp.issparse(features):
        return _move_entries(sp.coo_array(features), share, generator)
    return _shuffle_within_columns(np.array(features), share, generator)


def _move_entries(matrix: sp.coo_array, share: float, generator: np.random.Generator) -> sp.csr_array:
    n_rows, n_columns = matrix.shape
    columns = matrix.col.astype(np.int64)
    places = matrix.row.astype(np.int64) * n_columns + columns
    wishes = generator.integers(0, n_rows, matrix.nnz) * n_columns + columns
    # Only free places are given away, each once; whoever finds none stays, so that no entry is lost or summed.
    first = np.zeros(matrix.nnz, dtype=bool)
    first[np.unique(wishes, return_index=True)[1]] = True
    moved = (generator.random(matrix.nnz) < share) & first & ~np.isin(wishes, places)
    rows = np.where(moved, wishes, places) // n_columns
    # As wide as they came: scikit-learn clusters no sparse rows with 64-bit indices.
    return sp.csr_array((matrix.data, (rows.astype(matrix.row.dtype), matrix.col)), shape=matrix.shape)


def _shuffle_within_columns(
    values: npt.NDArray[np.float64], share: float, generator: np.random.Generator
) -> npt.NDArray[np.float64]:
    for column in range(values.shape[1]):
        rows = np.flatnonzero(generator.random(len(values)) < share)
        values[rows, column] = values[generator.permutation(rows), column]
    return values
