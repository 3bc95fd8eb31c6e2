"""``kces explain``: why one edge is suspicious or not."""

from __future__ import annotations

from typing import Annotated

import typer

from kces.cli.input_options import InputOptions
from kces.cli.option_groups import with_option_groups
from kces.cli.options import GraphArgument, JsonOption, QuietOption
from kces.cli.output import print_json, print_lines
from kces.cli.score_input import ScoringOptions, score_input
from kces.explanation import explain_edge

__all__ = ["explain"]


@with_option_groups
def explain(
    graph: GraphArgument,
    first: Annotated[str, typer.Argument(metavar="A", help="One end of the edge, as the graph names it.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The other end.")],
    inputs: InputOptions = InputOptions(),
    scoring: ScoringOptions = ScoringOptions(),
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Tell why the edge between A and B is suspicious or not: views, neighbors, features."""
    found = score_input(graph, inputs, scoring, quiet=quiet)
    explanation = explain_edge(found.scored, found.cut, first, second)
    if json:
        print_json(found.facts() | explanation.to_dict())
        return
    print_lines([*str(explanation).splitlines(), *found.closing_lines()])
