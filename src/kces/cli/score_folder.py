"""``kces score`` of a graph folder: scores are written as they are read, never all at once in memory."""

from __future__ import annotations

from pathlib import Path

from kces.cli.folder_input import FolderRun, scored_folder
from kces.cli.output import print_json, print_lines, progress_bar, show_table
from kces.cli.scale_options import ScaleOptions
from kces.cli.score_input import ScoringOptions
from kces.errors import InvalidParameterError
from kces.interop.limits import STANDARD_STREAM
from kces.scale.scored_output import TABLE_ENDINGS, RankedRows, write_scores

__all__ = ["score_on_disk"]

_SHOWN = 10


def score_on_disk(
    graph: str,
    output: Path | None,
    scoring: ScoringOptions,
    scale: ScaleOptions,
    *,
    order: str,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Score a folder where it lies, write its rows and show the first."""
    if output is not None and (output == STANDARD_STREAM or output.suffix.lower() not in TABLE_ENDINGS):
        raise InvalidParameterError(f"scores of a graph folder go to {', '.join(TABLE_ENDINGS)}; got {output}")
    if order != "ranked":
        raise InvalidParameterError("rows of a graph folder are ranked; leave out --order")
    with (
        progress_bar(quiet=quiet or json) as progress,
        scored_folder(graph, scoring, scale, output, progress) as found,
    ):
        shown = RankedRows(found.cut)
        top = shown.table(shown.first(_SHOWN), 1).to_pylist()
        if output is not None:
            write_scores(found.cut, output, force=force, progress=progress)
        _show(found, top, output, json)


def _show(found: FolderRun, top: list[dict[str, object]], output: Path | None, json: bool) -> None:
    cut, folder = found.cut, found.folder
    if json:
        print_json(found.facts() | {"suspicious": cut.n_removed, "output": output, "first": top})
        return
    show_table(
        f"{folder.name}: {folder.n_edges} edges, {cut.n_removed} suspicious at alpha {cut.choice.alpha:.3g}",
        ["rank", "source", "target", "score", "why"],
        [
            [str(row["rank"]), str(row["source"]), str(row["target"]), f"{row['score']:.4g}", str(row["why"])]
            for row in top
        ],
    )
    print_lines(found.closing_lines())
    if output is not None:
        print_lines([f"wrote {output}"])
    elif folder.n_edges > _SHOWN:
        print_lines([f"{folder.n_edges - _SHOWN} more edges; write them all with -o scores.parquet"])
