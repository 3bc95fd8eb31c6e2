"""``kces explain``: why one edge is suspicious or not."""

from __future__ import annotations

from typing import Annotated

import typer

from kces.cli.options import (
    AlphaOption,
    ClustersOption,
    DataRootOption,
    EncodingOption,
    EngineOption,
    EngineSettingsOption,
    FeaturesOption,
    GraphArgument,
    JsonOption,
    LabelsOption,
    PresetOption,
    QuietOption,
    RidgeOption,
    SeedOption,
    SignedOption,
)
from kces.cli.output import print_json, print_lines
from kces.cli.score_input import closing_line, parse_alpha, run_facts, score_input, score_options
from kces.cli.table_options import (
    ColumnsOption,
    DelimiterOption,
    DropColumnsOption,
    HeaderOption,
    IdColumnOption,
    InputFormatOption,
    ScaleOption,
    SourceOption,
    TableOptions,
    TargetOption,
)
from kces.explanation import explain_edge

__all__ = ["explain"]


def explain(
    graph: GraphArgument,
    source: Annotated[str, typer.Argument(metavar="A", help="One end of the edge, as the graph names it.")],
    target: Annotated[str, typer.Argument(metavar="B", help="The other end.")],
    features: FeaturesOption = None,
    source_column: SourceOption = None,
    target_column: TargetOption = None,
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
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Tell why the edge between A and B is suspicious or not: views, neighbors, features."""
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
    tables = TableOptions(
        source_column, target_column, delimiter, header, input_format, id_column, columns, drop_columns, scale
    )
    opened, scored = score_input(graph, options, features=features, tables=tables, quiet=quiet, data_root=data_root)
    cut = scored.cut(wanted)
    explanation = explain_edge(scored, cut, source, target)
    if json:
        print_json(run_facts(scored, cut, seed=seed) | {"read": opened.reading()} | explanation.to_dict())
        return
    print_lines([*str(explanation).splitlines(), *opened.reading(), closing_line(scored, cut)])
