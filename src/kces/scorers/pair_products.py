"""Inner products of the rows of a graph's hops, at its nodes and at pairs of them: what the routes to them hand on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from kces.scorers.centered_features import NOTHING, CenteredFeatures
from kces.types import Array, Ints

__all__ = ["HopProducts", "centered_products", "three_hops"]


@dataclass(frozen=True)
class HopProducts:
    """Inner products of the rows of X, Z = TX and S = T²X.

    Attributes
    ----------
    at_nodes : (N, 3, 3) of each node that is an end of a pair with itself.
    sizes : (N, 3) squared lengths to which the rounding of the products is relative.
    at_pairs : (P, 3, 3) of the first end's rows with the second end's.
    """

    at_nodes: Array
    sizes: Array
    at_pairs: Array

    @classmethod
    def of_rows(cls, at_nodes: Array, at_pairs: Array) -> HopProducts:
        """Products of rows that were formed: their rounding is relative to their own lengths."""
        return cls(at_nodes, np.einsum("naa->na", at_nodes), at_pairs)

    def at(self, which: Ints) -> HopProducts:
        """The same at some of the pairs."""
        return replace(self, at_pairs=self.at_pairs[which])

    def without_rounding(self) -> HopProducts:
        """Squared lengths that are nothing beside what they were summed from become zero, in place.

        >>> ones = np.ones((1, 3, 3))
        >>> HopProducts(1e-15 * ones, ones[:, 0], ones).without_rounding().at_nodes.diagonal(0, 1, 2).tolist()
        [[0.0, 0.0, 0.0]]
        """
        for a in range(3):
            squares = self.at_nodes[:, a, a]
            squares[squares <= NOTHING * self.sizes[:, a]] = 0.0
        return self


def centered_products(T: sp.csr_array, features: CenteredFeatures, pairs: Ints, products: HopProducts) -> HopProducts:
    """Take the mean row out of products of rows as they are, in place.

    Parameters
    ----------
    T : propagation matrix.
    features : whose mean it is.
    pairs : (P, 2) nodes.
    products : of the rows that are not centered.
    """
    mean = features.mean
    along, masses = three_hops(T, features.matrix @ mean), three_hops(T, features.present)
    square = float(mean @ mean)
    everyone = np.repeat(np.arange(len(masses))[:, None], 2, axis=1)
    for table, ends in ((products.at_pairs, pairs), (products.at_nodes, everyone)):
        _center(table, along, masses, square, ends)
    return replace(products, sizes=products.sizes + square * masses**2)


def three_hops(T: sp.csr_array, vector: Array) -> Array:
    """``(N, 3)``: the vector, T times it and T² times it."""
    once = T @ vector
    return np.stack([vector, once, T @ once], axis=1)


def _center(products: Array, along: Array, masses: Array, square: float, pairs: Ints) -> None:
    """Take the mean's part out of products between rows ``r − p m``, in place."""
    first, second = pairs.T
    for a, b in np.ndindex(3, 3):
        mass_a, mass_b = masses[first, a], masses[second, b]
        products[:, a, b] -= mass_b * along[first, a] + mass_a * along[second, b] - square * mass_a * mass_b
