"""What the command line prints: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.table import Table

from kces.progress import Progress, silent

__all__ = ["console", "errors", "print_json", "print_lines", "progress_bar", "show_table", "warnings_as_lines"]

_WIDTH_WITHOUT_TERMINAL = 160
# A pipe or a file has no width: give wide tables room there, so that no column is cut off.
console = Console(width=None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL)
errors = Console(stderr=True)

_HOURS_BACK = 4 * 3600.0
"""Time left is estimated from this many seconds: steps may take minutes, and rich looks back half of one."""


def print_json(payload: Any) -> None:
    """One JSON document on stdout, for machines; NaN is refused rather than printed."""
    sys.stdout.write(json.dumps(payload, indent=2, allow_nan=False, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    """numpy scalars and arrays as plain numbers and lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def print_lines(lines: Iterable[str]) -> None:
    """Plain lines on stdout; a long one is not wrapped, so that it can be searched for."""
    for line in lines:
        console.print(escape(line), highlight=False, soft_wrap=True)


def show_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A small table on stdout; the first column is left-aligned, the others right-aligned."""
    console.print(f"[bold]{escape(title)}[/]", highlight=False)
    table = Table()
    for position, column in enumerate(columns):
        table.add_column(column, justify="left" if position == 0 else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """A callback that draws one bar per task, with time left, on stderr."""
    if quiet:
        yield silent
        return
    bar = RichProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        speed_estimate_period=_HOURS_BACK,
    )
    tasks: dict[str, Any] = {}

    def report(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    with bar:
        yield report


@contextmanager
def warnings_as_lines(*, quiet: bool) -> Iterator[None]:
    """Show each warning of the library as one line on stderr instead of Python's two."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if not quiet:
            errors.print(f"[yellow]warning:[/] {escape(str(message))}", highlight=False, soft_wrap=True)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        yield
