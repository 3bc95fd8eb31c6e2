"""``kces sanitize``: the graph without its most suspicious edges."""

from __future__ import annotations

from kces.atomic import check_output
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
from kces.cli.output import print_json, print_lines
from kces.cli.score_source import closing_line, parse_alpha, run_facts, score_options, score_source

__all__ = ["sanitize"]


def sanitize(
    graph: GraphArgument,
    output: OutputOption,
    alpha: AlphaOption = "auto",
    features: FeaturesOption = None,
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
    check_output(output, force=force)
    source, scored = score_source(graph, options, features=features, quiet=quiet, data_root=data_root)
    cut = scored.cut(wanted)
    source.write(output, cut.kept, format=format, force=force)
    if json:
        counts = {"removed": cut.n_removed, "kept": int(cut.kept.sum()), "output": output}
        print_json(run_facts(scored, cut, seed=seed) | counts)
        return
    removed = f"{scored.graph.name}: removed {cut.n_removed} of {scored.graph.n_edges} edges; wrote {output}"
    print_lines([removed, closing_line(scored, cut)])
