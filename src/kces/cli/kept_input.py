"""Scoring a graph in memory as the commands do it: what takes over a minute is kept in a run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kces.cli.graph_input import open_input
from kces.cli.input_options import InputOptions
from kces.cli.output import errors, print_lines, progress_bar
from kces.cli.scale_options import ScaleOptions, is_file
from kces.cli.score_input import ScoredInput, ScoringOptions, parse_alpha, score_opened
from kces.progress import in_minutes
from kces.scale.expected_time import LONG, expected_seconds

__all__ = ["scored_in_run"]


@contextmanager
def scored_in_run(
    graph: str,
    inputs: InputOptions,
    scoring: ScoringOptions,
    scale: ScaleOptions,
    output: Path | None,
    *,
    quiet: bool,
) -> Iterator[ScoredInput]:
    """Open GRAPH, score its edges and cut them.

    Parts are kept where the options say so, or where a file is to be written and that will take long. The run folder
    goes when the block has ended well, unless it is to be kept.
    """
    options = scoring.checked()  # a wrong option is refused before a large file is read
    opened = open_input(graph, inputs)
    seconds = expected_seconds(opened.graph, options) if is_file(output) else 0.0
    if not scale.given and seconds <= LONG:
        yield score_opened(opened, scoring, quiet=quiet)
        return
    from kces.cli.folder_input import open_executor
    from kces.scale.run_folder import delete_run, locked_run
    from kces.scale.score_in_run import score_in_run

    run = scale.run_folder(graph, output)
    if not scale.given and not quiet:
        said = f"this may take {in_minutes(seconds)} or more; finished parts are kept in {run}"
        print_lines([f"{said}: after a stop, add --resume"], to=errors)
    with locked_run(run), open_executor(scale.workers, scale.cluster, scale.memory_bytes) as executor:
        with progress_bar(quiet=quiet) as progress:
            scored = score_in_run(
                opened.graph,
                run,
                options,
                executor=executor,
                memory=scale.memory_bytes,
                chunk=scale.chunk,
                resume=scale.resume,
                progress=progress,
            )
        yield ScoredInput(opened, scored, scored.cut(parse_alpha(scoring.alpha)), scoring.seed)
    if not scale.keep_run:
        delete_run(run)
