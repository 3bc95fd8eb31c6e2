"""``kces sanitize``: the graph without its most suspicious edges."""

from __future__ import annotations

from typing import Annotated

import typer

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
    QuietOption,
    RidgeOption,
    SeedOption,
    SignedOption,
)
from kces.cli.output import console, print_json
from kces.cli.scoring import describe, parse_alpha, score_source
from kces.ranking import kept_edges

__all__ = ["sanitize"]


def sanitize(
    graph: GraphArgument,
    output: OutputOption,
    alpha: AlphaOption = None,
    features: FeaturesOption = None,
    engine: EngineOption = "auto",
    engine_option: EngineSettingsOption = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            help="robust or paper. Default: robust, or paper when an option of the paper's score is given.",
            show_default=False,
        ),
    ] = None,
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
    paper_only = (engine_option, encoding, clusters, ridge, signed, labels if labels != "train" else None)
    if preset is None:
        preset = "robust" if engine == "auto" and all(value is None for value in paper_only) else "paper"
    wanted = parse_alpha(alpha, preset)
    check_output(output, force=force)
    source, scored = score_source(
        graph,
        features=features,
        labels=labels,
        quiet=quiet,
        data_root=data_root,
        engine=engine,
        engine_option=engine_option,
        preset=preset,
        encoding=encoding,
        clusters=clusters,
        ridge=ridge,
        signed=signed,
        seed=seed,
    )
    share = scored.resolve_alpha(wanted)
    kept = kept_edges(scored.scores, share)
    source.write(output, kept, format=format, force=force)
    removed = int((~kept).sum())
    if json:
        about = describe(scored, preset=preset, seed=seed)
        print_json(about | {"alpha": share, "removed": removed, "kept": int(kept.sum()), "output": output})
        return
    console.print(
        f"{scored.graph.name}: removed {removed} of {scored.graph.n_edges} edges "
        f"(alpha {share:.3g}, preset {preset}, engine {scored.engine}: {scored.engine_reason}); wrote {output}"
    )
