"""How strong the attacks are: ``python -m kces.lab.attack_strength --only cora`` prints a Markdown table.

Every row is measured in a process of its own, so that its peak memory is its own. Attacked graphs come from
the cache when they are there; time and memory are then those of the run that made them.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from kces.datasets import DATASETS, is_published, load_attacked, parse_name
from kces.lab.attacks import ATTACKS
from kces.lab.attacks.interface import PER_TARGET
from kces.lab.defenses.gcn import GCN

__all__ = ["Row", "graph_names", "markdown_row", "measure"]

HEADER = "| graph | source | added | removed | GCN accuracy (%) | judged nodes | CPU time (s) | peak memory (GB) |"


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


def graph_names(dataset: str, methods: list[str], budgets: list[float]) -> list[str]:
    """The clean graph, then the published and our graph of every method and budget.

    >>> graph_names("cora", ["metattack", "nettack"], [0.25])
    ['cora', 'cora@metattack-0.25', 'cora@metattack-0.25#0', 'cora@nettack-5', 'cora@nettack-5#0']
    """
    names = [dataset]
    for method in methods:
        for budget in [5] if ATTACKS[method].budget_unit == PER_TARGET else budgets:
            name = f"{dataset}@{method}-{budget:g}"
            names += [name] if is_published(parse_name(name)) else []
            names.append(f"{name}#0")
    return names


def measure(name: str, data_root: Path | None = None, seeds: int = 5) -> Row:
    """Test accuracy of a GCN trained on the graph of that name (on the targets, where there are any)."""
    attacked = load_attacked(name, data_root)
    labels, nodes = attacked.graph.labels, attacked.judged_nodes
    assert labels is not None  # the lab's data sets are labelled
    right = [GCN().fit(attacked.graph, seed).predict()[nodes] == labels[nodes] for seed in range(seeds)]
    accuracy = 100 * np.mean(right, axis=1)
    log: dict[str, Any] = attacked.log
    source = "clean" if "@" not in name else "published" if is_published(parse_name(name)) else "ours"
    return Row(
        name=name,
        source=source,
        added=len(attacked.added),
        removed=len(attacked.removed),
        mean=float(accuracy.mean()),
        std=float(accuracy.std()),
        judged=len(nodes),
        cpu_seconds=log.get("cpu_seconds"),
        peak_gb=log.get("peak_gb"),
    )


def markdown_row(row: Row) -> str:
    """One line of the table."""
    seconds = "–" if row.cpu_seconds is None else f"{row.cpu_seconds:.0f}"
    memory = "–" if row.peak_gb is None else f"{row.peak_gb:.1f}"
    return (
        f"| {row.name} | {row.source} | {row.added} | {row.removed} | {row.mean:.1f} ± {row.std:.1f} "
        f"| {row.judged} | {seconds} | {memory} |"
    )


def main(
    only: Annotated[str, typer.Option("--only", help="The data set.")] = "cora",
    methods: Annotated[str, typer.Option(help="Methods, separated by commas.")] = ",".join(ATTACKS),
    budgets: Annotated[str, typer.Option(help="Shares of the edges, separated by commas.")] = "0.1,0.25",
    seeds: Annotated[int, typer.Option(help="GCN runs per graph.")] = 5,
    data_root: Annotated[Path | None, typer.Option(help="Folder of the data sets.")] = None,
) -> None:
    """Print the strength of attacks on one data set as a Markdown table."""
    if only not in DATASETS:
        raise typer.BadParameter(f"unknown data set '{only}'; there are: {', '.join(DATASETS)}")
    typer.echo(HEADER)
    typer.echo("|" + "---|" * HEADER.count(" | ") + "---|")
    context = multiprocessing.get_context("spawn")
    for name in graph_names(only, methods.split(","), [float(budget) for budget in budgets.split(",")]):
        with ProcessPoolExecutor(1, mp_context=context) as process:
            typer.echo(markdown_row(process.submit(measure, name, data_root, seeds).result()))


if __name__ == "__main__":
    typer.run(main)
