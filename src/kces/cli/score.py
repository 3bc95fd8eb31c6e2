"""``kces score``: the ranked list of edges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from kces.cli.graph_input import check_target
from kces.cli.options import (
    AlphaOption,
    ClustersOption,
    DataRootOption,
    EncodingOption,
    EngineOption,
    EngineSettingsOption,
    FeaturesOption,
    ForceOption,
    GraphArgument,
    JsonOption,
    LabelsOption,
    PresetOption,
    QuietOption,
    RidgeOption,
    SeedOption,
    SignedOption,
)
from kces.cli.output import errors, print_json, print_lines, show_table
from kces.cli.score_input import closing_line, parse_alpha, run_facts, score_input, score_options
from kces.cli.table_options import (
    ColumnsOption,
    DelimiterOption,
    DropColumnsOption,
    HeaderOption,
    IdColumnOption,
    InputFormatOption,
    OrderOption,
    ScaleOption,
    SourceOption,
    TableOptions,
    TargetOption,
)
from kces.interop.json_records import plain_records
from kces.interop.scored_rows import check_order, scored_rows
from kces.interop.table_files import table_format, write_table

__all__ = ["score"]

_SHOWN = 10


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
    order: OrderOption = "ranked",
    features: FeaturesOption = None,
    source: SourceOption = None,
    target: TargetOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    input_format: InputFormatOption = None,
    id_column: IdColumnOption = None,
    columns: ColumnsOption = None,
    drop_columns: DropColumnsOption = None,
    scale: ScaleOption = "auto",
    engine: EngineOption = "auto",
    engine_option: EngineSettingsOption = None,
    preset: PresetOption = "robust",
    labels: LabelsOption = None,
    encoding: EncodingOption = None,
    clusters: ClustersOption = None,
    ridge: RidgeOption = None,
    signed: SignedOption = None,
    alpha: AlphaOption = "auto",
    seed: SeedOption = 0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Rank every edge, most suspicious first: the rows of GRAPH with score, rank, suspicious, why."""
    wanted = parse_alpha(alpha)
    options = score_options(
        preset=preset,
        engine=engine,
        engine_option=engine_option,
        labels=labels,
        encoding=encoding,
        clusters=clusters,
        ridge=ridge,
        signed=signed,
        seed=seed,
    )
    tables = TableOptions(source, target, delimiter, header, input_format, id_column, columns, drop_columns, scale)
    check_order(order)
    to_stdout = output is not None and check_target(output, json=json, force=force)
    if output is not None:
        table_format(output)  # an unknown ending is refused before any work
    opened, scored = score_input(graph, options, features=features, tables=tables, quiet=quiet, data_root=data_root)
    cut = scored.cut(wanted)
    table = scored.table(cut)
    results = table.drop(columns=["source", "target"]).set_index(cut.order).sort_index()
    if output is not None:
        typed = table_format(output).typed
        rows = scored_rows(scored.graph, results, opened.records, order=order, typed=typed)
        write_table(rows, output, delimiter=opened.delimiter, force=force)
    if json:
        rows = scored_rows(scored.graph, results, opened.records, order=order)
        facts = run_facts(scored, cut, seed=seed) | {"read": opened.reading()}
        print_json(facts | {"output": output, "scores": plain_records(rows)})
        return
    lines = [*opened.reading(), *opened.renamed(results), closing_line(scored, cut)]
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
