"""A group of commands that imports a command when it is used, and lists all of them without importing any."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Entry", "LazyGroup", "list_commands", "load_command"]


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
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return typer.main.get_command(alone)  # type: ignore[return-value]


def list_commands(app: typer.Typer, table: Mapping[str, Entry]) -> None:
    """Register a stand-in for every line of the table, so that help and completion know its name and help line."""
    for name, entry in table.items():
        app.command(name, help=entry.help, rich_help_panel=entry.section)(_stand_in)


def _stand_in() -> None:
    """Listed in the place of a command that is not imported; never called."""


class LazyGroup(TyperGroup):
    """Imports a command of ``table`` on the way to running it or completing its options; subclass and set the table."""

    table: ClassVar[Mapping[str, Entry]] = {}

    def resolve_command(  # type: ignore[override]
        self, ctx: typer.Context, args: list[str]
    ) -> tuple[str | None, TyperCommand | TyperGroup | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, args)  # refuses a name that is not listed
        return name, None if name is None or found is None else load_command(name, self.table[name]), rest
