"""What the commands print on stdout: lines, tables and JSON documents; and progress bars on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from kces.atomic import is_standard_output
from kces.cli.terminal import shortened, shown
from kces.progress import Progress, silent

if TYPE_CHECKING:
    from rich.progress import TaskID

__all__ = ["console", "console_beside", "errors", "print_json", "print_lines", "progress_bar", "show_table"]

_WIDTH_WITHOUT_TERMINAL = 160
# A pipe or a file has no width: give wide tables room there.
console = Console(width=None if sys.stdout.isatty() else _WIDTH_WITHOUT_TERMINAL)
errors = Console(stderr=True)

_HOURS_BACK = 4 * 3600.0
"""Time left is estimated from this many seconds: steps may take minutes, and rich looks back half of one."""


def console_beside(output: Path) -> Console:
    """Where to say what was done: not where the result itself has gone.

    >>> console_beside(Path("/dev/stdout")) is errors, console_beside(Path("clean.csv")) is console
    (True, True)
    """
    return errors if is_standard_output(output) else console


def print_json(payload: Any) -> None:
    """One JSON document on stdout, for machines; NaN is refused rather than printed."""
    sys.stdout.write(json.dumps(payload, indent=2, allow_nan=False, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    """numpy scalars and arrays as plain numbers and lists."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def print_lines(lines: Iterable[str], *, to: Console = console) -> None:
    """Plain lines, on stdout unless told otherwise; a long one is not wrapped, so that it can be searched for."""
    for line in lines:
        to.print(escape(shown(line)), highlight=False, soft_wrap=True)


def show_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A small table on stdout, whole at any width of the terminal.

    Where the table is too wide, its widest column is broken between words; where that is not enough, every row becomes
    a list of its own, a line per column. A cell of more than a thousand characters is shortened.

    Parameters
    ----------
    title : the line above.
    columns : their headings; the first column and columns of text are left-aligned, numbers right-aligned.
    rows : the cells.
    """
    console.print(f"[bold]{escape(title)}[/]", highlight=False)
    rows = [[shown(shortened(cell)) for cell in row] for row in rows]
    broken, width = _fit(columns, rows)
    if width < _longest_word(columns, rows, broken):
        _show_lists(columns, rows)
        return
    from rich.table import Table

    table = Table()
    for position, column in enumerate(columns):
        table.add_column(
            escape(column),
            justify="left" if position == 0 or _is_text(rows, position) else "right",
            width=width if position == broken else None,
        )
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def _is_text(rows: list[list[str]], position: int) -> bool:
    """Whether a column reads like sentences: some cell has three words or more."""
    return any(len(row[position].split()) > 2 for row in rows)


def _fit(columns: list[str], rows: list[list[str]]) -> tuple[int, int]:
    """The widest column, and the width that is left for it when the others have theirs."""
    widths = [max(map(_width, cells)) for cells in zip(columns, *rows, strict=True)]
    broken = widths.index(max(widths))
    lines_and_padding = 3 * len(columns) + 1
    room = console.width - lines_and_padding - sum(widths) + widths[broken]
    return broken, min(room, widths[broken])


def _longest_word(columns: list[str], rows: list[list[str]], position: int) -> int:
    words = [word for row in (columns, *rows) for word in row[position].split()]
    return max(map(_width, words), default=0)


def _width(text: str) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, text.splitlines()), default=0)


def _show_lists(columns: list[str], rows: list[list[str]]) -> None:
    from rich.table import Table

    for row in rows:
        console.print(f"{escape(columns[0])} [bold]{escape(row[0])}[/]".strip(), highlight=False)
        lines = Table.grid(padding=(0, 1))
        lines.add_column(overflow="fold")
        lines.add_column(overflow="fold")
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if cell:
                lines.add_row(f"  {escape(column)}", escape(cell))
        console.print(lines, highlight=False)


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """A callback that draws one bar per task, with time left, on stderr.

    Parameters
    ----------
    quiet : draw nothing.
    """
    if quiet or not errors.is_terminal:  # a bar in a log is an empty line
        yield silent
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

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
    tasks: dict[str, TaskID] = {}

    def report(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    with bar:
        yield report
