"""Training a node classifier as DeepRobust does: presets, sparse products fast on a CPU, and the loop."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional

from kces.errors import InvalidGraphError, InvalidParameterError
from kces.graph import Graph
from kces.types import Features

__all__ = [
    "DEEPROBUST",
    "PAPER",
    "BestWeights",
    "FeatureInput",
    "FeatureLinear",
    "SparseOperator",
    "Supervision",
    "TrainingPreset",
    "feature_input",
    "logits_of",
    "seeded",
    "torch_threads",
    "train",
    "training_preset",
    "uniform_parameter",
]


# -- presets ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrainingPreset:
    """How a classifier is trained; ``name`` is what tables print.

    ``glorot`` starts from weights drawn as PyG draws them instead of DeepRobust's uniform draw; models with a
    training loop of their own (ProGNN) keep theirs.
    """

    name: str
    learning_rate: float = 0.01
    weight_decay: float = 5e-4
    dropout: float = 0.5
    epochs: int = 200
    glorot: bool = False


DEEPROBUST = TrainingPreset("deeprobust")
#: The paper's appendix says "using DeepRobust", but names another weight decay and dropout.
PAPER = TrainingPreset("paper", weight_decay=1e-5, dropout=0.05)
#: On graphs without features the start matters: GCN on Polblogs comes closer to the protocol's reference with it.
GLOROT = TrainingPreset("glorot", glorot=True)

_PRESETS = {preset.name: preset for preset in (DEEPROBUST, PAPER, GLOROT)}


def training_preset(name: str) -> TrainingPreset:
    """The preset of that name.

    >>> training_preset("paper").dropout
    0.05
    """
    if name not in _PRESETS:
        raise InvalidParameterError(f"unknown training preset {name!r}; choose from {', '.join(_PRESETS)}")
    return _PRESETS[name]


# -- sparse products --------------------------------------------------------------------------------


class _SparseProduct(torch.autograd.Function):
    """``matrix @ dense`` whose backward pass uses a stored transpose: torch would rebuild it every step."""

    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, operator: SparseOperator, dense: Tensor) -> Tensor:
        ctx.operator = operator  # type: ignore[attr-defined]
        return operator.matrix @ dense

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, *grad_outputs: Tensor) -> tuple[None, Tensor]:
        return None, ctx.operator.transpose @ grad_outputs[0]  # type: ignore[attr-defined]


class SparseOperator:
    """A constant sparse matrix that multiplies dense tensors, with a cheap gradient.

    >>> operator = SparseOperator(sp.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]])))
    >>> operator(torch.tensor([[1.0], [10.0]])).tolist()
    [[20.0], [1.0]]
    """

    def __init__(self, matrix: sp.csr_array, *, symmetric: bool = False) -> None:
        self.matrix = _torch_csr(matrix)
        self.transpose = self.matrix if symmetric else _torch_csr(sp.csr_array(matrix.T))

    def with_values(self, values: Tensor, transposed_values: Tensor) -> SparseOperator:
        """The same pattern of stored entries with other values, without checking the pattern again."""
        other = copy.copy(self)
        other.matrix = _same_pattern(self.matrix, values)
        other.transpose = _same_pattern(self.transpose, transposed_values)
        return other

    def __call__(self, dense: Tensor) -> Tensor:
        return _SparseProduct.apply(self, dense)


def _torch_csr(matrix: sp.csr_array) -> Tensor:
    with warnings.catch_warnings():  # torch says once per process that its CSR format is in beta
        warnings.filterwarnings("ignore", message=".*Sparse CSR tensor support.*")
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr.astype(np.int32)),
            torch.from_numpy(matrix.indices.astype(np.int32)),
            torch.from_numpy(matrix.data.astype(np.float32)),
            size=matrix.shape,
            check_invariants=False,
        )


def _same_pattern(matrix: Tensor, values: Tensor) -> Tensor:
    return torch.sparse_csr_tensor(
        matrix.crow_indices(), matrix.col_indices(), values, size=matrix.shape, check_invariants=False
    )


class FeatureInput(Protocol):
    """Node features ``X`` as the input of a linear layer."""

    n_columns: int

    def multiply(self, weight: Tensor, *, dropout: float = 0.0) -> Tensor:
        """``dropout(X) @ weight``."""


def feature_input(features: Features) -> FeatureInput:
    """The features in the form that multiplies fastest.

    Bag-of-words features are about 99 % zeros, and the first layer is by far the dearest product of a GCN
    when they are dense.
    """
    return _SparseInput(features) if sp.issparse(features) else _DenseInput(features)


class _DenseInput:
    def __init__(self, features: npt.NDArray[np.float64]) -> None:
        self.n_columns = int(features.shape[1])
        self._values = torch.from_numpy(features.astype(np.float32))

    def multiply(self, weight: Tensor, *, dropout: float = 0.0) -> Tensor:
        return functional.dropout(self._values, dropout, training=dropout > 0) @ weight


class _SparseInput:
    """Dropout acts on the stored entries only, which is the same thing: the others are zero."""

    def __init__(self, features: sp.csr_array) -> None:
        self.n_columns = int(features.shape[1])
        self._operator = SparseOperator(features)
        positions = sp.csr_array((np.arange(features.nnz), features.indices, features.indptr), shape=features.shape)
        # Where each stored entry of the transpose sits among those of the matrix: dropout needs both alike.
        self._transposed_order = torch.from_numpy(sp.csr_array(positions.T).data.astype(np.int64))

    def multiply(self, weight: Tensor, *, dropout: float = 0.0) -> Tensor:
        if dropout == 0:
            return self._operator(weight)
        values = functional.dropout(self._operator.matrix.values(), dropout)
        return self._operator.with_values(values, values[self._transposed_order])(weight)


class FeatureLinear(nn.Module):
    """A linear map of the node features, drawn as DeepRobust draws its weights."""

    def __init__(self, features: FeatureInput, width: int, *, bias: bool = False) -> None:
        super().__init__()
        self.features = features
        self.weight = uniform_parameter(features.n_columns, width)
        self.bias = uniform_parameter(1, width) if bias else None

    def forward(self, dropout: float = 0.0) -> Tensor:
        product = self.features.multiply(self.weight, dropout=dropout if self.training else 0.0)
        return product if self.bias is None else product + self.bias


def uniform_parameter(rows: int, columns: int) -> nn.Parameter:
    """Uniform in ±1/sqrt(columns): the draw of the original GCN code, for weights and biases alike."""
    bound = 1.0 / math.sqrt(columns)
    return nn.Parameter(torch.empty(rows, columns).uniform_(-bound, bound))


# -- the loop ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Supervision:
    """Which nodes teach and which decide when the weights are at their best."""

    labels: Tensor
    train: Tensor
    val: Tensor
    n_classes: int

    @classmethod
    def of(cls, graph: Graph) -> Supervision:
        if graph.labels is None or graph.train is None or graph.val is None:
            raise InvalidGraphError(f"{graph.name} needs labels and a train and val split to train a model")
        for part, nodes in (("train", graph.train), ("val", graph.val)):
            if len(nodes) == 0 or (graph.labels[nodes] < 0).any():
                raise InvalidGraphError(f"the {part} nodes of {graph.name} are empty or partly unlabeled")
        return cls(
            labels=torch.from_numpy(graph.labels),
            train=torch.from_numpy(graph.train),
            val=torch.from_numpy(graph.val),
            n_classes=int(graph.labels.max()) + 1,
        )


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch inside the block and leave the caller's random state as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use that many threads inside the block.

    Small products run slower on several threads, and far slower on a busy machine, where every product
    waits for the slowest thread. Other libraries change the number behind torch's back, so it is set each time.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class BestWeights:
    """The best validation loss and accuracy so far; DeepRobust keeps the weights when either improves."""

    def __init__(self) -> None:
        self.loss = math.inf
        self.accuracy = -1.0

    def improved(self, scores: Tensor, supervision: Supervision) -> bool:
        """Record the logits of the validation nodes; true when either measure is the best so far."""
        target = supervision.labels[supervision.val]
        loss = float(functional.cross_entropy(scores, target))
        accuracy = float((scores.argmax(1) == target).float().mean())
        better = loss < self.loss or accuracy > self.accuracy
        self.loss, self.accuracy = min(loss, self.loss), max(accuracy, self.accuracy)
        return better


def train(
    network: nn.Module,
    supervision: Supervision,
    preset: TrainingPreset,
    *,
    penalty: Callable[[], Tensor] | None = None,
) -> npt.NDArray[np.int64]:
    """Train ``network`` (called without arguments, gives logits of all nodes) and return every node's class.

    Adam over all parameters, weight decay on all of them (biases too, as DeepRobust does).
    """
    if preset.glorot:
        _draw_glorot(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=preset.learning_rate, weight_decay=preset.weight_decay)
    target = supervision.labels[supervision.train]
    best = BestWeights()
    weights = copy.deepcopy(network.state_dict())
    for _ in range(preset.epochs):
        network.train()
        optimizer.zero_grad()
        loss = functional.cross_entropy(network()[supervision.train], target)
        if penalty is not None:
            loss = loss + penalty()
        loss.backward()
        optimizer.step()
        if best.improved(logits_of(network)[supervision.val], supervision):
            weights = copy.deepcopy(network.state_dict())
    network.load_state_dict(weights)
    return logits_of(network).argmax(1).numpy()


def _draw_glorot(network: nn.Module) -> None:
    for parameter in network.parameters():
        is_bias = parameter.ndim == 1 or (parameter.ndim == 2 and parameter.shape[0] == 1)
        (nn.init.zeros_ if is_bias else nn.init.xavier_uniform_)(parameter)


def logits_of(network: nn.Module) -> Tensor:
    """Logits without dropout and without gradients."""
    network.eval()
    with torch.no_grad():
        logits: Tensor = network()
    return logits
