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
from kces.cli.output import print_json, print_lines, show_table
from kces.cli.score_source import closing_line, parse_alpha, run_facts, score_options, score_source

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
    """Rank every edge, most suspicious first: source, target, score, rank, suspicious, why."""
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
    if output is not None:
        check_output(output, force=force)
    _, scored = score_source(graph, options, features=features, quiet=quiet, data_root=data_root)
    cut = scored.cut(wanted)
    table = scored.table(cut)
    if output is not None:
        with atomic_write(output, force=force) as temporary:
            table.to_csv(temporary, index=False)
    if json:
        facts = run_facts(scored, cut, seed=seed)
        print_json(facts | {"output": output, "scores": table.to_dict(orient="records")})
        return
    show_table(
        f"{scored.graph.name}: {len(table)} edges, {cut.n_removed} suspicious at alpha {cut.alpha:.3g}",
        ["rank", "source", "target", "score", "why"],
        [
            [str(row.rank), str(row.source), str(row.target), f"{row.score:.4g}", str(row.why)]
            for row in table.head(_SHOWN).itertuples()
        ],
    )
    print_lines([closing_line(scored, cut)])
    if output is not None:
        print_lines([f"wrote {output}"])
    elif len(table) > _SHOWN:
        print_lines([f"{len(table) - _SHOWN} more edges; write them all with -o scores.csv"])
