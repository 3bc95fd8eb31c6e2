"""``kces gkc``: the Graph Kernel Complexity of a graph."""

from __future__ import annotations

from kces.cli.options import (
    ClustersOption,
    DataRootOption,
    EncodingOption,
    FeaturesOption,
    GraphArgument,
    JsonOption,
    LabelsOption,
    PresetOption,
    QuietOption,
    RidgeOption,
    SeedOption,
)
from kces.cli.output import console, print_json, progress_bar
from kces.cli.source import open_source, resolve_labels
from kces.presets import recipe_for
from kces.scoring import gkc as graph_kernel_complexity

__all__ = ["gkc"]


def gkc(
    graph: GraphArgument,
    features: FeaturesOption = None,
    preset: PresetOption = "paper",
    labels: LabelsOption = None,
    encoding: EncodingOption = None,
    clusters: ClustersOption = None,
    ridge: RidgeOption = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Print the Graph Kernel Complexity 2 y'(H + ridge I)^-1 y / N of GRAPH for its pseudo labels."""
    loaded = open_source(graph, features=features, data_root=data_root).graph
    recipe = recipe_for(preset, encoding=encoding, ridge=ridge)
    with progress_bar(quiet=quiet) as progress:
        progress("kernel complexity", 0, 1)
        value = graph_kernel_complexity(
            loaded,
            preset=preset,
            labels=resolve_labels(labels),
            encoding=encoding,
            clusters=clusters,
            ridge=ridge,
            seed=seed,
        )
        progress("kernel complexity", 1, 1)
    about = {
        "gkc": value,
        "nodes": loaded.n_nodes,
        "edges": loaded.n_edges,
        "ridge": recipe.ridge,
        "labels": labels or recipe.labels,
        "encoding": recipe.encoding,
        "seed": seed,
    }
    if json:
        print_json(about)
    else:
        settings = ", ".join(f"{key} {about[key]}" for key in ("ridge", "labels", "encoding", "seed"))
        console.print(
            f"GKC of {loaded.name} ({loaded.n_nodes} nodes, {loaded.n_edges} edges): {value:.6g}  ({settings})"
        )
