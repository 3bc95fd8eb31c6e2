"""``kces lab cost|strength|cut|alpha|seeds|study``: the measurements behind the tables of the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from kces.atomic import atomic_write, check_output
from kces.cli.lab_plan import plan
from kces.cli.options import DataRootOption, ForceOption, GraphArgument, JsonOption, QuietOption
from kces.cli.output import console, print_json, progress_bar, show_table
from kces.errors import InvalidParameterError, KCESError
from kces.interop.optional import missing

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from kces.lab.measure import Cost

__all__ = ["app"]

app = typer.Typer(help="Measure defenses, attacks and variants of the score.", no_args_is_help=True)

app.command()(plan)

TableOption = Annotated[Path | None, typer.Option("--output", "-o", metavar="OUT", help="Write the table here as CSV.")]


@app.command()
def cost(
    graph: GraphArgument,
    defense: Annotated[str, typer.Option("--defense", metavar="NAMES", help="Defenses, separated by commas.")],
    output: TableOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Time and memory of one training of each defense, in a fresh process each."""
    with _torch_needed():
        from kces.lab.measure import EPOCHS, measure_fresh
    names = _words("--defense", defense)
    _check(output, force)
    costs = []
    with progress_bar(quiet=quiet or json) as progress:
        for done, name in enumerate(names):
            progress("fresh processes", done, len(names))
            costs.append(measure_fresh(graph, name, data_root))
    if all(each.seconds is None for each in costs):
        raise KCESError(f"nothing could be measured on {graph}: {costs[0].note}")
    _write_table(output, [asdict(each) for each in costs], force)
    if json:
        print_json([asdict(each) for each in costs])
        return
    _show_costs(f"{graph}: one training each, fresh process, default hyper-parameters, {EPOCHS} epochs", costs)
    _say_written(output)


@app.command()
def strength(
    only: Annotated[str, typer.Option("--only", metavar="DATASET", help="The data set.")] = "cora",
    methods: Annotated[
        str | None, typer.Option("--methods", metavar="NAMES", help="Attacks, separated by commas. Default: all.")
    ] = None,
    budgets: Annotated[str, typer.Option("--budgets", help="Shares of the edges, separated by commas.")] = "0.1,0.25",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="GCN runs per graph.")] = 5,
    output: TableOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Accuracy of a GCN under each attack, as a Markdown table; a process of its own for every row."""
    with _torch_needed():
        from kces.lab.attack_strength import HEADER, graph_names, markdown_row, strength_in_fresh_process
        from kces.lab.attacks import ATTACKS
    from kces.datasets import files_needed

    files_needed(only)  # refuses an unknown data set
    chosen = list(ATTACKS) if methods is None else _words("--methods", methods)
    names = graph_names(only, chosen, _numbers("--budgets", budgets))
    _check(output, force)
    rows = []
    if not json:
        typer.echo(HEADER)
    with progress_bar(quiet=quiet or json) as progress:
        for done, name in enumerate(names):
            progress("graphs", done, len(names))
            rows.append(strength_in_fresh_process(name, data_root, seeds))
            if not json:
                typer.echo(markdown_row(rows[-1]))
    _write_table(output, [asdict(row) for row in rows], force)
    if json:
        print_json([asdict(row) for row in rows])
        return
    _say_written(output)


@app.command()
def cut(
    graphs: Annotated[
        list[str] | None, typer.Argument(metavar="[GRAPHS]...", help="Default: those of docs/robust.md.")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=0, help="GCN runs per accuracy; 0 trains none.")] = 0,
    output: TableOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """What the automatic cut says of graphs whose noise is known, as a Markdown table."""
    with _torch_needed():
        from kces.lab.study.cut_rows import CHOSEN_ON, LOOKED_AT, cut_rows
    names = graphs or (*CHOSEN_ON, *LOOKED_AT)
    _show_rows(cut_rows(names, seeds=seeds, data_root=data_root), output, force=force, json=json)


@app.command()
def alpha(
    graphs: Annotated[
        list[str] | None, typer.Argument(metavar="[GRAPHS]...", help="Default: those the rule was chosen on.")
    ] = None,
    look: Annotated[bool, typer.Option("--look", help="The graphs that played no part in the rule instead.")] = False,
    seeds: Annotated[int, typer.Option("--seeds", min=0, help="GCN runs per ratio; 0 trains none.")] = 0,
    output: TableOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """α without labels, by labels and by trained models, and what each is worth, as a Markdown table."""
    with _torch_needed():
        from kces.lab.study.alpha_rows import CHOSEN_ON, LOOKED_AT, alpha_rows
    names = graphs or (LOOKED_AT if look else CHOSEN_ON)
    _show_rows(alpha_rows(names, seeds=seeds, data_root=data_root), output, force=force, json=json)


@app.command()
def seeds(
    graphs: Annotated[
        list[str] | None, typer.Argument(metavar="[GRAPHS]...", help="Default: those of docs/reliability.md.")
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=2, help="Clusterings that are compared.")] = 5,
    trainings: Annotated[int, typer.Option("--trainings", min=0, help="GCN runs per cut; 0 trains none.")] = 0,
    output: TableOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """How much of what preset paper prunes depends on the seed, with two rules of codes, as a Markdown table."""
    with _torch_needed():
        from kces.lab.study.seed_rows import GRAPHS, seed_rows
    found = seed_rows(graphs or GRAPHS, seeds=seeds, trainings=trainings, data_root=data_root)
    _show_rows(found, output, force=force, json=json)


def _show_rows(found: Iterable[DataclassInstance], output: Path | None, *, force: bool, json: bool) -> None:
    """Rows as a Markdown table, each as soon as it is there; or all as JSON; and as CSV into ``output``."""
    _check(output, force)
    rows: list[dict[str, object]] = []
    for each in found:
        row = asdict(each)
        if not rows and not json:
            typer.echo("| " + " | ".join(name.replace("_", " ") for name in row) + " |")
            typer.echo("|" + "---|" * len(row))
        rows.append(row)
        if not json:
            typer.echo("| " + " | ".join(_cell(value) for value in row.values()) + " |")
    _write_table(output, rows, force)
    if json:
        print_json(rows)
    else:
        _say_written(output)


def _cell(value: str | float | None) -> str:
    """A share with three digits, an accuracy with one."""
    if value is None or isinstance(value, str):
        return value or "–"
    return f"{value:.1f}" if value > 1 else f"{value:.3f}"


@app.command()
def study(
    what: Annotated[
        str, typer.Argument(metavar="tune|look", help="tune: tuning graphs; look: held-out graphs.", show_default=False)
    ],
    graph: Annotated[list[str] | None, typer.Option("--graph", help="Only this graph; may be repeated.")] = None,
    variant: Annotated[list[str] | None, typer.Option("--variant", help="Only this variant; may be repeated.")] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=0, help="GCN seeds per α; 0 ranks only, without training.")] = 0,
    references: Annotated[
        bool, typer.Option("--references", help="Add rows without defense, at the automatic α and of the oracle.")
    ] = False,
    output: TableOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Variants of the score on the graphs of the study, as CSV, a line as soon as it is there."""
    with _torch_needed():
        from kces.lab.study.study_rows import csv_header, csv_line, study_rows
    _check(output, force)
    rows, lines = [], [csv_header()]
    if not json:
        typer.echo(lines[0])
    wishes = {"graphs": graph or (), "variants": variant or ()}
    for row in study_rows(what, **wishes, seeds=seeds, references=references, data_root=data_root):
        rows.append(asdict(row))
        lines.append(csv_line(row))
        if not json:
            typer.echo(lines[-1])
    if output is not None:
        with atomic_write(output, force=force) as temporary:
            temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if json:
        print_json(rows)


@contextmanager
def _torch_needed() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise missing("the laboratory needs torch", extra="lab") from error


def _words(option: str, text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise InvalidParameterError(f"{option} names nothing to measure")
    return words


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(word) for word in _words(option, text)]
    except ValueError:
        raise InvalidParameterError(f"{option} takes numbers separated by commas, got '{text}'") from None


def _check(output: Path | None, force: bool) -> None:
    if output is not None:
        check_output(output, force=force)


def _write_table(output: Path | None, rows: list[dict[str, object]], force: bool) -> None:
    if output is not None:
        import pandas as pd

        with atomic_write(output, force=force) as temporary:
            pd.DataFrame(rows).to_csv(temporary, index=False)


def _say_written(output: Path | None) -> None:
    if output is not None:
        console.print(escape(f"wrote {output}"), highlight=False, soft_wrap=True)


def _show_costs(title: str, costs: list[Cost]) -> None:
    show_table(
        title,
        ["defense", "seconds", "CPU seconds", "peak MB", "before fit MB", "accuracy"],
        [[each.defense, *map(_number, _figures(each))] for each in costs],
    )
    for each in costs:
        if each.note:
            console.print(escape(f"{each.defense}: {each.note}"), highlight=False, soft_wrap=True)


def _figures(cost: Cost) -> tuple[float | None, ...]:
    return cost.seconds, cost.cpu_seconds, cost.peak_mb, cost.before_mb, cost.accuracy


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"
