"""``kces report``: a page about the scored graph, in one file."""

from __future__ import annotations

import shlex
import sys
import time
from typing import Annotated

import typer

from kces.cli.graph_input import GraphInput, check_target, open_input
from kces.cli.input_options import InputOptions
from kces.cli.known_attack import with_known_attack
from kces.cli.option_groups import with_option_groups
from kces.cli.options import ForceOption, GraphArgument, JsonOption, OutputOption, QuietOption
from kces.cli.output import print_json, print_lines
from kces.cli.score_input import ScoringOptions, score_opened
from kces.datasets.planted import inject_cross_class_edges
from kces.errors import InvalidParameterError
from kces.interop.limits import STANDARD_STREAM
from kces.memory import peak_memory
from kces.report import report_payload, write_report

__all__ = ["report", "typed_command"]


@with_option_groups
def report(
    graph: GraphArgument,
    output: OutputOption,
    inputs: InputOptions = InputOptions(),
    scoring: ScoringOptions = ScoringOptions(),
    inject: Annotated[
        float,
        typer.Option("--inject", metavar="SHARE", help="Plant this share of cross-class edges first (needs labels)."),
    ] = 0.0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a page about GRAPH to hand on: scores, cut, suspicious edges and why. It works offline."""
    if output == STANDARD_STREAM:
        raise InvalidParameterError("a report is a file to open in a browser; name one, such as -o report.html")
    if output.suffix.lower() not in (".html", ".htm"):
        raise InvalidParameterError(f"a report is a page; let its name end in .html, not as in {output.name}")
    check_target(output, json=json, force=force)
    scoring.checked()
    began = time.perf_counter()
    opened = _planted(with_known_attack(open_input(graph, inputs)), inject, scoring.seed)
    found = score_opened(opened, scoring, quiet=quiet)
    scored_at, scored_with = time.perf_counter(), peak_memory()
    payload = report_payload(
        found.scored,
        found.cut,
        injected=opened.injected,
        clean=opened.clean,
        command=typed_command(),
        reading=opened.reading(),
        seconds=scored_at - began,
        seed=scoring.seed,
    )
    size = write_report(output, payload, force=force)
    cost = {
        "scoring_seconds": round(scored_at - began, 3),
        "report_seconds": round(time.perf_counter() - scored_at, 3),
        "scoring_peak_bytes": scored_with,
        "report_bytes_beyond_peak": peak_memory() - scored_with,
    }
    if json:
        print_json(found.facts() | {"removed": found.cut.n_removed, "output": output, "bytes": size} | cost)
        return
    name, removed = found.scored.graph.name, found.cut.n_removed
    print_lines([f"{name}: {removed} of {len(found.cut.kept)} edges suspicious; wrote {output} ({size / 1e6:.1f} MB)"])


def typed_command() -> str:
    """What the user typed, so that a reader can type it again."""
    return shlex.join(["kces", *sys.argv[1:]])


def _planted(opened: GraphInput, share: float, seed: int) -> GraphInput:
    """The graph with planted edges, which the report then knows of."""
    if not 0 <= share <= 1:
        raise InvalidParameterError(f"--inject must lie in [0, 1], got {share}")
    if share == 0:
        return opened
    noisy, _ = inject_cross_class_edges(opened.graph, share, seed=seed)
    return GraphInput(noisy, clean=opened.graph)
