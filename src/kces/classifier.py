"""A classifier without a neural network: simplified graph convolution and logistic regression.

Used to judge a graph in seconds when it has labels and a split, for instance to choose α.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression

from kces.errors import InvalidGraphError
from kces.graph import Graph
from kces.kernel import normalize_rows, propagation
from kces.types import Features

__all__ = ["sgc_accuracy"]

_MAX_WIDTH = 256


def sgc_accuracy(graph: Graph, *, on: str = "val", hops: int = 2) -> float:
    """Accuracy on the ``val`` or ``test`` nodes of logistic regression on ``T^hops X`` (Wu et al., 2019).

    >>> from kces.datasets.toys import barbell
    >>> sgc_accuracy(barbell(), on="test")
    1.0
    """
    if graph.labels is None or graph.train is None or getattr(graph, on) is None:
        raise InvalidGraphError(f"judging a graph needs labels, train nodes and {on} nodes; give your own evaluate")
    labels, train = graph.labels, graph.train
    judged: npt.NDArray[np.int64] = getattr(graph, on)
    if len(np.unique(labels[train])) < 2:
        raise InvalidGraphError("the train nodes have a single class; at least two are needed")
    if len(judged) == 0:
        raise InvalidGraphError(f"the graph has no {on} nodes")
    signal: Features = _narrow(graph.features)
    T = propagation(graph)
    for _ in range(hops):
        signal = T @ signal
    unit, _ = normalize_rows(signal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an unconverged fit is still a valid judge
        model = LogisticRegression(C=10.0, max_iter=300).fit(unit[train], labels[train])
    return float(np.mean(model.predict(unit[judged]) == labels[judged]))


def _narrow(features: Features) -> Features:
    """Thousands of sparse columns are first reduced to their leading components, for speed."""
    if not sp.issparse(features) or min(features.shape) <= _MAX_WIDTH + 1:
        return features
    return TruncatedSVD(_MAX_WIDTH, random_state=0).fit_transform(features)
