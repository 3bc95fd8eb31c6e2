"""The views of preset robust on a graph in memory, each kept in a run folder once it is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kces.graph import Graph
from kces.progress import Progress, silent
from kces.scale.executors import InThisProcess, compute_stage
from kces.scale.run_folder import RunFolder
from kces.scorers.views import View
from kces.types import Array, Ints

__all__ = ["KeptView"]

_HERE = InThisProcess()


@dataclass(frozen=True)
class KeptView:
    """A view that is asked once: what it said of the edges and of random pairs is in a run folder.

    Attributes
    ----------
    view : what is asked.
    run : keeps the answers.
    linked : with the link in place, of a single pair: such answers are not kept.
    """

    view: View
    run: RunFolder
    linked: bool = False

    @property
    def name(self) -> str:
        return self.view.name

    @property
    def columns(self) -> tuple[str, ...]:
        return self.view.columns

    @property
    def own_features(self) -> tuple[bool, ...]:
        return self.view.own_features

    def __call__(self, graph: Graph, pairs: Ints, progress: Progress = silent) -> Array:
        if self.linked:
            return self.view(graph, pairs, progress)

        def ask(state: None, item: int) -> dict[str, Array]:
            return {"cosines": self.view(graph, pairs, progress)}

        stage = f"view {self.view.name}"
        compute_stage(_HERE, self.run, stage, ask, None, 1)
        return self.run.load(stage, 0, "cosines").copy()

    def with_link(self) -> KeptView:
        return replace(self, view=self.view.with_link(), linked=True)
