"""``kces lab plan``: what scoring a graph of any size on disk will take, before it is done."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from kces.cli.options import JsonOption
from kces.cli.output import print_json, show_table
from kces.memory import format_bytes

__all__ = ["plan"]


def plan(
    nodes: Annotated[int, typer.Option("--nodes", min=2, help="Nodes of the graph.")],
    edges: Annotated[int, typer.Option("--edges", min=1, help="Undirected edges.")],
    features: Annotated[int, typer.Option("--features", min=1, help="Columns of features.")] = 64,
    workers: Annotated[int, typer.Option("--workers", min=0, help="Dask processes on each machine; 0: none.")] = 0,
    machines: Annotated[int, typer.Option("--machines", min=1, help="Machines that see one disk.")] = 1,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Threads of a machine.")] = 2,
    memory: Annotated[float, typer.Option("--memory", metavar="GIB", min=0.5, help="Memory of a machine.")] = 24.0,
    disk: Annotated[float, typer.Option("--disk", metavar="MB/S", min=1, help="Speed of its disk.")] = 1000.0,
    price: Annotated[float, typer.Option("--price", min=0, help="Of a machine, per hour.")] = 0.0,
    json: JsonOption = False,
) -> None:
    """Estimate time, memory, disk and cost of scoring a graph of any size on disk, and what breaks first."""
    from kces.scale.cost_model import Machine, Workload, make_plan

    machine = Machine(threads, int(memory * 2**30), disk * 1e6, price)
    found = make_plan(Workload(nodes, edges, features), machine, workers=workers, machines=machines)
    facts = asdict(found) | {"total_seconds": found.total_seconds}
    if json:
        print_json(facts)
        return
    rows = [[stage, f"{seconds:,.0f}"] for stage, seconds in found.seconds.items()]
    show_table("seconds by stage", ["stage", "seconds"], [*rows, ["all", f"{found.total_seconds:,.0f}"]])
    amounts = [
        ["hours", f"{found.total_seconds / 3600:.2f}"],
        ["workers, machines", f"{found.workers}, {found.machines}"],
        ["columns and edges at a time", f"{found.layout.width}, {found.layout.chunk:,}"],
        ["memory of a worker", format_bytes(found.memory)],
        ["memory of the process that starts it", format_bytes(found.client_memory)],
        ["graph folder", format_bytes(found.folder_bytes)],
        ["run folder", format_bytes(found.run_bytes)],
        ["read and written", format_bytes(found.moved_bytes)],
        ["cost", f"{found.price:,.2f}"],
        ["what breaks first", found.breaks_first],
    ]
    show_table(f"{nodes:,} nodes, {edges:,} edges, {features} features", ["what", "estimate"], amounts)
