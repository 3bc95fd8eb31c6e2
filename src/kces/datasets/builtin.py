"""Graphs that need no file: handwritten digits, and synthetic graphs of any size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kces.errors import InvalidParameterError
from kces.graph import Graph, edge_keys
from kces.memory import require_memory
from kces.offered import BUILTIN_GRAPHS

__all__ = ["digits", "is_builtin", "load_builtin", "stratified_split", "synthetic"]


def is_builtin(name: str) -> bool:
    """True for ``digits``, ``synthetic`` and ``synthetic:…``."""
    return name.split(":", 1)[0] in BUILTIN_GRAPHS


def load_builtin(name: str) -> Graph:
    """The embedded graph of that name.

    >>> load_builtin("synthetic:n=100,seed=1").n_nodes
    100
    """
    kind, _, text = name.partition(":")
    if kind not in BUILTIN_GRAPHS:
        raise InvalidParameterError(f"unknown built-in graph '{name}'; there are: {', '.join(BUILTIN_GRAPHS)}")
    if kind == "digits":
        if text:
            raise InvalidParameterError("the digits graph takes no options")
        return digits()
    return synthetic(**_parse_options(text), name=name)  # type: ignore[arg-type]


def _parse_options(text: str) -> dict[str, int | float]:
    kinds: dict[str, type[int] | type[float]] = {
        "n": int,
        "seed": int,
        "classes": int,
        "degree": float,
        "homophily": float,
        "features": int,
        "signal": float,
    }
    options: dict[str, int | float] = {}
    for item in filter(None, text.split(",")):
        key, _, value = item.partition("=")
        if key not in kinds:
            raise InvalidParameterError(f"unknown synthetic option '{key}'; there are: {', '.join(kinds)}")
        try:
            options[key] = kinds[key](value)
        except ValueError:
            raise InvalidParameterError(f"synthetic option {key}='{value}' is not a number") from None
    return options


def digits(n_neighbors: int = 5, seed: int = 0) -> Graph:
    """The symmetrised k-nearest-neighbor graph of the digits images, with a 10/10/80 split.

    Of equally near images the first is taken: which of them a search tree meets first depends on the threads.

    >>> digits()
    Graph(digits, nodes=1797, edges=6309, features=64)
    """
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    squares = (images**2).sum(axis=1)
    distances = squares[:, None] + squares[None, :] - 2.0 * images @ images.T  # whole numbers: exact
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    pairs = np.stack([np.repeat(np.arange(len(images)), n_neighbors), nearest.ravel()], axis=1)
    one_way = np.unique(np.sort(pairs, axis=1), axis=0)
    train, val, test = stratified_split(labels, seed=seed)
    return Graph.from_edges(one_way, images / 16.0, labels=labels, train=train, val=val, test=test, name="digits")


def synthetic(
    n: int = 1000,
    seed: int = 0,
    classes: int = 5,
    degree: float = 6.0,
    homophily: float = 0.8,
    features: int = 32,
    signal: float = 0.6,
    name: str = "synthetic",
) -> Graph:
    """A degree-corrected stochastic block model with class-conditional Gaussian features.

    Each of about ``n * degree / 2`` edges joins two nodes of one class with probability ``homophily``;
    a node is drawn in proportion to a power-law weight, so hubs occur. Features are a class center of
    norm ``signal * sqrt(features)`` plus unit noise. Built from whole arrays: a million edges take seconds.

    >>> graph = synthetic(n=200, seed=3)
    >>> graph.n_nodes, graph.n_classes, bool(graph.n_edges > 400)
    (200, 5, True)
    """
    _check_synthetic(n, classes, degree, homophily, features)
    generator = np.random.default_rng(seed)
    labels = generator.permutation(np.arange(n) % classes)
    weights = (1.0 - generator.random(n)) ** -0.4
    centers = generator.standard_normal((classes, features)) * signal
    values = centers[labels] + generator.standard_normal((n, features))
    pairs = _block_model_edges(labels, weights, round(n * degree / 2), homophily, generator)
    train, val, test = stratified_split(labels, seed=seed)
    return Graph.from_edges(pairs, values, n_nodes=n, labels=labels, train=train, val=val, test=test, name=name)


def _check_synthetic(n: int, classes: int, degree: float, homophily: float, features: int) -> None:
    if n < 4 or not 2 <= classes <= n or features < 1:
        raise InvalidParameterError("synthetic needs n >= 4, 2 <= classes <= n and features >= 1")
    if not 0 < degree < n / 2:
        raise InvalidParameterError(f"synthetic degree must lie in (0, n/2), got {degree}")
    if not 0 <= homophily <= 1:
        raise InvalidParameterError(f"synthetic homophily must lie in [0, 1], got {homophily}")
    needed = int(8 * n * (2 * features + 10 + 8 * degree))
    require_memory(needed, f"a synthetic graph of {n} nodes", "make a smaller one")


def _block_model_edges(
    labels: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    n_edges: int,
    homophily: float,
    generator: np.random.Generator,
) -> npt.NDArray[np.int64]:
    """Draw unique ``i < j`` pairs; a within-class partner is drawn from the first node's own class."""
    order = np.argsort(labels, kind="stable")
    cumulative = np.cumsum(weights[order])
    first_of_class = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    class_bounds = np.concatenate([[0.0], cumulative])[first_of_class]
    # Drawn a little above the wish because loops and repeats are dropped.
    draws = int(n_edges * 1.1) + 8
    source = order[_draw(cumulative, generator.random(draws) * cumulative[-1])]
    within = generator.random(draws) < homophily
    low = np.where(within, class_bounds[labels[source]], 0.0)
    high = np.where(within, class_bounds[labels[source] + 1], cumulative[-1])
    target = order[_draw(cumulative, low + generator.random(draws) * (high - low))]
    pairs = np.stack([np.minimum(source, target), np.maximum(source, target)], axis=1)
    pairs = pairs[source != target]
    _, first = np.unique(edge_keys(pairs, len(labels)), return_index=True)
    return pairs[np.sort(first)[:n_edges]]


def _draw(cumulative: npt.NDArray[np.float64], at: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    return np.minimum(np.searchsorted(cumulative, at, side="right"), len(cumulative) - 1)


def stratified_split(
    labels: npt.NDArray[np.int64], *, train: float = 0.1, val: float = 0.1, seed: int = 0
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Seeded train, validation and test nodes, with at least one training node in each class.

    >>> [len(part) for part in stratified_split(np.arange(100) % 4)]
    [8, 8, 84]
    """
    generator = np.random.default_rng(seed)
    parts: tuple[list[npt.NDArray[np.int64]], ...] = ([], [], [])
    for label in np.unique(labels):
        members = generator.permutation(np.flatnonzero(labels == label))
        n_train = max(1, round(train * len(members))) if len(members) else 0
        n_val = max(1, round(val * len(members))) if len(members) > 2 else 0
        parts[0].append(members[:n_train])
        parts[1].append(members[n_train : n_train + n_val])
        parts[2].append(members[n_train + n_val :])
    first, second, third = (np.sort(np.concatenate(part)).astype(np.int64) for part in parts)
    return first, second, third
