"""``kces sanitize`` of a graph folder: edges go from one folder to the next without being in memory."""

from __future__ import annotations

from pathlib import Path

from kces.atomic import check_output
from kces.cli.folder_input import scored_folder
from kces.cli.output import print_json, print_lines, progress_bar
from kces.cli.scale_options import ScaleOptions
from kces.cli.score_input import ScoringOptions
from kces.errors import InvalidParameterError
from kces.interop.formats import Format
from kces.scale.folder_writer import check_new_folder
from kces.scale.scored_output import TABLE_ENDINGS, sanitize_folder, write_kept_edges

__all__ = ["sanitize_on_disk"]


def sanitize_on_disk(
    graph: str,
    output: Path,
    chosen: Format,
    scoring: ScoringOptions,
    scale: ScaleOptions,
    *,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Score and cut a folder where it lies, and write what stays: a folder, or a table of edges."""
    if chosen.is_folder:
        check_new_folder(output, force=force)
    elif output.suffix.lower() not in TABLE_ENDINGS:
        raise InvalidParameterError(f"a sanitized graph folder goes to .kces, {', '.join(TABLE_ENDINGS)}; got {output}")
    else:
        check_output(output, force=force)
    with (
        progress_bar(quiet=quiet or json) as progress,
        scored_folder(graph, scoring, scale, output, progress) as found,
    ):
        cut, folder = found.cut, found.folder
        if chosen.is_folder:
            sanitize_folder(cut, output, force=force, memory=scale.memory_bytes, progress=progress)
        else:
            write_kept_edges(cut, output, force=force)
        removed = cut.n_removed
        if json:
            kept = folder.n_edges - removed
            print_json(found.facts() | {"removed": removed, "kept": kept, "output": output})
            return
        written = f"{folder.name}: removed {removed} of {folder.n_edges} edges; wrote {output}"
        print_lines([written, *found.closing_lines()])
