"""The main command: knows the others by name and turns user errors into one line and exit code 2."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from kces.cli.lazy import Entry, LazyGroup, list_commands
from kces.cli.terminal import print_error, stay_printable, warnings_as_lines
from kces.cli.usage import USAGE_ERRORS, usage_line
from kces.errors import KCESError

__all__ = ["COMMANDS", "app", "run"]

_SANITIZE = "Find and remove harmful edges"
_GRAPHS = "Graphs"
_LAB = "Laboratory"

COMMANDS = {
    "score": Entry(
        "kces.cli.score:score",
        "Rank every edge, most suspicious first: the rows of GRAPH with score, rank, suspicious, why.",
        _SANITIZE,
    ),
    "explain": Entry(
        "kces.cli.explain:explain",
        "Tell why the edge between A and B is suspicious or not: views, neighbors, features.",
        _SANITIZE,
    ),
    "sanitize": Entry(
        "kces.cli.sanitize:sanitize",
        "Write GRAPH without its most suspicious edges, in its own format unless told otherwise.",
        _SANITIZE,
    ),
    "report": Entry(
        "kces.cli.report:report",
        "Write a page about GRAPH to hand on: scores, cut, suspicious edges and why. It works offline.",
        _SANITIZE,
    ),
    "explore": Entry(
        "kces.cli.explore:explore",
        "Look at GRAPH in the browser, mark edges as fine or harmful, and save it without the harmful ones.",
        _SANITIZE,
    ),
    "plot": Entry(
        "kces.cli.plot:plot",
        "Draw GRAPH's scores, its cut or the neighborhood of an edge into a png, svg or pdf file.",
        _SANITIZE,
    ),
    "demo": Entry(
        "kces.cli.demo:demo",
        "Inject cross-class edges into the digits graph, sanitize it, and show what came back.",
        _SANITIZE,
    ),
    "gkc": Entry(
        "kces.cli.gkc:gkc",
        "Print the Graph Kernel Complexity 2 y'(H + ridge I)^-1 y / N of GRAPH for its pseudo labels.",
        _SANITIZE,
    ),
    "bound": Entry(
        "kces.cli.bound:bound",
        "Evaluate sqrt(GKC) + eps_N and, with --edges, sqrt(GKC) + sqrt(KC) + eps_N for every edge of GRAPH.",
        _SANITIZE,
    ),
    "convert": Entry(
        "kces.cli.convert:convert",
        "Write GRAPH as a folder that is scored without being read into memory, or in another format.",
        _GRAPHS,
    ),
    "datasets": Entry("kces.cli.datasets:app", "List, fetch and describe the graphs of the laboratory.", _GRAPHS),
    "attack": Entry(
        "kces.cli.attack:attack",
        "Perturb the edges of GRAPH within a budget and write the result, for testing defenses.",
        _LAB,
    ),
    "evaluate": Entry(
        "kces.cli.evaluate:evaluate",
        "Train defenses on a graph and compare their accuracy (on test nodes, or the targets of the attack).",
        _LAB,
    ),
    "reproduce": Entry(
        "kces.cli.reproduce:reproduce",
        "Run a table or figure of the paper again: finished parts are kept, so a killed run goes on where it was.",
        _LAB,
    ),
    "lab": Entry("kces.cli.lab:app", "Measure defenses, attacks and variants of the score.", _LAB),
    "bench": Entry(
        "kces.cli.bench:app", "Measure the engines: each in a fresh process, ratios side by side in one run.", _LAB
    ),
}
"""Every command: where it is, what ``--help`` says of it, and in which box. A command is imported when it is used."""


class _Commands(LazyGroup):
    table = COMMANDS

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # also while a command is being imported
            typer.echo("stopped", err=True)
            raise typer.Exit(130) from None


app = typer.Typer(
    name="kces",
    cls=_Commands,
    help="Find and remove the edges of a graph that harm a graph neural network, before any training.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
list_commands(app, COMMANDS)


def _show_version(wanted: bool) -> None:
    if wanted:
        from kces import __version__

        typer.echo(f"kces {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Kernel-Complexity Edge Sanitization."""


def run(arguments: list[str]) -> None:
    """Run a command; ends the process with an exit code.

    Parameters
    ----------
    arguments : the words after ``kces``.
    """
    stay_printable(sys.stdout, sys.stderr)
    try:
        with warnings_as_lines(quiet="--quiet" in arguments or "-q" in arguments):
            code = app(args=arguments, prog_name="kces", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except USAGE_ERRORS as error:
        print_error(usage_line(error))
        sys.exit(2)
    except typer.Abort:
        print_error("stopped")
        sys.exit(1)
    except KCESError as error:
        print_error(str(error))
        sys.exit(2)
    except MemoryError as error:
        print_error(f"out of memory: {error}; use a smaller graph or a machine with more memory")
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone: what it wanted it has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
