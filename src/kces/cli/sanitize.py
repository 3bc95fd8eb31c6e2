"""``kces sanitize``: the graph without its most suspicious edges."""

from __future__ import annotations

from kces.cli.options import (
    AlphaOption,
    ClustersOption,
    DataRootOption,
    EncodingOption,
    EngineOption,
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
from kces.cli.output import console, print_json
from kces.cli.scoring import describe, score_source
from kces.files import check_output
from kces.ranking import check_alpha, kept_edges

__all__ = ["sanitize"]


def sanitize(
    graph: GraphArgument,
    output: OutputOption,
    alpha: AlphaOption = 0.3,
    features: FeaturesOption = None,
    engine: EngineOption = "auto",
    preset: PresetOption = "paper",
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
    """Write GRAPH without its ceil(alpha x edges) most suspicious edges, in its own format unless told otherwise."""
    check_alpha(alpha)
    check_output(output, force=force)
    source, scored = score_source(
        graph,
        features=features,
        labels=labels,
        quiet=quiet,
        data_root=data_root,
        engine=engine,
        preset=preset,
        encoding=encoding,
        clusters=clusters,
        ridge=ridge,
        signed=signed,
        seed=seed,
    )
    kept = kept_edges(scored.scores, alpha)
    source.write(output, kept, format=format, force=force)
    removed = int((~kept).sum())
    if json:
        about = describe(scored, preset=preset, seed=seed)
        print_json(about | {"alpha": alpha, "removed": removed, "kept": int(kept.sum()), "output": output})
        return
    console.print(
        f"{scored.graph.name}: removed {removed} of {scored.graph.n_edges} edges "
        f"(preset {preset}, engine {scored.engine}: {scored.engine_reason}); wrote {output}"
    )
