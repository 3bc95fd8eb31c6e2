"""``kces score``: the ranked list of edges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kces.atomic import atomic_write, check_output
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
from kces.cli.output import console, print_json, show_table
from kces.cli.scoring import describe, parse_alpha, score_source
from kces.ranking import edge_table

__all__ = ["score"]

_SHOWN = 10


def score(
    graph: GraphArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Write all edges here as CSV.")
    ] = None,
    features: FeaturesOption = None,
    engine: EngineOption = "auto",
    engine_option: EngineSettingsOption = None,
    preset: PresetOption = "paper",
    labels: LabelsOption = None,
    encoding: EncodingOption = None,
    clusters: ClustersOption = None,
    ridge: RidgeOption = None,
    signed: SignedOption = None,
    alpha: AlphaOption = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Score every edge: a table of source, target, score, rank, suspicious, most suspicious first."""
    wanted = parse_alpha(alpha, preset)
    if output is not None:
        check_output(output, force=force)
    _, scored = score_source(
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
    table = edge_table(scored.graph, scored.scores, share)
    if output is not None:
        with atomic_write(output, force=force) as temporary:
            table.to_csv(temporary, index=False)
    if json:
        about = describe(scored, preset=preset, seed=seed) | {"alpha": share}
        print_json(about | {"output": output, "scores": table.to_dict(orient="records")})
        return
    head = table.head(_SHOWN)
    show_table(
        f"{scored.graph.name}: {len(table)} edges, {int(table['suspicious'].sum())} suspicious at alpha {share:.3g}",
        ["rank", "source", "target", "score"],
        [[str(row.rank), str(row.source), str(row.target), f"{row.score:.4g}"] for row in head.itertuples()],
    )
    labelling = "" if scored.pseudo is None else f"; k = {scored.pseudo.k} ({scored.pseudo.chosen_by})"
    console.print(f"preset {preset}, engine {scored.engine} ({scored.engine_reason}){labelling}")
    if output is not None:
        console.print(f"wrote {output}")
    elif len(table) > _SHOWN:
        console.print(f"{len(table) - _SHOWN} more edges; write them all with -o scores.csv")
