"""``kces sanitize``: the graph without its most suspicious edges."""

from __future__ import annotations

from kces.cli.graph_input import check_target
from kces.cli.input_options import InputOptions
from kces.cli.kept_input import scored_in_run
from kces.cli.on_disk import stays_on_disk
from kces.cli.option_groups import with_option_groups
from kces.cli.options import ForceOption, FormatOption, GraphArgument, JsonOption, OutputOption, QuietOption
from kces.cli.output import console, errors, print_json, print_lines
from kces.cli.scale_options import ScaleOptions
from kces.cli.score_input import ScoringOptions
from kces.interop.graph_files import output_format

__all__ = ["sanitize"]


@with_option_groups
def sanitize(
    graph: GraphArgument,
    output: OutputOption,
    inputs: InputOptions = InputOptions(),
    scoring: ScoringOptions = ScoringOptions(),
    scale: ScaleOptions = ScaleOptions(),
    format: FormatOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write GRAPH without its most suspicious edges, in its own format unless told otherwise."""
    chosen = output_format(output, format)
    if stays_on_disk(graph, inputs, scoring):
        from kces.cli.sanitize_folder import sanitize_on_disk

        sanitize_on_disk(graph, output, chosen, scoring, scale, force=force, json=json, quiet=quiet)
        return
    to_stdout = check_target(output, json=json, force=force, is_folder=chosen.is_folder)
    with scored_in_run(graph, inputs, scoring, scale, output, quiet=quiet) as found:
        cut, name = found.cut, found.scored.graph.name
        found.opened.write(output, cut.kept, format=format, force=force)
    if json:
        print_json(found.facts() | {"removed": cut.n_removed, "kept": int(cut.kept.sum()), "output": output})
        return
    removed = f"{name}: removed {cut.n_removed} of {len(cut.kept)} edges"
    written = removed if to_stdout else f"{removed}; wrote {output}"
    print_lines([written, *found.closing_lines()], to=errors if to_stdout else console)
