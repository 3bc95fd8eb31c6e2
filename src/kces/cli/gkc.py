"""``kces gkc``: the Graph Kernel Complexity of a graph."""

from __future__ import annotations

from kces.cli.graph_input import open_input
from kces.cli.input_options import InputOptions
from kces.cli.option_groups import with_option_groups
from kces.cli.options import GraphArgument, JsonOption, QuietOption
from kces.cli.output import print_json, print_lines, progress_bar
from kces.cli.score_input import PaperOptions

__all__ = ["gkc"]


@with_option_groups
def gkc(
    graph: GraphArgument,
    inputs: InputOptions = InputOptions(),
    paper: PaperOptions = PaperOptions(),
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Print the Graph Kernel Complexity 2 y'(H + ridge I)^-1 y / N of GRAPH for its pseudo labels."""
    opened, scorer = open_input(graph, inputs), paper.scorer()
    with progress_bar(quiet=quiet) as progress:
        progress("kernel complexity", 0, 1)
        value = scorer.complexity(opened.graph)
        progress("kernel complexity", 1, 1)
    about = {
        "gkc": value,
        "nodes": opened.graph.n_nodes,
        "edges": opened.graph.n_edges,
        "ridge": scorer.ridge,
        "labels": paper.labels or scorer.labels,
        "encoding": scorer.encoding,
        "seed": paper.seed,
    }
    if json:
        print_json(about | {"read": opened.reading()})
        return
    settings = ", ".join(f"{key} {about[key]}" for key in ("ridge", "labels", "encoding", "seed"))
    size = f"{opened.graph.n_nodes} nodes, {opened.graph.n_edges} edges"
    print_lines([f"GKC of {opened.graph.name} ({size}): {value:.6g}  ({settings})", *opened.reading()])
