"""``kces sanitize``: the graph without its most suspicious edges."""

from __future__ import annotations

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
    FormatOption,
    GraphArgument,
    JsonOption,
    LabelsOption,
    OutputOption,
    PresetOption,
    QuietOption,
    RidgeOption,
    SeedOption,
    SignedOption,
)
from kces.cli.output import console, errors, print_json, print_lines
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
from kces.interop.graph_files import output_format

__all__ = ["sanitize"]


def sanitize(
    graph: GraphArgument,
    output: OutputOption,
    alpha: AlphaOption = "auto",
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
    format: FormatOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Write GRAPH without its most suspicious edges, in its own format unless told otherwise."""
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
    to_stdout = check_target(output, json=json, force=force)
    output_format(output, format)
    opened, scored = score_input(graph, options, features=features, tables=tables, quiet=quiet, data_root=data_root)
    cut = scored.cut(wanted)
    opened.write(output, cut.kept, format=format, force=force)
    if json:
        counts = {"removed": cut.n_removed, "kept": int(cut.kept.sum()), "output": output, "read": opened.reading()}
        print_json(run_facts(scored, cut, seed=seed) | counts)
        return
    removed = f"{scored.graph.name}: removed {cut.n_removed} of {scored.graph.n_edges} edges"
    written = removed if to_stdout else f"{removed}; wrote {output}"
    print_lines([written, *opened.reading(), closing_line(scored, cut)], to=errors if to_stdout else console)
