"""``kces explore``: the report with a server behind it, to mark edges and save what they leave."""

from __future__ import annotations

import re
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from kces.cli.graph_input import GraphInput, open_input
from kces.cli.input_options import InputOptions
from kces.cli.known_attack import with_known_attack
from kces.cli.option_groups import with_option_groups
from kces.cli.options import GraphArgument, QuietOption
from kces.cli.output import console, print_lines
from kces.cli.report import typed_command
from kces.cli.score_input import ScoredInput, ScoringOptions, parse_alpha, score_opened
from kces.cut import Cut
from kces.errors import OutputError
from kces.interop.formats import format_of
from kces.interop.limits import STANDARD_INPUT
from kces.interop.outputs import plain_name
from kces.report import report_payload
from kces.report.explorer import Explorer
from kces.report.held import Held
from kces.report.marks import Marks
from kces.report.numbers import Json
from kces.report.server import ExploreServer
from kces.scorers import Scored, make_scorer

__all__ = ["explore"]

_MARKS_ENDING = ".kces-marks.json"


@with_option_groups
def explore(
    graph: GraphArgument,
    inputs: InputOptions = InputOptions(),
    scoring: ScoringOptions = ScoringOptions(),
    port: Annotated[int, typer.Option("--port", help="Where to listen on 127.0.0.1; 0 takes a free port.")] = 0,
    folder: Annotated[
        Path, typer.Option("--folder", metavar="DIR", help="Where Save may write, and nowhere else.")
    ] = Path(),
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
    quiet: QuietOption = False,
) -> None:
    """Look at GRAPH in the browser, mark edges as fine or harmful, and save it without the harmful ones."""
    if not folder.is_dir():
        raise OutputError(f"folder {folder} does not exist; create it first")
    scoring.checked()
    began = time.perf_counter()
    found = score_opened(with_known_attack(open_input(graph, inputs)), scoring, quiet=quiet)
    explorer = _explorer(found, scoring, folder.resolve(), time.perf_counter() - began)
    explorer.payload()  # made before anybody waits for it
    with ExploreServer(explorer, port) as server:
        print_lines([f"{found.scored.graph.name}: {server.address}", f"marks: {explorer.marks.path}; Ctrl-C stops"])
        console.file.flush()
        if browser:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        finally:
            explorer.finish()


def _explorer(found: ScoredInput, scoring: ScoringOptions, folder: Path, seconds: float) -> Explorer:
    opened = found.opened

    def describe(scored: Scored, cut: Cut, held: Held) -> Json:
        document = report_payload(
            scored,
            cut,
            injected=opened.injected,
            clean=opened.clean,
            held=held,
            mode="explore",
            command=typed_command(),
            reading=opened.reading(),
            seconds=seconds,
            seed=scoring.seed,
        )
        return document | {"save_name": _save_name(opened)}

    return Explorer(
        scorer=make_scorer(scoring.checked()),
        original=found.scored,
        marks=Marks.opened(found.scored.graph, _marks_file(opened, folder)),
        folder=folder,
        describe=describe,
        write=lambda path, kept: opened.write(path, kept, format=None, force=False),
        alpha=parse_alpha(scoring.alpha),
    )


def _marks_file(opened: GraphInput, folder: Path) -> Path:
    """Beside the file of the graph; in the folder for a graph without one."""
    if opened.file is not None and opened.file.path != STANDARD_INPUT:
        return opened.file.path.with_name(opened.file.path.name + _MARKS_ENDING)
    return folder / (_plain_name(opened) + _MARKS_ENDING)


def _save_name(opened: GraphInput) -> str:
    """The name that the page proposes: in the format of the input; a graph without a file keeps all it has as npz."""
    if opened.file is None or opened.file.path == STANDARD_INPUT:
        return f"{_plain_name(opened)}.clean.npz"
    path = opened.file.path
    stem = plain_name(path).stem
    return f"{stem}.clean{path.name.removeprefix(stem) if format_of(path) else '.csv'}"


def _plain_name(opened: GraphInput) -> str:
    return re.sub(r"[^\w@.,=#-]", "_", opened.graph.name)
