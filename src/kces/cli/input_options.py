"""Options about the input: which columns of an edge list are its ends, what of a feature table is used, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import typer

from kces.cli.completion import complete_format
from kces.cli.options import DataRootOption, FeaturesOption
from kces.errors import AmbiguousInputError, KCESError

__all__ = ["InputOptions", "OrderOption", "asked_with_options"]

_PANEL = "Tables"

SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="COLUMN",
        help="Column of GRAPH with one end of the edge: its name, or number from 1.",
        rich_help_panel=_PANEL,
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="Column of GRAPH with the other end.", rich_help_panel=_PANEL),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHAR",
        help="What is between the cells of GRAPH: a character, tab or space.",
        rich_help_panel=_PANEL,
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether GRAPH begins with names. Default: found.",
        show_default=False,
        rich_help_panel=_PANEL,
    ),
]
InputFormatOption = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        metavar="NAME",
        help="Format of GRAPH. Default: by its extension, or its content.",
        autocompletion=complete_format,
        rich_help_panel=_PANEL,
    ),
]
IdColumnOption = Annotated[
    str | None,
    typer.Option(
        "--id-column",
        metavar="COLUMN",
        help="Column of --features with the node ids. Default: found.",
        rich_help_panel=_PANEL,
    ),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="Columns of --features to use, with commas between. Default: all.",
        rich_help_panel=_PANEL,
    ),
]
DropColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--drop-columns",
        metavar="NAMES",
        help="Columns of --features to leave out, with commas between.",
        rich_help_panel=_PANEL,
    ),
]
ScaleOption = Annotated[
    str,
    typer.Option(
        "--scale",
        metavar="auto|standard|none",
        help="Bring the columns of --features to one scale: auto does where their scales differ.",
        rich_help_panel=_PANEL,
    ),
]
OrderOption = Annotated[
    str,
    typer.Option(
        "--order", metavar="ranked|input", help="Rows of OUT: most suspicious first, or as they are in GRAPH."
    ),
]

_ANSWERS = {
    "source": "--source COLUMN",
    "target": "--target COLUMN",
    "delimiter": "--delimiter CHAR",
    "header": "--header or --no-header",
    "id_column": "--id-column COLUMN",
}


@dataclass(frozen=True)
class InputOptions:
    """What the user said about GRAPH and the files beside it."""

    features: FeaturesOption = None
    source: SourceOption = None
    target: TargetOption = None
    delimiter: DelimiterOption = None
    header: HeaderOption = None
    input_format: InputFormatOption = None
    id_column: IdColumnOption = None
    columns: ColumnsOption = None
    drop_columns: DropColumnsOption = None
    scale: ScaleOption = "auto"
    data_root: DataRootOption = None

    @property
    def about_tables(self) -> bool:
        """Whether anything was said that only a table has."""
        return replace(self, features=None, data_root=None) != InputOptions()

    @property
    def used_columns(self) -> list[str] | None:
        return _split(self.columns)

    @property
    def dropped_columns(self) -> list[str] | None:
        return _split(self.drop_columns)


def asked_with_options(error: AmbiguousInputError) -> KCESError:
    """The library's question with the options that answer it.

    >>> str(asked_with_options(AmbiguousInputError("links.csv: a header?", ("header",))))
    'links.csv: a header? Answer with --header or --no-header'
    """
    answers = " and ".join(_ANSWERS[name] for name in error.parameters)
    return KCESError(f"{error.question} Answer with {answers}")


def _split(names: list[str] | None) -> list[str] | None:
    """An option may be given several times, or once with commas between.

    >>> _split(["age,income", "city"])
    ['age', 'income', 'city']
    """
    return None if names is None else [name.strip() for given in names for name in given.split(",")]
