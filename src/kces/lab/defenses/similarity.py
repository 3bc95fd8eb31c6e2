"""How alike the two ends of an edge are, by their features; computed on the edges only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from kces.types import Features, is_sparse

__all__ = ["cosine", "jaccard"]

_BLOCK = 65_536
Pairs = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


def cosine(features: Features, pairs: Pairs) -> Scores:
    """Cosine of the two rows of each pair; 0 where a row is zero.

    >>> cosine(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0, 1]])).round(3).tolist()
    [0.707]
    """
    norms = _row_norms(features)
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return _inner_products(features, pairs) * scale[pairs[:, 0]] * scale[pairs[:, 1]]


def jaccard(features: Features, pairs: Pairs) -> Scores:
    """Shared nonzero features over all nonzero features of the two ends; 0 where neither has any.

    >>> jaccard(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0, 1]])).tolist()
    [0.5]
    """
    support = sp.csr_array(features, copy=True)
    support.eliminate_zeros()
    support.data = np.ones_like(support.data)
    sizes = np.diff(support.indptr)
    shared = _inner_products(support, pairs)
    either = sizes[pairs[:, 0]] + sizes[pairs[:, 1]] - shared
    return np.divide(shared, either, out=np.zeros_like(shared), where=either > 0)


def _row_norms(features: Features) -> Scores:
    squares = features.multiply(features) if is_sparse(features) else features * features
    return np.sqrt(np.asarray(squares.sum(axis=1)))


def _inner_products(features: Features, pairs: Pairs) -> Scores:
    """Row products in blocks of pairs, so that memory does not grow with the number of edges."""
    multiply: Callable[[Features, Features], Scores] = _sparse_product if is_sparse(features) else _dense
    blocks = (pairs[start : start + _BLOCK] for start in range(0, len(pairs), _BLOCK))
    products = [multiply(features[block[:, 0]], features[block[:, 1]]) for block in blocks]
    return np.concatenate(products) if products else np.empty(0)


def _sparse_product(left: sp.csr_array, right: sp.csr_array) -> Scores:
    return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64)


def _dense(left: Scores, right: Scores) -> Scores:
    return np.einsum("ef,ef->e", left, right)
