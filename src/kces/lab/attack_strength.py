"""How strong the attacks are: ``kces lab strength --only cora`` prints a Markdown table.

Every row is measured in a process of its own, so that its peak memory is its own. Attacked graphs come from
the cache when they are there; time and memory are then those of the run that made them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from kces.datasets import is_published, load_attacked, parse_name
from kces.errors import KCESError
from kces.lab.attacks import find_attack
from kces.lab.attacks.interface import PER_TARGET
from kces.lab.defenses.gcn import GCN
from kces.processes import Order, run_order
from kces.processes.answers import OK, JsonObject

__all__ = [
    "HEADER",
    "Row",
    "attack_strength",
    "graph_names",
    "markdown_row",
    "strength_in_fresh_process",
    "strength_of",
]

HEADER = """\
| graph | source | added | removed | GCN accuracy (%) | judged nodes | CPU time (s) | peak memory (GB) |
|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Row:
    """What is measured about one graph."""

    name: str
    source: str
    added: int
    removed: int
    mean: float
    std: float
    judged: int
    cpu_seconds: float | None
    peak_gb: float | None


def graph_names(dataset: str, methods: Sequence[str], budgets: Sequence[float]) -> list[str]:
    """The clean graph, then the published and our graph of every method and budget.

    >>> graph_names("cora", ["metattack", "nettack"], [0.25])
    ['cora', 'cora@metattack-0.25', 'cora@metattack-0.25#0', 'cora@nettack-5', 'cora@nettack-5#0']
    """
    names = [dataset]
    for method in methods:
        for budget in [5] if find_attack(method).budget_unit == PER_TARGET else budgets:
            name = f"{dataset}@{method}-{budget:g}"
            names += [name] if is_published(parse_name(name)) else []
            names.append(f"{name}#0")
    return names


def strength_in_fresh_process(name: str, data_root: Path | None = None, seeds: int = 5) -> Row:
    """:func:`attack_strength` in a process of its own."""
    root = None if data_root is None else str(data_root)
    answer = run_order(Order(f"{__name__}:strength_of", {"name": name, "data_root": root, "seeds": seeds}))
    if answer.status != OK:
        raise KCESError(f"{name} could not be measured: {answer.message}")
    return Row(**answer.result)


def strength_of(name: str, data_root: str | None, seeds: int) -> JsonObject:
    """What the process does."""
    return asdict(attack_strength(name, None if data_root is None else Path(data_root), seeds))


def attack_strength(name: str, data_root: Path | None = None, seeds: int = 5) -> Row:
    """Test accuracy of a GCN trained on the graph of that name (on the targets, where there are any)."""
    attacked = load_attacked(name, data_root)
    labels, nodes = attacked.graph.labels, attacked.judged_nodes
    assert labels is not None  # the lab's data sets are labeled
    right = [GCN().fit(attacked.graph, seed).predict()[nodes] == labels[nodes] for seed in range(seeds)]
    accuracy = 100 * np.mean(right, axis=1)
    source = "clean" if "@" not in name else "published" if is_published(parse_name(name)) else "ours"
    return Row(
        name=name,
        source=source,
        added=len(attacked.added),
        removed=len(attacked.removed),
        mean=float(accuracy.mean()),
        std=float(accuracy.std()),
        judged=len(nodes),
        cpu_seconds=attacked.log.get("cpu_seconds"),
        peak_gb=attacked.log.get("peak_gb"),
    )


def markdown_row(row: Row) -> str:
    """One line of the table."""
    seconds = "–" if row.cpu_seconds is None else f"{row.cpu_seconds:.0f}"
    memory = "–" if row.peak_gb is None else f"{row.peak_gb:.1f}"
    return (
        f"| {row.name} | {row.source} | {row.added} | {row.removed} | {row.mean:.1f} ± {row.std:.1f} "
        f"| {row.judged} | {seconds} | {memory} |"
    )
