"""Clusters in an order that comes from what is in them: their numbers come by chance, and linear codes follow them.

The paper maps clusters to numbers between -1 and 1 and leaves open which gets which. Here they are placed along the
first principal direction of their centers, each center weighted by the number of its nodes: like clusters get like
codes. The sign of the direction changes no complexity; it is set so that the longer tail has the high numbers.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from kces.types import Array, Features, Ints, is_sparse

__all__ = ["cluster_centers", "in_order_of_centers"]


def in_order_of_centers(clusters: Ints, unit: Features) -> Ints:
    """(N,) the same clusters, numbered from 0 along the leading direction of their centers.

    Parameters
    ----------
    clusters : (N,) a number for each node's cluster.
    unit : (N, F) what was clustered.

    Examples
    --------
    >>> rows = np.array([[0.0, 5.0], [9.0, 5.0], [4.0, 5.0], [9.0, 5.1]])
    >>> in_order_of_centers(np.array([0, 1, 2, 1]), rows).tolist()
    [2, 0, 1, 0]
    """
    _, clusters, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    places = np.argsort(_leading_coordinate(cluster_centers(clusters, sizes, unit), sizes), kind="stable")
    return np.argsort(places)[clusters]


def cluster_centers(clusters: Ints, sizes: Ints, unit: Features) -> Array:
    """(k, F) the mean row of each cluster.

    >>> cluster_centers(np.array([0, 1, 1]), np.array([1, 2]), np.array([[3.0], [1.0], [2.0]])).tolist()
    [[3.0], [1.5]]
    """
    nodes = np.arange(len(clusters))
    members = sp.csr_array((1.0 / sizes[clusters], (clusters, nodes)), shape=(len(sizes), len(clusters)))
    centers = members @ unit
    return centers.toarray() if is_sparse(centers) else np.asarray(centers)


def _leading_coordinate(centers: Array, sizes: Ints) -> Array:
    """(k,) place of each center along the direction in which the nodes, moved to their centers, spread most."""
    root = np.sqrt(sizes / sizes.sum())
    spread = root[:, None] * (centers - np.average(centers, axis=0, weights=sizes))
    along = np.linalg.eigh(spread @ spread.T)[1][:, -1] / root
    return along if sizes @ along**3 >= 0 else -along
