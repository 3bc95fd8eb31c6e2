"""The names of graphs: ``DATASET[@METHOD-BUDGET[#SEED]]``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kces.errors import InvalidParameterError

__all__ = ["GraphName", "parse_name"]

_ATTACK = re.compile(r"(?P<method>[a-z][a-z0-9_-]*?)-(?P<budget>\d+(?:\.\d+)?)(?:#(?P<seed>\d+))?")


@dataclass(frozen=True)
class GraphName:
    """A parsed name; ``method`` and ``budget`` are None for a clean graph, ``seed`` when none was given."""

    dataset: str
    method: str | None = None
    budget: float | None = None
    seed: int | None = None

    def __str__(self) -> str:
        if self.method is None:
            return self.dataset
        seed = "" if self.seed is None else f"#{self.seed}"
        return f"{self.dataset}@{self.method}-{self.budget:g}{seed}"


def parse_name(text: str) -> GraphName:
    """Split a name into its parts.

    >>> parse_name("cora@adaptive-kces-0.25#3")
    GraphName(dataset='cora', method='adaptive-kces', budget=0.25, seed=3)
    >>> str(parse_name("pubmed@nettack-5.0"))
    'pubmed@nettack-5'
    """
    dataset, at, attack = text.partition("@")
    match = _ATTACK.fullmatch(attack) if at else None
    if not dataset or (at and match is None):
        raise InvalidParameterError(
            f"'{text}' is not a graph name; write DATASET[@METHOD-BUDGET[#SEED]], "
            "such as cora, cora@metattack-0.25 or cora@dice-0.1#3"
        )
    if match is None:
        return GraphName(dataset)
    seed = None if match["seed"] is None else int(match["seed"])
    return GraphName(dataset, match["method"], float(match["budget"]), seed)
