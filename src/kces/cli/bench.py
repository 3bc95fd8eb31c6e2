"""``kces bench``: speed, memory and fidelity of the engines on this machine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from kces.bench.against import bench_against
from kces.bench.cases import ROBUST_CASES
from kces.bench.ceilings import Ceilings
from kces.bench.fidelity import FIDELITY_GRAPHS, bench_fidelity
from kces.bench.runs import (
    CONTENDERS,
    DEFAULT_GRAPHS,
    GROWTH_SIZES,
    ROBUST_SIZES,
    Contenders,
    bench_engines,
    bench_exact,
    bench_growth,
    bench_limits,
    bench_robust,
)
from kces.cli.bench_scale import scale
from kces.cli.options import DataRootOption, EngineSettingsOption, JsonOption, QuietOption
from kces.cli.output import print_json, progress_bar, show_table
from kces.cli.settings import parse_settings
from kces.engines import make_engine
from kces.errors import InvalidParameterError
from kces.processes.answers import JsonObject

__all__ = ["app"]

app = typer.Typer(help="Measure the engines: each in a fresh process, ratios side by side in one run.")

app.command()(scale)

_COLUMNS = [
    ("label_seconds", "labels s", "{:.2f}"),
    ("seconds", "engine s", "{:.2f}"),
    ("processor_seconds", "engine CPU s", "{:.2f}"),
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
    ("processor_ratio_to_gcn", "the same, CPU", "{:.2f}"),
    ("arithmetic_share", "arithmetic", "{:.0%}"),
    ("bytes_share", "bytes", "{:.0%}"),
]
_ROBUST_COLUMNS = [
    ("seconds", "score s", "{:.2f}"),
    ("cut_seconds", "cut s", "{:.2f}"),
    ("cut_share", "cut / score", "{:.0%}"),
    ("processor_seconds", "CPU s", "{:.2f}"),
    ("cores", "cores busy", "{:.1f}"),
    ("peak_mb", "peak MB", "{:,.0f}"),
    ("arithmetic_share", "arithmetic", "{:.0%}"),
    ("bytes_share", "bytes", "{:.0%}"),
]


@app.callback(invoke_without_command=True)
def everything(
    context: typer.Context,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Without a subcommand: limits, robust, exact, engines and growth, one after another."""
    if context.invoked_subcommand is not None:
        return
    root = _text(data_root)
    with progress_bar(quiet=quiet) as progress:
        ceilings = bench_limits()
        found: JsonObject = {
            "limits": asdict(ceilings),
            "robust": bench_robust(ceilings=ceilings, data_root=root, progress=progress),
            "exact": bench_exact(DEFAULT_GRAPHS[0], data_root=root, progress=progress),
            "engines": [
                row
                for graph in DEFAULT_GRAPHS
                for row in bench_engines(graph, ceilings=ceilings, data_root=root, progress=progress)
            ],
            "growth": bench_growth(progress=progress),
        }
    if json:
        print_json(found)
        return
    _show_limits(ceilings)
    _show_robust(found["robust"])
    _show_exact(found["exact"])
    _show_engines(found["engines"])
    _show_growth(found["growth"])


@app.command()
def limits(json: JsonOption = False) -> None:
    """What this machine can do at best: matrix products, memory, sparse products."""
    found = bench_limits()
    print_json(asdict(found)) if json else _show_limits(found)


@app.command()
def robust(
    graphs: Annotated[list[str] | None, typer.Argument(help="Graphs to measure on.")] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Preset robust with its automatic cut: seconds, memory, shares of the machine's limits."""
    with progress_bar(quiet=quiet) as progress:
        ceilings = bench_limits()
        rows = bench_robust(graphs or ROBUST_CASES, ceilings=ceilings, data_root=_text(data_root), progress=progress)
    if json:
        print_json({"limits": asdict(ceilings), "rows": rows})
        return
    _show_limits(ceilings)
    _show_robust(rows)


@app.command()
def against(
    other_python: Annotated[str, typer.Argument(help="Python of an environment with another version of kces.")],
    graphs: Annotated[list[str] | None, typer.Argument(help="Graphs to measure on.")] = None,
    preset: Annotated[str, typer.Option("--preset", help="robust or paper.")] = "robust",
    engine: Annotated[str | None, typer.Option("--engine", help="Of preset paper.")] = None,
    times: Annotated[int, typer.Option("--times", min=1, help="Scorings of each graph; the quickest counts.")] = 2,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Another version of kces against this one, in one run: seconds, ratio, difference of the scores."""
    options: JsonObject = {"preset": preset} | ({} if engine is None else {"engine": engine})
    with progress_bar(quiet=quiet) as progress:
        rows = bench_against(
            other_python,
            graphs or ROBUST_CASES,
            options=options,
            times=times,
            data_root=_text(data_root),
            progress=progress,
        )
    print_json(rows) if json else _show_against(rows)


@app.command()
def fidelity(
    graphs: Annotated[list[str] | None, typer.Argument(help="Graphs to measure on.")] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """How well each solve of large graphs ranks, against the true solution from all features."""
    with progress_bar(quiet=quiet) as progress:
        rows = bench_fidelity(graphs or FIDELITY_GRAPHS, data_root=_text(data_root), progress=progress)
    print_json(rows) if json else _show_fidelity(rows)


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
    gcn: Annotated[bool, typer.Option("--gcn/--no-gcn", help="Train a GCN beside them.")] = True,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Every engine: seconds, memory, agreement with exact, ratio to 200 epochs of GCN."""
    contenders = _contenders(only, parse_settings("--engine-option", engine_option))
    with progress_bar(quiet=quiet) as progress:
        ceilings = bench_limits()
        rows = [
            row
            for graph in graphs or DEFAULT_GRAPHS
            for row in bench_engines(
                graph,
                contenders=contenders,
                exact_sample=sample,
                with_gcn=gcn,
                ceilings=ceilings,
                data_root=_text(data_root),
                progress=progress,
            )
        ]
    if json:
        print_json(rows)
        return
    _show_limits(ceilings)
    _show_engines(rows)
    if stages:
        _show_stages(rows)


@app.command()
def growth(
    preset: Annotated[str, typer.Option("--preset", help="paper (its engines) or robust.")] = "paper",
    largest: Annotated[int | None, typer.Option("--largest", min=10_000, help="Edges of the largest graph.")] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """How time and memory grow: the engines of paper to a million edges, robust to ten million."""
    if preset not in ("paper", "robust"):
        raise InvalidParameterError(f"unknown preset '{preset}'; use one of paper, robust")
    engines, sizes = (("robust",), ROBUST_SIZES) if preset == "robust" else (("local", "gradient"), GROWTH_SIZES)
    asked = tuple(size for size in sizes if largest is None or size <= largest)
    with progress_bar(quiet=quiet) as progress:
        rows = bench_growth(engines, sizes=asked, progress=progress)
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


def _show_limits(found: Ceilings) -> None:
    rows = [
        ["matrix product, single precision", f"{found.gemm32 / 1e9:,.0f} Gflop/s"],
        ["matrix product, double precision", f"{found.gemm64 / 1e9:,.0f} Gflop/s"],
        ["memory, a = b + 3 c", f"{found.stream / 1e9:,.1f} GB/s"],
        ["sparse product, 64 columns", f"{found.sparse / 1e9:,.1f} Gflop/s"],
    ]
    show_table("limits of this machine", ["what", "at best"], rows)


def _show_robust(rows: list[JsonObject]) -> None:
    table = [
        [row["graph"], f"{row['edges']:,}", *(form.format(row[key]) for key, _, form in _ROBUST_COLUMNS)]
        for row in rows
    ]
    show_table("preset robust", ["graph", "edges", *(title for _, title, _ in _ROBUST_COLUMNS)], table)


def _show_against(rows: list[JsonObject]) -> None:
    table = [
        [
            row["graph"],
            f"{row['other']['seconds']:.2f}",
            f"{row['own']['seconds']:.2f}",
            f"{row['speedup']:.1f}",
            f"{row['processor_speedup']:.1f}",
            f"{row['other']['peak_mb']:,.0f}",
            f"{row['own']['peak_mb']:,.0f}",
            f"{row['largest_difference']:.0e}",
        ]
        for row in rows
    ]
    versions = [f"{row['other']['version']} s" for row in rows[:1]] + [f"{row['own']['version']} s" for row in rows[:1]]
    titles = ["graph", *versions, "faster", "CPU", "peak MB", "peak MB", "scores differ by"]
    show_table("another version, and this one", titles, table)


def _show_fidelity(rows: list[JsonObject]) -> None:
    table = [
        [
            row["graph"],
            f"{row['solve']}{' (taken)' if row.get('taken') else ''}",
            f"{row['seconds']:.1f}",
            f"{row['peak_mb']:,.0f}",
            f"{row['left']:.1e}",
            *(f"{row[key]:.3f}" if key in row else "" for key in ("rho_signed", "rho_absolute", "top_10")),
        ]
        for row in rows
    ]
    columns = ["graph", "solve", "solve and field s", "peak MB", "left of y", "ρ signed", "ρ abs", "top 10 %"]
    show_table("solve of large graphs", columns, table)


def _show_exact(found: JsonObject) -> None:
    rows = [
        ["Algorithm 1 as printed, one edge", f"{found['algorithm1_seconds_per_edge']:.3f} s"],
        [f"the same for {found['edges']} edges", f"{found['algorithm1_seconds_all_edges']:,.0f} s"],
        ["exact engine, all edges", f"{found['exact_seconds']:.2f} s"],
        ["ratio", f"{found['speedup']:,.0f} x"],
        ["ratio, CPU seconds", f"{found['processor_speedup']:,.0f} x"],
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
        [
            row["engine"],
            f"{edges:,}",
            f"{seconds:.2f}",
            f"{peak:,.0f}",
            f"{peak * 2**20 / edges:,.0f}",
            f"{row['exponent']:.2f}",
        ]
        for row in rows
        for edges, seconds, peak in zip(row["edges"], row["seconds"], row["peak_mb"], strict=True)
    ]
    show_table("growth", ["engine", "edges", "seconds", "peak MB", "bytes / edge", "exponent"], table)
