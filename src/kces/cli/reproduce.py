"""``kces reproduce``: the paper's tables and figures, run again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kces.cli.options import DataRootOption, JsonOption, QuietOption
from kces.cli.output import console, errors, print_json, progress_bar, show_table
from kces.cli.scale_options import ClusterOption, WorkersOption
from kces.errors import InvalidParameterError
from kces.interop.optional import missing

if TYPE_CHECKING:
    from kces.lab.reproduce import Plan, Report, RunReport, Settings

__all__ = ["reproduce"]

_GIBIBYTE = 2**30


def reproduce(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A table or figure; list (or nothing) shows what there is.")
    ] = "list",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Trainings per number.")] = 10,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Settings tried on validation for each method.")] = 10,
    slow_seeds: Annotated[int, typer.Option("--slow-seeds", min=1, help="The same for slow methods.")] = 1,
    slow_trials: Annotated[
        int, typer.Option("--slow-trials", min=1, help="The same for slow methods; 1 is their default setting.")
    ] = 1,
    slow: Annotated[
        str, typer.Option("--slow", help="The slow methods, with commas: those whose training takes minutes.")
    ] = "prognn",
    only: Annotated[
        str,
        typer.Option(
            "--only", help="Data sets or graphs (cora, cora@clean, cora@nettack-5), with commas. Default: all."
        ),
    ] = "",
    methods: Annotated[str, typer.Option("--methods", help="Methods, separated by commas. Default: all.")] = "",
    training: Annotated[
        str, typer.Option("--training", metavar="deeprobust|paper|glorot", help="How models are trained.")
    ] = "deeprobust",
    quick: Annotated[
        bool, typer.Option("--quick", help="A small subset in minutes: 1 seed, 3 trials, fewer graphs and methods.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes at a time.")] = 1,
    memory: Annotated[
        float | None,
        typer.Option("--memory", metavar="GIB", min=0.1, help="Memory per process. Default: what is free."),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", min=1, help="Wall time per process. Default: none.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run again what ended in OOM, error or timeout.")
    ] = False,
    no_run: Annotated[bool, typer.Option("--no-run", help="Run nothing: tables from finished cells.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for tables and figures. Default: results/NAME."),
    ] = None,
    store: Annotated[
        Path | None, typer.Option("--store", metavar="FILE", help="Finished cells. Default: in the cache folder.")
    ] = None,
    cells: Annotated[
        Path | None,
        typer.Option("--cells", metavar="DIR", help="Finished cells as text: read before the run, written after it."),
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Run a table or figure of the paper again: finished parts are kept, so a killed run goes on where it was."""
    from kces.lab import reproduce as lab

    if name == "list":
        _list(json)
        return
    experiment = lab.find_experiment(name)
    _check_training(training)
    if quick:
        _refuse_beside_quick(context, "seeds", "trials", "slow_seeds", "slow_trials", "slow")
    plan: Plan = (
        lab.Plan.quickly(_words(only), _words(methods), training)
        if quick
        else lab.Plan(
            seeds,
            trials,
            _words(only),
            _words(methods),
            training,
            slow_seeds=slow_seeds,
            slow_trials=slow_trials,
            slow=_words(slow),
        )
    )
    experiment.plan_slots(plan)  # refuses wishes that it cannot fulfil
    folder = output or Path("results") / name
    lab.make_folder(folder)  # now: hours later is too late to hear that it cannot be written
    settings: Settings | None = None
    if not no_run:
        limit = None if memory is None else int(memory * _GIBIBYTE)
        settings = lab.Settings(jobs, limit, timeout, retry_failed, data_root)
    try:
        with progress_bar(quiet=quiet or json) as progress, _on_cluster(settings, workers, cluster) as settings:
            place = store or lab.default_store()
            report, ran = lab.reproduce(experiment, plan, place, settings, kept=cells, progress=progress)
    except KeyboardInterrupt:
        errors.print("stopped; finished cells are kept: the same command goes on from here", highlight=False)
        raise typer.Exit(130) from None
    files = lab.write_report(report, folder)
    _show(report, ran, files, json)


@contextmanager
def _on_cluster(settings: Settings | None, workers: int | None, cluster: str | None) -> Iterator[Settings | None]:
    """The same settings, with the cells run by a cluster if there is to be one."""
    if settings is None or (workers is None and cluster is None):
        yield settings
        return
    from kces.cli.folder_input import open_executor

    with open_executor(workers, cluster, settings.memory) as executor:
        memory = settings.memory or executor.memory
        yield replace(settings, jobs=executor.workers, memory=memory, client=getattr(executor, "client", None))


def _refuse_beside_quick(context: typer.Context, *parameters: str) -> None:
    for parameter in parameters:
        source = context.get_parameter_source(parameter)
        if source is not None and source.name == "COMMANDLINE":
            option = "--" + parameter.replace("_", "-")
            raise InvalidParameterError(f"--quick has its own numbers; leave out {option}, or --quick")


def _check_training(name: str) -> None:
    """Refuse a bad name now, and a missing torch once instead of in every cell."""
    try:
        from kces.lab.training import training_preset
    except ImportError as error:
        raise missing("reproducing the paper needs torch", extra="lab") from error
    training_preset(name)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _list(json: bool) -> None:
    from kces.lab.reproduce import EXPERIMENTS

    if json:
        print_json([{"name": each.name, "about": each.about} for each in EXPERIMENTS.values()])
        return
    rows = [[each.name, each.about] for each in EXPERIMENTS.values()]
    show_table("kces reproduce NAME", ["name", "what it makes"], rows)


def _show(report: Report, ran: RunReport | None, files: list[Path], json: bool) -> None:
    from kces.lab.reproduce import plain_tables, to_frame

    run = None if ran is None else {"reused": ran.reused, "ran": ran.ran, "seconds": round(ran.seconds, 1)}
    if json:
        table = to_frame(report.filled)
        records = table.astype(object).where(table.notna(), None).to_dict(orient="records")
        print_json(report.facts() | {"run": run, "files": [str(file) for file in files], "table": records})
        return
    if report.plan.quick:
        console.print("quick run: a small subset, see the notes in the output", highlight=False)
    for section, columns, rows in plain_tables(report.filled):
        show_table(section, columns, rows)
    if ran is not None:
        ended = ", ".join(f"{count} {status}" for status, count in ran.ran.items()) or "nothing"
        console.print(f"cells: {ran.reused} reused, ran {ended}, {ran.seconds:.0f} s", highlight=False)
    for file in files:
        console.print(f"wrote {file}", highlight=False, soft_wrap=True)
