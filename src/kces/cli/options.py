"""Options that several commands share, so that they are named and explained alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kces.cli.completion import (
    complete_encoding,
    complete_engine,
    complete_format,
    complete_graph,
    complete_labels,
    complete_preset,
)
from kces.cli.settings import settings_option
from kces.errors import InvalidParameterError

__all__ = [
    "AlphaOption",
    "ClustersOption",
    "DataRootOption",
    "EncodingOption",
    "EngineOption",
    "EngineSettingsOption",
    "FeaturesOption",
    "ForceOption",
    "FormatOption",
    "GraphArgument",
    "JsonOption",
    "LabelsOption",
    "OutputOption",
    "PresetOption",
    "QuietOption",
    "RidgeOption",
    "SeedOption",
    "SignedOption",
]

_LARGEST_SEED = 2**32 - 1
"""As in ``kces.scorers.score_options``, which loads numpy; a test holds the two together."""

_PAPER = "Preset paper"
"""The box of options that only the paper's score has."""


def _checked_seed(seed: int) -> int:
    if not 0 <= seed <= _LARGEST_SEED:
        raise InvalidParameterError(f"--seed must be a whole number from 0 to {_LARGEST_SEED}, got {seed}")
    return seed


GraphArgument = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A file (.csv, .tsv, .json, .jsonl, also .gz; .parquet, .npz, .graphml, .pt), a graph folder (.kces), "
        "- for standard input, a built-in graph (digits, synthetic:n=2000,seed=0) or a data set "
        "(cora, cora@metattack-0.25).",
        show_default=False,
        autocompletion=complete_graph,
    ),
]
FeaturesOption = Annotated[
    str | None,
    typer.Option(
        "--features",
        metavar="FILE",
        help="Node features, if GRAPH has none: a table (.csv, .tsv, .parquet, .json, .jsonl) with a column of ids, "
        "or .npy/.npz with row r = node r.",
    ),
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        help="How scores are computed: auto or a name of `kces bench`.",
        autocompletion=complete_engine,
        rich_help_panel=_PAPER,
    ),
]
EngineSettingsOption = Annotated[
    list[str] | None,
    settings_option("--engine-option", "An option of the engine, such as hops=2 or cap=16 of local", panel=_PAPER),
]
PresetOption = Annotated[
    str,
    typer.Option(
        "--preset",
        help="Which score: paper (to the letter) or robust (docs/robust.md).",
        autocompletion=complete_preset,
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="kmeans|gmm|spectral|given|FILE",
        help="Pseudo labels of preset paper: a clustering, the graph's own labels, or a file with one class per node "
        "(npy or text).",
        autocompletion=complete_labels,
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="linear|onehot",
        help="How classes become numbers.",
        autocompletion=complete_encoding,
        rich_help_panel=_PAPER,
    ),
]
ClustersOption = Annotated[
    int | None,
    typer.Option(
        "--clusters",
        help="Number of clusters. Default: number of classes, else the best silhouette.",
        rich_help_panel=_PAPER,
    ),
]
RidgeOption = Annotated[
    float | None,
    typer.Option("--ridge", help="λ added to the kernel's diagonal. Default: 0.001.", rich_help_panel=_PAPER),
]
SignedOption = Annotated[
    bool | None,
    typer.Option(
        "--signed/--absolute",
        help="Keep the sign of the change (positive: removing the edge lowers the complexity). Default: absolute.",
        show_default=False,
        rich_help_panel=_PAPER,
    ),
]
AlphaOption = Annotated[
    str,
    typer.Option(
        "--alpha",
        metavar="SHARE|auto|labels",
        help="Share of edges to prune, in [0, 1]; auto: as many as look like noise (0.3 with preset paper); "
        "labels: auto, corrected by the labels of train and validation nodes.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random.", callback=_checked_seed)]
OutputOption = Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="File to write.", show_default=False)]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of OUT. Default: by its extension.",
        autocompletion=complete_format,
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing output.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document for machines.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no warnings.")]
DataRootOption = Annotated[
    Path | None,
    typer.Option("--data-root", metavar="DIR", help="Folder of the data sets. Default: KCES_DATA_ROOT, else a cache."),
]
