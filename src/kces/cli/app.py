"""The main command: registers the others and turns user errors into one line and exit code 2."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from kces import __version__
from kces.cli.attack import attack
from kces.cli.bench import app as bench_app
from kces.cli.bound import bound
from kces.cli.datasets import app as datasets_app
from kces.cli.demo import demo
from kces.cli.evaluate import evaluate
from kces.cli.explain import explain
from kces.cli.gkc import gkc
from kces.cli.lab import app as lab_app
from kces.cli.output import errors, warnings_as_lines
from kces.cli.reproduce import reproduce
from kces.cli.sanitize import sanitize
from kces.cli.score import score
from kces.errors import KCESError

__all__ = ["app", "main"]

app = typer.Typer(
    name="kces",
    help="Find and remove the edges of a graph that harm a graph neural network, before any training.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kces {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Kernel-Complexity Edge Sanitization."""


for command in (score, explain, sanitize, gkc, bound, attack, evaluate, reproduce, demo):
    app.command()(command)
app.add_typer(datasets_app, name="datasets")
app.add_typer(bench_app, name="bench")
app.add_typer(lab_app, name="lab")


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the ``kces`` program."""
    words = sys.argv[1:] if arguments is None else arguments
    quiet = "--quiet" in words or "-q" in words
    try:
        with warnings_as_lines(quiet=quiet):
            app(args=arguments, prog_name="kces")
    except KCESError as error:
        errors.print(f"[bold red]error:[/] {_one_line(error)}", highlight=False, soft_wrap=True)
        sys.exit(2)
    except MemoryError as error:
        errors.print(f"[bold red]error:[/] out of memory: {_one_line(error)}; try --engine local", soft_wrap=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader (head, less) has gone: what it wanted it has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).replace("[", r"\[")
