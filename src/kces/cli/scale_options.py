"""Options for long runs: memory, workers, and the run folder that keeps what is finished."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from kces.atomic import is_stream
from kces.errors import InvalidParameterError
from kces.interop.limits import STANDARD_STREAM

__all__ = ["ClusterOption", "ScaleOptions", "WorkersOption", "is_file"]

_PANEL = "Long runs, graph folders (.kces) and clusters"
_GIBIBYTE = 2**30

WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Processes of a local Dask cluster.", rich_help_panel=_PANEL),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster whose workers see the same folders.",
        rich_help_panel=_PANEL,
    ),
]
MemoryOption = Annotated[
    float | None,
    typer.Option(
        "--memory", metavar="GIB", min=0.01, help="Memory of each process. Default: 4 GiB.", rich_help_panel=_PANEL
    ),
]
ChunkOption = Annotated[
    int | None,
    typer.Option(
        "--chunk", metavar="EDGES", min=1, help="Edges at a time. Default: by memory.", rich_help_panel=_PANEL
    ),
]
RunOption = Annotated[
    Path | None,
    typer.Option(
        "--run",
        metavar="DIR",
        help="Folder for finished parts; it goes when all is done. Default: OUT.run, or GRAPH.run, for graph folders "
        "and for what may take over a minute.",
        rich_help_panel=_PANEL,
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option("--resume", help="Go on with the run that was stopped or killed.", rich_help_panel=_PANEL),
]
KeepRunOption = Annotated[
    bool, typer.Option("--keep-run", help="Leave the run folder when all is done.", rich_help_panel=_PANEL)
]


@dataclass(frozen=True)
class ScaleOptions:
    """How a long run is worked through, and what is kept of it."""

    workers: WorkersOption = None
    cluster: ClusterOption = None
    memory: MemoryOption = None
    chunk: ChunkOption = None
    run: RunOption = None
    resume: ResumeOption = False
    keep_run: KeepRunOption = False

    @property
    def given(self) -> bool:
        """Whether anything was said."""
        return self != ScaleOptions()

    @property
    def memory_bytes(self) -> int | None:
        return None if self.memory is None else int(self.memory * _GIBIBYTE)

    def run_folder(self, graph: str, output: Path | None) -> Path:
        """Where finished parts are kept."""
        if self.run is not None:
            return self.run
        if output is not None and is_file(output):
            return output.with_name(output.name + ".run")
        if graph == str(STANDARD_STREAM):
            raise InvalidParameterError("a run on standard input without an output file needs --run DIR")
        here = Path(graph.rstrip("/").rpartition("/")[2]) if "://" in graph else Path(graph.rstrip("/"))
        return here.with_name(here.name + ".run")


def is_file(output: Path | None) -> bool:
    """Whether an output is a file, beside which parts can be kept: no stream and no device.

    >>> is_file(Path("scores.csv")), is_file(Path("/dev/stdout")), is_file(Path("-")), is_file(None)
    (True, False, False, False)
    """
    return output is not None and output != STANDARD_STREAM and not is_stream(output)
