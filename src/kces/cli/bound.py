"""``kces bound``: the paper's generalisation bound, evaluated on a graph."""

from __future__ import annotations

from typing import Annotated, Any

import typer

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
from kces.cli.output import print_json, progress_bar, show_table
from kces.engines.exact import ExactEngine
from kces.kernel import gram
from kces.memory import require_memory
from kces.scorers import ScoreOptions
from kces.scorers.paper import PaperScorer
from kces.theory import edge_bound, error_bound

__all__ = ["bound"]


def bound(
    graph: GraphArgument,
    features: FeaturesOption = None,
    labels: LabelsOption = None,
    encoding: EncodingOption = None,
    clusters: ClustersOption = None,
    ridge: RidgeOption = None,
    delta: Annotated[
        float, typer.Option("--delta", help="Confidence: the bound holds with probability 1 - delta.")
    ] = 0.05,
    edges: Annotated[
        bool, typer.Option("--edges", help="Also the bound after removing each edge (exact engine).")
    ] = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
    quiet: QuietOption = False,
    data_root: DataRootOption = None,
) -> None:
    """Evaluate sqrt(GKC) + eps_N and, with --edges, sqrt(GKC) + sqrt(KC) + eps_N for every edge of GRAPH."""
    loaded = open_input(graph, features=features, data_root=data_root).graph
    require_memory(4 * 8 * loaded.n_nodes**2, "the Gram matrix", "use a smaller graph; the bound has no fast form")
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
        problem, _ = scorer.pose(loaded)
        found = error_bound(gram(problem.Z), problem.codes, ridge=scorer.ridge, delta=delta)
        per_edge = edge_bound(found, ExactEngine().score(problem, progress)) if edges else None
    about: dict[str, Any] = {
        "nodes": loaded.n_nodes,
        "edges": loaded.n_edges,
        "smallest_eigenvalue": found.smallest_eigenvalue,
        "root_gkc": found.root_gkc,
        "epsilon": found.epsilon,
        "bound": found.value,
        "ridge": scorer.ridge,
        "delta": delta,
        "seed": seed,
    }
    if per_edge is not None:
        about["edge_bounds"] = [
            {"source": source, "target": target, "bound": value}
            for source, target, value in zip(*loaded.ids_of(loaded.edges).T.tolist(), per_edge.tolist(), strict=True)
        ]
    if json:
        print_json(about)
        return
    rows = [
        ["smallest eigenvalue of H + ridge I", f"{found.smallest_eigenvalue:.4g}"],
        ["sqrt(GKC)", f"{found.root_gkc:.4g}"],
        ["eps_N (constant 1)", f"{found.epsilon:.4g}"],
        ["bound on the test error", f"{found.value:.4g}"],
    ]
    if per_edge is not None:
        rows.append(["after removing one edge: lowest … highest bound", f"{per_edge.min():.4g} … {per_edge.max():.4g}"])
    show_table(f"{loaded.name}: Theorem 3.2 at delta {delta:g}", ["term", "value"], rows)
