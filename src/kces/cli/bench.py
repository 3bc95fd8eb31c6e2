"""``kces bench``: speed, memory and fidelity of the engines on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kces.bench.runs import CONTENDERS, DEFAULT_GRAPHS, Contenders, bench_engines, bench_exact, bench_growth
from kces.cli.options import DataRootOption, EngineSettingsOption, JsonOption, QuietOption
from kces.cli.output import print_json, progress_bar, show_table
from kces.cli.settings import parse_settings
from kces.engines import make_engine
from kces.errors import InvalidParameterError
from kces.processes.answers import JsonObject

__all__ = ["app"]

app = typer.Typer(help="Measure the engines: each in a fresh process, ratios side by side in one run.")

_COLUMNS = [
    ("label_seconds", "labels s", "{:.2f}"),
    ("seconds", "engine s", "{:.2f}"),
    ("edges_per_second", "edges/s", "{:,.0f}"),
    ("peak_mb", "peak MB", "{:,.0f}"),
    ("rho_signed", "ρ signed", "{:.3f}"),
    ("rho_absolute", "ρ abs", "{:.3f}"),
    ("top_10", "top 10 %", "{:.2f}"),
    ("top_30", "top 30 %", "{:.2f}"),
    ("top_50", "top 50 %", "{:.2f}"),
    ("speedup_over_exact", "x exact", "{:.1f}"),
    ("engine_ratio_to_gcn", "engine / GCN", "{:.2f}"),
    ("ratio_to_gcn", "labels + engine / GCN", "{:.2f}"),
]


@app.callback(invoke_without_command=True)
def everything(
    context: typer.Context,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Without a subcommand: exact, engines and growth, one after another."""
    if context.invoked_subcommand is not None:
        return
    root = _text(data_root)
    with progress_bar(quiet=quiet) as progress:
        found: JsonObject = {
            "exact": bench_exact(DEFAULT_GRAPHS[0], data_root=root, progress=progress),
            "engines": [
                row for graph in DEFAULT_GRAPHS for row in bench_engines(graph, data_root=root, progress=progress)
            ],
            "growth": bench_growth(progress=progress),
        }
    if json:
        print_json(found)
        return
    _show_exact(found["exact"])
    _show_engines(found["engines"])
    _show_growth(found["growth"])


@app.command()
def exact(
    graph: Annotated[str, typer.Argument(help="Graph to measure on.")] = DEFAULT_GRAPHS[0],
    sample: Annotated[int, typer.Option("--sample", min=1, help="Edges on which Algorithm 1 is timed.")] = 12,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """The exact engine against Algorithm 1 as printed."""
    with progress_bar(quiet=quiet) as progress:
        found = bench_exact(graph, sample=sample, data_root=_text(data_root), progress=progress)
    print_json(found) if json else _show_exact(found)


@app.command()
def engines(
    graphs: Annotated[list[str] | None, typer.Argument(help="Graphs to measure on.")] = None,
    sample: Annotated[
        int, typer.Option("--exact-sample", min=0, help="On large graphs: edges scored exactly, 0 for none.")
    ] = 1_000,
    only: Annotated[str | None, typer.Option("--only", help="Engines, comma-separated; default all.")] = None,
    engine_option: EngineSettingsOption = None,
    stages: Annotated[bool, typer.Option("--stages", help="Also show where each engine's time goes.")] = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Every engine: seconds, memory, agreement with exact, ratio to 200 epochs of GCN."""
    contenders = _contenders(only, parse_settings("--engine-option", engine_option))
    with progress_bar(quiet=quiet) as progress:
        rows = [
            row
            for graph in graphs or DEFAULT_GRAPHS
            for row in bench_engines(
                graph, contenders=contenders, exact_sample=sample, data_root=_text(data_root), progress=progress
            )
        ]
    if json:
        print_json(rows)
        return
    _show_engines(rows)
    if stages:
        _show_stages(rows)


@app.command()
def growth(json: JsonOption = False, quiet: QuietOption = False) -> None:
    """How time grows from ten thousand to a million edges."""
    with progress_bar(quiet=quiet) as progress:
        rows = bench_growth(progress=progress)
    print_json(rows) if json else _show_growth(rows)


def _contenders(only: str | None, settings: JsonObject) -> Contenders:
    """The usual line-up, or its part named by ``only``; with options, the named engines with just these."""
    if only is None:
        if settings:
            raise InvalidParameterError("--engine-option needs --only with the engines that it is for")
        return CONTENDERS
    names = only.split(",")
    for name in names:
        make_engine(name, settings)  # a wrong name or option is told before anything is measured
    return tuple((name, settings) for name in names) if settings else tuple(c for c in CONTENDERS if c[0] in names)


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _show_exact(found: JsonObject) -> None:
    rows = [
        ["Algorithm 1 as printed, one edge", f"{found['algorithm1_seconds_per_edge']:.3f} s"],
        [f"the same for {found['edges']} edges", f"{found['algorithm1_seconds_all_edges']:,.0f} s"],
        ["exact engine, all edges", f"{found['exact_seconds']:.2f} s"],
        ["ratio", f"{found['speedup']:,.0f} x"],
        ["largest difference, relative to the largest score", f"{found['largest_difference']:.1e}"],
        ["peak memory", f"{found['peak_mb']:,.0f} MB"],
    ]
    show_table(f"{found['graph']}: exact engine and Algorithm 1", ["what", "measured"], rows)


def _show_engines(rows: list[JsonObject]) -> None:
    table = [
        [row["graph"], row["engine"], *(form.format(row[key]) if key in row else "" for key, _, form in _COLUMNS)]
        for row in rows
    ]
    show_table("engines", ["graph", "engine", *(title for _, title, _ in _COLUMNS)], table)


def _show_stages(rows: list[JsonObject]) -> None:
    table = [
        [row["graph"], row["engine"], stage, f"{seconds:.2f}"]
        for row in rows
        for stage, seconds in row.get("stages", {}).items()
    ]
    show_table("where the time goes", ["graph", "engine", "stage", "seconds"], table)


def _show_growth(rows: list[JsonObject]) -> None:
    table = [
        [row["engine"], f"{edges:,}", f"{seconds:.2f}", f"{peak:,.0f}", f"{row['exponent']:.2f}"]
        for row in rows
        for edges, seconds, peak in zip(row["edges"], row["seconds"], row["peak_mb"], strict=True)
    ]
    show_table("growth", ["engine", "edges", "seconds", "peak MB", "exponent"], table)
