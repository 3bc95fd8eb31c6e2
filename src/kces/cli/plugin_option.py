"""``--plugin FILE.py``: attacks, defenses and data sets of one's own, for one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kces.plugins import load_plugin

__all__ = ["PluginOption", "load_plugins"]

PluginOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE.py",
        help="A Python file that registers attacks, defenses or data sets (docs/extending.md); may be given several "
        "times. It is code, and it runs: name only files that you trust.",
    ),
]


def load_plugins(files: list[Path] | None) -> list[Path]:
    """Run the files, in their order."""
    found = files or []
    for file in found:
        load_plugin(file)
    return found
