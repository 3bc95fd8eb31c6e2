"""``kces bench scale``: what a graph of any size takes on disk, beside the same graph in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kces.cli.options import JsonOption, QuietOption
from kces.cli.output import print_json, progress_bar, show_table
from kces.errors import InvalidParameterError
from kces.processes.answers import JsonObject

__all__ = ["scale"]


def scale(
    nodes: Annotated[int, typer.Option("--nodes", min=100, help="Nodes of the made graph.")] = 121_000,
    edges: Annotated[int, typer.Option("--edges", min=100, help="Edges of the made graph.")] = 1_000_000,
    features: Annotated[int, typer.Option("--features", min=1, help="Columns of features.")] = 64,
    workers: Annotated[
        str, typer.Option("--workers", metavar="LIST", help="0: this process; others: Dask processes. As 0,1,2.")
    ] = "0",
    memory: Annotated[
        float | None, typer.Option("--memory", metavar="GIB", min=0.1, help="Memory of each process.")
    ] = None,
    chunk: Annotated[int | None, typer.Option("--chunk", metavar="EDGES", min=1, help="Edges at a time.")] = None,
    in_memory: Annotated[bool, typer.Option("--in-memory", help="Also score it in memory.")] = False,
    place: Annotated[
        Path | None, typer.Option("--place", metavar="DIR", help="A folder on a disk with room, for what is made.")
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Make a graph of any size and score it on disk: time, memory, bytes; beside it, the same in memory."""
    from kces.bench.scale_runs import bench_scale

    try:
        counts = [int(word) for word in workers.split(",")]
    except ValueError:
        raise InvalidParameterError(f"--workers takes numbers with commas between, got {workers}") from None
    with progress_bar(quiet=quiet or json) as progress:
        found = bench_scale(
            nodes,
            edges,
            features,
            workers=counts,
            memory=memory,
            chunk=chunk,
            in_memory=in_memory,
            place=place,
            progress=progress,
        )
    if json:
        print_json(found)
        return
    _show_scale(found)


def _show_scale(found: JsonObject) -> None:
    rows = [_scale_row("convert", found["convert"])]
    rows += [_scale_row(f"{row['workers']} workers" if row["workers"] else "on disk", row) for row in found["disk"]]
    rows += [_scale_row("in memory", found["memory"])] if "memory" in found else []
    titles = ["what", "edges", "seconds", "edges/s", "peak MB", "removed", "read MB", "written MB"]
    show_table(f"{found['nodes']:,} nodes, {found['features']} features", titles, rows)
    stages = [
        [str(row["workers"]), stage, f"{seconds:.2f}"]
        for row in found["disk"]
        for stage, seconds in row["stages"].items()
    ]
    show_table("where the time goes", ["workers", "stage", "seconds"], stages)


def _scale_row(what: str, row: JsonObject) -> list[str]:
    traffic = [f"{row[name] / 1e6:,.0f}" if name in row else "" for name in ("bytes_read", "bytes_written")]
    removed = f"{row['removed']:,}" if "removed" in row else ""
    numbers = [f"{row['edges']:,}", f"{row['seconds']:.1f}", f"{row['edges'] / row['seconds']:,.0f}"]
    return [what, *numbers, f"{row['peak_mb']:,.0f}", removed, *traffic]
