"""PyG's PRBCD with a budget met exactly, and LRBCD on top of it: a budget per node as well."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from kces.errors import InvalidParameterError
from kces.lab.attacks.checkpoint import Checkpoint
from kces.lab.attacks.flips import Stopwatch
from kces.lab.attacks.local_budget import project_locally, select_locally
from kces.lab.attacks.projection import by_preference, completed
from kces.lab.attacks.victim import Victim
from kces.progress import Progress
from kces.types import Bools, Ints

with warnings.catch_warnings():  # PyG says on import that its contrib package is experimental
    warnings.simplefilter("ignore")
    from torch_geometric.contrib.nn import PRBCDAttack

__all__ = ["ExactPRBCD", "LocalPRBCD", "RestrictedPRBCD"]

Pairs = npt.NDArray[np.int64]

_SEARCH = (
    "current_block",
    "block_edge_index",
    "block_edge_weight",
    "best_metric",
    "best_block",
    "best_edge_index",
    "best_pert_edge_weight",
)
"""The attributes in which PyG keeps where its search is."""


class ExactPRBCD(PRBCDAttack):
    """PRBCD whose final graph changes exactly ``budget`` edges: draws are completed by the highest weights.

    With a checkpoint it goes on from the epoch that was saved last, as if it had never stopped.
    """

    def __init__(
        self,
        victim: Victim,
        *,
        rng: np.random.Generator,
        progress: Progress,
        what: str,
        checkpoint: Checkpoint,
        **settings: Any,
    ) -> None:
        super().__init__(victim, log=False, is_undirected=True, **settings)
        # In PyG this is an attribute of the class, which one instance's settings would change for all.
        self.coeffs = dict(PRBCDAttack.coeffs)
        self._rng = rng
        self._progress = progress
        self._what = what
        self._checkpoint = checkpoint
        self._epochs_done = 0

    def _prepare(self, budget: int) -> range:
        super()._prepare(budget)
        state, seconds = self._checkpoint.load()
        self._watch = Stopwatch(earlier=seconds)
        if state:
            for name in _SEARCH:
                setattr(self, name, torch.from_numpy(state[name]))
            self._epochs_done = int(state["epochs_done"])
            torch.set_rng_state(torch.from_numpy(state["random"]))
        return range(self._epochs_done, self.epochs)

    def _append_statistics(self, mapping: dict[str, Any]) -> None:
        super()._append_statistics(mapping)
        self._epochs_done += 1
        search = {name: torch.as_tensor(getattr(self, name)).detach().numpy() for name in _SEARCH}
        now = {"epochs_done": np.array(self._epochs_done), "random": torch.get_rng_state().numpy()}
        self._checkpoint.save(search | now, self._watch.seconds())
        self._progress(self._what, self._epochs_done, self.epochs)

    def _sample_final_edges(
        self, x: Tensor, labels: Tensor, budget: int, idx_attack: Tensor | None = None, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        weights = self.block_edge_weight.numpy().astype(np.float64)
        weights[weights <= self.coeffs["eps"]] = 0
        best, best_metric = None, -np.inf
        for sample in range(self.coeffs["max_final_samples"]):
            # As PyG does, nothing is drawn the first time: the highest weights are taken.
            drawn = (self._rng.random(len(weights)) < weights) & (sample > 0)
            chosen = self._select(drawn, weights, budget)
            flips = torch.zeros_like(self.block_edge_weight)
            flips[torch.from_numpy(chosen)] = 1
            merged = self._get_modified_adj(self.edge_index, self.edge_weight, self.block_edge_index, flips)
            metric = float(self.metric(self._forward(x, *merged, **kwargs), labels, idx_attack))
            if best is None or metric > best_metric:
                best, best_metric = (merged, chosen), metric
        assert best is not None  # max_final_samples is at least 1
        (edge_index, edge_weight), chosen = best
        return edge_index[:, edge_weight == 1], self.block_edge_index[:, torch.from_numpy(chosen)]

    def _select(
        self, drawn: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], budget: int
    ) -> npt.NDArray[np.int64]:
        """Exactly ``budget`` positions of the block."""
        return completed(drawn, weights, budget)


class LocalPRBCD(ExactPRBCD):
    """LRBCD: no node may have more than ``caps[node]`` of its pairs flipped.

    PyG's early stopping still judges an epoch by the highest weights without the caps; what it then returns
    is within them.
    """

    def __init__(self, victim: Victim, *, caps: npt.NDArray[np.int64], **settings: Any) -> None:
        super().__init__(victim, **settings)
        self._caps = caps

    # PyG declares it static; it is always called through the instance.
    def _project(self, budget: int, values: Tensor, eps: float = 1e-7) -> Tensor:
        """The global projection, then the greedy local one: the highest weights get the room there is."""
        globally = PRBCDAttack._project(budget, values, eps).detach().numpy()
        within = project_locally(globally, self._pairs(), self._caps)
        return torch.from_numpy(within).to(values.dtype).clamp(min=eps, max=1 - eps)

    def _pairs(self) -> Pairs:
        return np.ascontiguousarray(self.block_edge_index.numpy().T)

    def _select(
        self, drawn: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], budget: int
    ) -> npt.NDArray[np.int64]:
        order = by_preference(drawn, weights)
        chosen = order[select_locally(self._pairs()[order], self._caps, budget)]
        if len(chosen) < budget:
            raise InvalidParameterError(
                f"the budgets per node allow only {len(chosen)} of {budget} changes; raise local_share"
            )
        return np.sort(chosen)


class RestrictedPRBCD(ExactPRBCD):
    """PRBCD whose blocks hold only pairs that are allowed."""

    current_block: Tensor
    block_edge_index: Tensor
    block_edge_weight: Tensor

    def __init__(self, victim: Victim, *, allowed: Callable[[Ints], Bools], **settings: Any) -> None:
        super().__init__(victim, **settings)
        self._allowed = allowed

    def _sample_random_block(self, budget: int = 0) -> None:
        super()._sample_random_block(budget)
        self._leave_out_what_is_not_allowed(budget)

    def _resample_random_block(self, budget: int) -> None:
        super()._resample_random_block(budget)
        self._leave_out_what_is_not_allowed(budget)

    def _leave_out_what_is_not_allowed(self, budget: int) -> None:
        pairs = np.ascontiguousarray(self.block_edge_index.numpy().T)
        stay = torch.from_numpy(self._allowed(pairs))
        self.current_block, self.block_edge_weight = self.current_block[stay], self.block_edge_weight[stay]
        self.block_edge_index = self.block_edge_index[:, stay]
        if len(self.current_block) < budget:
            raise InvalidParameterError(
                f"only {len(self.current_block)} of the pairs drawn are allowed, for {budget} changes; raise block_size"
            )
