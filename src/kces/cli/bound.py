"""``kces bound``: the paper's generalization bound, evaluated on a graph."""

from __future__ import annotations

from typing import Annotated

import typer

from kces.cli.graph_input import open_input
from kces.cli.input_options import InputOptions
from kces.cli.option_groups import with_option_groups
from kces.cli.options import GraphArgument, JsonOption, QuietOption
from kces.cli.output import print_json, print_lines, progress_bar, show_table
from kces.cli.score_input import PaperOptions
from kces.engines.exact import ExactEngine
from kces.kernel import gram
from kces.memory import require_memory
from kces.theory import edge_bound, error_bound

__all__ = ["bound"]


@with_option_groups
def bound(
    graph: GraphArgument,
    inputs: InputOptions = InputOptions(),
    paper: PaperOptions = PaperOptions(),
    delta: Annotated[
        float, typer.Option("--delta", help="Confidence: the bound holds with probability 1 - delta.")
    ] = 0.05,
    edges: Annotated[
        bool, typer.Option("--edges", help="Also the bound after removing each edge (exact engine).")
    ] = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Evaluate sqrt(GKC) + eps_N and, with --edges, sqrt(GKC) + sqrt(KC) + eps_N for every edge of GRAPH."""
    opened = open_input(graph, inputs)
    loaded, scorer = opened.graph, paper.scorer()
    require_memory(4 * 8 * loaded.n_nodes**2, "the Gram matrix", "use a smaller graph; the bound has no fast form")
    with progress_bar(quiet=quiet) as progress:
        problem, _ = scorer.pose(loaded)
        found = error_bound(gram(problem.Z), problem.codes, ridge=scorer.ridge, delta=delta)
        per_edge = edge_bound(found, ExactEngine().score(problem, progress)) if edges else None
    about: dict[str, object] = {
        "nodes": loaded.n_nodes,
        "edges": loaded.n_edges,
        "smallest_eigenvalue": found.smallest_eigenvalue,
        "root_gkc": found.root_gkc,
        "epsilon": found.epsilon,
        "bound": found.value,
        "ridge": scorer.ridge,
        "delta": delta,
        "seed": paper.seed,
        "read": opened.reading(),
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
    print_lines(opened.reading())
