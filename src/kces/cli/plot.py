"""``kces plot``: a picture for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kces.atomic import check_output
from kces.cli.input_options import InputOptions
from kces.cli.option_groups import with_option_groups
from kces.cli.options import ForceOption, GraphArgument, OutputOption, QuietOption
from kces.cli.output import print_lines
from kces.cli.score_input import ScoredInput, ScoringOptions, score_input
from kces.errors import InvalidParameterError
from kces.interop.optional import require
from kces.plotting import figure_format, plot_cut, plot_neighborhood, plot_scores, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot"]

_KINDS = ("scores", "cut", "neighborhood")
_SPELLINGS = {"neighborhood": "neighborhood"}


@with_option_groups
def plot(
    graph: GraphArgument,
    output: OutputOption,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="scores|cut|neighborhood",
            help="Scores of edges and random pairs; what each cut does; or an edge with what is around it.",
        ),
    ] = "scores",
    edge: Annotated[
        tuple[str, str] | None,
        typer.Option("--edge", metavar="A B", help="Ends of the edge of a neighborhood. Default: the most suspicious."),
    ] = None,
    inputs: InputOptions = InputOptions(),
    scoring: ScoringOptions = ScoringOptions(),
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Draw GRAPH's scores, its cut or the neighborhood of an edge into a png, svg or pdf file."""
    kind = _SPELLINGS.get(kind, kind)
    if kind not in _KINDS:
        raise InvalidParameterError(f"--kind {kind} is none of {', '.join(_KINDS)}")
    if edge is not None and kind != "neighborhood":
        raise InvalidParameterError("--edge goes with --kind neighborhood")
    figure_format(output)
    check_output(output, force=force)
    require("matplotlib", extra="plot", purpose="drawing")  # before any long computation
    save_figure(_drawn(score_input(graph, inputs, scoring, quiet=quiet), kind, edge), output, force=force)
    print_lines([f"wrote {output}"])


def _drawn(found: ScoredInput, kind: str, edge: tuple[str, str] | None) -> Axes:
    scored, cut = found.scored, found.cut
    if kind == "scores":
        return plot_scores(scored, cut)
    if kind == "cut":
        return plot_cut(scored, cut)
    ends = edge or scored.graph.ids_of(scored.graph.edges[cut.order[0]]).tolist()
    return plot_neighborhood(scored, cut, *ends)
