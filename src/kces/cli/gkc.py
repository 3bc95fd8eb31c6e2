"""``kces gkc``: the Graph Kernel Complexity of a graph."""

from __future__ import annotations

from kces.cli.graph_input import open_input, resolve_labels
from kces.cli.options import (
    ClustersOption,
    DataRootOption,
    EncodingOption,
    FeaturesOption,
    GraphArgument,
    JsonOption,
    LabelsOption,
    QuietOption,
    RidgeOption,
    SeedOption,
)
from kces.cli.output import print_json, print_lines, progress_bar
from kces.scorers import ScoreOptions
from kces.scorers.paper import PaperScorer

__all__ = ["gkc"]


def gkc(
    graph: GraphArgument,
    features: FeaturesOption = None,
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
    loaded = open_input(graph, features=features, data_root=data_root).graph
    options = ScoreOptions(
        preset=PaperScorer.name,
        labels=resolve_labels(labels),
        encoding=encoding,
        clusters=clusters,
        ridge=ridge,
        seed=seed,
    )
    PaperScorer.validate(options)
    scorer = PaperScorer(options)
    with progress_bar(quiet=quiet) as progress:
        progress("kernel complexity", 0, 1)
        value = scorer.complexity(loaded)
        progress("kernel complexity", 1, 1)
    about = {
        "gkc": value,
        "nodes": loaded.n_nodes,
        "edges": loaded.n_edges,
        "ridge": scorer.ridge,
        "labels": labels or scorer.labels,
        "encoding": scorer.encoding,
        "seed": seed,
    }
    if json:
        print_json(about)
    else:
        settings = ", ".join(f"{key} {about[key]}" for key in ("ridge", "labels", "encoding", "seed"))
        size = f"{loaded.n_nodes} nodes, {loaded.n_edges} edges"
        print_lines([f"GKC of {loaded.name} ({size}): {value:.6g}  ({settings})"])
