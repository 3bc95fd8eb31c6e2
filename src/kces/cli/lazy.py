"""A group of commands that imports a command when it is used, and lists all of them without importing any."""

from __future__ import annotations

import importlib
import shutil
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from kces.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Entry", "LazyGroup", "list_commands", "load_command"]

_ROOM_FOR_BOXES = 80


class Entry(NamedTuple):
    """A line of the table of commands.

    Attributes
    ----------
    target : ``module:name`` of the function that is the command, or of the ``Typer`` that holds several.
    help : the first line of its docstring or help, which ``--help`` prints.
    section : the box in which ``--help`` shows it.
    """

    target: str
    help: str
    section: str


def load_command(name: str, entry: Entry) -> TyperCommand | TyperGroup:
    """Import the command that a line of the table names."""
    module, _, attribute = entry.target.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return _legible(group)
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return _legible(typer.main.get_command(alone))  # type: ignore[arg-type]


def _legible(command: TyperCommand | TyperGroup) -> TyperCommand | TyperGroup:
    """The command, with help as plain text where the terminal is too narrow for boxes: they cut options' names."""
    if shutil.get_terminal_size().columns < _ROOM_FOR_BOXES:
        command.rich_markup_mode = None
        for each in getattr(command, "commands", {}).values():
            _legible(each)
    return command


def list_commands(app: typer.Typer, table: Mapping[str, Entry]) -> None:
    """Register a stand-in for every line of the table, so that help and completion know its name and help line."""
    for name, entry in table.items():
        app.command(name, help=entry.help, rich_help_panel=entry.section)(_stand_in)


def _stand_in() -> None:
    """Listed in the place of a command that is not imported; never called."""


class LazyGroup(TyperGroup):
    """Imports a command of ``table`` on the way to running it or completing its options; subclass and set the table."""

    table: ClassVar[Mapping[str, Entry]] = {}

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        _legible(self)
        return super().get_help(ctx)

    def resolve_command(  # type: ignore[override]
        self, ctx: typer.Context, args: list[str]
    ) -> tuple[str | None, TyperCommand | TyperGroup | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, args)  # refuses a name that is not listed
        if name is None or found is None:
            return name, None, rest
        command = load_command(name, self.table[name])
        if not ctx.resilient_parsing:  # while the shell completes, a line need not be right yet
            _refuse_twice(command, rest)
        return name, command, rest


def _refuse_twice(command: TyperCommand | TyperGroup, words: list[str]) -> None:
    """An option with one value that is given twice would lose the first without a word."""
    inner = getattr(command, "commands", {})
    if words and words[0] in inner:
        _refuse_twice(inner[words[0]], words[1:])
        return
    given = [word.partition("=")[0] for word in words[: words.index("--") if "--" in words else None]]
    for option in command.params:
        if (
            option.param_type_name != "option"
            or getattr(option, "is_flag", False)
            or getattr(option, "multiple", False)
        ):
            continue
        times = sum(given.count(name) for name in option.opts)
        if times > 1:
            name = max(option.opts, key=len)
            raise InvalidParameterError(f"{name} is given {times} times; it takes one value (lists: with commas)")
