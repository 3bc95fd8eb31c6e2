"""``kces score``: the ranked list of edges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from kces.cli.graph_input import check_target
from kces.cli.input_options import InputOptions, OrderOption
from kces.cli.kept_input import scored_in_run
from kces.cli.on_disk import stays_on_disk
from kces.cli.option_groups import with_option_groups
from kces.cli.options import ForceOption, GraphArgument, JsonOption, QuietOption
from kces.cli.output import errors, print_json, print_lines, show_table
from kces.cli.scale_options import ScaleOptions
from kces.cli.score_input import ScoredInput, ScoringOptions
from kces.errors import InvalidParameterError
from kces.interop.formats.edge_list import text_style
from kces.interop.json_records import plain_records
from kces.interop.scored_rows import check_order, scored_rows
from kces.interop.table_files import table_format, write_table

__all__ = ["score"]

_SHOWN = 10


@with_option_groups
def score(
    graph: GraphArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write all rows of GRAPH here with their scores: .csv, .tsv, .json, .jsonl (also .gz), .parquet, "
            "or - for standard output.",
        ),
    ] = None,
    added: Annotated[
        Path | None,
        typer.Option(
            "--added",
            metavar="FILE",
            help="Score the links of this table against GRAPH, a graph folder, without scoring GRAPH again.",
        ),
    ] = None,
    order: OrderOption = "ranked",
    inputs: InputOptions = InputOptions(),
    scoring: ScoringOptions = ScoringOptions(),
    scale: ScaleOptions = ScaleOptions(),
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Rank every edge, most suspicious first: the rows of GRAPH with score, rank, suspicious, why."""
    check_order(order)
    to_stdout = output is not None and check_target(output, json=json, force=force)
    if output is not None:
        table_format(output)  # an unknown ending is refused before any work
    if added is not None:
        if not stays_on_disk(graph, inputs, scoring):
            raise InvalidParameterError("--added goes with a graph folder and preset robust; see kces convert")
        from kces.cli.score_added import score_added_links

        score_added_links(graph, added, output, scoring, scale, force=force, json=json, quiet=quiet)
        return
    if stays_on_disk(graph, inputs, scoring):
        from kces.cli.score_folder import score_on_disk

        score_on_disk(graph, output, scoring, scale, order=order, force=force, json=json, quiet=quiet)
        return
    with scored_in_run(graph, inputs, scoring, scale, output, quiet=quiet) as found:
        _write_and_show(found, output, order=order, force=force, json=json, to_stdout=to_stdout)


def _write_and_show(
    found: ScoredInput, output: Path | None, *, order: str, force: bool, json: bool, to_stdout: bool
) -> None:
    scored, cut, records = found.scored, found.cut, found.opened.records
    table = scored.table(cut)
    results = table.drop(columns=["source", "target"]).set_index(cut.order).sort_index()
    if output is not None:
        typed = table_format(output).typed
        rows = scored_rows(scored.graph, results, records, order=order, typed=typed)
        write_table(rows, output, style=text_style(records), force=force)
    if json:
        rows = scored_rows(scored.graph, results, records, order=order)
        print_json(found.facts() | {"output": output, "scores": plain_records(rows)})
        return
    lines = [*found.opened.renamed(results), *found.closing_lines()]
    if to_stdout:
        print_lines(lines, to=errors)
        return
    _show(table, f"{scored.graph.name}: {len(table)} edges, {cut.n_removed} suspicious at alpha {cut.alpha:.3g}")
    print_lines(lines)
    if output is not None:
        print_lines([f"wrote {output}"])
    elif len(table) > _SHOWN:
        print_lines([f"{len(table) - _SHOWN} more edges; write them all with -o scores.csv"])


def _show(table: pd.DataFrame, title: str) -> None:
    """The first rows of the ranked edges."""
    show_table(
        title,
        ["rank", "source", "target", "score", "why"],
        [
            [str(row.rank), str(row.source), str(row.target), f"{row.score:.4g}", str(row.why)]
            for row in table.head(_SHOWN).itertuples()
        ],
    )
