"""``kces evaluate``: defenses compared on one graph."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from kces.atomic import atomic_write, check_output
from kces.cli.completion import complete_defenses
from kces.cli.folder_input import open_executor
from kces.cli.options import DataRootOption, FeaturesOption, ForceOption, GraphArgument, JsonOption, QuietOption
from kces.cli.output import console, errors, print_json, progress_bar, show_table
from kces.cli.plugin_option import PluginOption, load_plugins
from kces.cli.scale_options import ClusterOption, WorkersOption
from kces.datasets import load_attacked
from kces.datasets.attacked_files import read_attacked
from kces.errors import InvalidParameterError
from kces.interop.optional import missing
from kces.plugins import plugin_errors_as_lines
from kces.processes.answers import JsonObject

if TYPE_CHECKING:
    import pandas as pd

    from kces.datasets.attacked import AttackedGraph

__all__ = ["evaluate"]


def evaluate(
    graph: GraphArgument,
    defense: Annotated[
        str,
        typer.Option(
            "--defense",
            metavar="NAMES",
            autocompletion=complete_defenses,
            help="Defenses, separated by commas: a model (gcn, gat, …), a purifier (jaccard, …) before a GCN, "
            "or both joined (kces+gat).",
        ),
    ] = "gcn,kces+gcn,jaccard",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Number of runs with different seeds.")] = 10,
    trials: Annotated[
        int,
        typer.Option("--trials", min=1, help="Settings tried on validation for each defense; 1 takes the defaults."),
    ] = 10,
    preset_training: Annotated[
        str, typer.Option("--preset-training", metavar="deeprobust|paper|glorot", help="How models are trained.")
    ] = "deeprobust",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Write a row per run here as CSV.")
    ] = None,
    features: FeaturesOption = None,
    plugin: PluginOption = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Train defenses on a graph and compare their accuracy (on test nodes, or the targets of the attack)."""
    try:
        from kces.lab import evaluation
        from kces.lab.evaluation_cells import EvaluationCell, evaluate_cells
        from kces.lab.training import training_preset
    except ImportError as error:
        raise missing("evaluating defenses needs torch", extra="lab") from error
    preset = training_preset(preset_training)
    if output is not None:
        check_output(output, force=force)
    if plugin and (workers or cluster):
        raise InvalidParameterError("the workers of a cluster do not load plugins; leave out --plugin or the cluster")
    plugins = load_plugins(plugin)
    names = [name.strip() for name in defense.split(",") if name.strip()]
    finished: list[JsonObject] = []
    try:
        with progress_bar(quiet=quiet or json) as progress, plugin_errors_as_lines(plugins):
            attacked = _open(graph, features, data_root)
            if workers is None and cluster is None:
                rows = evaluation.evaluate(
                    [attacked],
                    names,
                    seeds=seeds,
                    trials=trials,
                    preset=preset,
                    progress=progress,
                    on_run=finished.append,
                )
            else:
                where = str(Path(graph).absolute()) if Path(graph).exists() else graph
                root = None if data_root is None else str(data_root.absolute())
                cells = [EvaluationCell(where, name, seeds, trials, preset.name, features, root) for name in names]
                with open_executor(workers, cluster) as executor:
                    rows = evaluate_cells(cells, executor, progress=progress, on_run=finished.append)
    except KeyboardInterrupt:
        kept = "without -o the finished runs are lost"
        if output is not None:
            _write(evaluation.table(finished), output, force)
            kept = f"{len(finished)} finished runs are in {output}"
        errors.print(escape(f"stopped; {kept}"), highlight=False)
        raise typer.Exit(130) from None
    if output is not None:
        _write(rows, output, force)
    summary = evaluation.summarize(rows)
    if json:
        print_json({"graph": attacked.graph.name, "summary": _records(summary), "runs": _records(rows)})
        return
    _show(attacked, summary, seeds)
    if output is not None:
        console.print(f"wrote {output}")


def _write(rows: pd.DataFrame, output: Path, force: bool) -> None:
    with atomic_write(output, force=force) as temporary:
        rows.to_csv(temporary, index=False)


def _open(graph: str, features: str | None, data_root: Path | None) -> AttackedGraph:
    if Path(graph).exists():
        return read_attacked(graph, features=features)
    if features is not None:
        raise InvalidParameterError(f"--features goes with a graph file, and there is no file {graph}")
    return load_attacked(graph, data_root)


def _records(table: pd.DataFrame) -> list[JsonObject]:
    """Rows for JSON: empty cells as null, the chosen hyper-parameters as an object."""
    records = table.astype(object).where(table.notna(), None).to_dict(orient="records")
    return [record | {"parameters": jsonlib.loads(record["parameters"])} for record in records]


def _show(attacked: AttackedGraph, summary: pd.DataFrame, seeds: int) -> None:
    judged = "targets of the attack" if attacked.targets is not None else "test nodes"
    show_table(
        f"{attacked.graph.name}: accuracy on {len(attacked.judged_nodes)} {judged}, {seeds} seed(s), "
        f"training {summary['training'].iloc[0]}",
        ["defense", "accuracy %", "seconds", "peak MB", "chosen on validation"],
        [_cells(row) for row in summary.to_dict(orient="records")],
    )
    for row in summary.to_dict(orient="records"):
        if row["note"]:
            console.print(escape(f"{row['defense']}: {row['note']}"), highlight=False, soft_wrap=True)


def _cells(row: JsonObject) -> list[str]:
    if row["runs"] == 0:
        return [row["defense"], "–", "–", "–", "–"]
    spread = f" ± {row['std']:.1f}" if row["runs"] > 1 else ""
    chosen = ", ".join(f"{name} {value}" for name, value in jsonlib.loads(row["parameters"]).items())
    return [
        row["defense"],
        f"{row['mean']:.1f}{spread}",
        f"{row['seconds']:.2f}",
        f"{row['peak_mb']:.0f}",
        chosen or "defaults",
    ]
