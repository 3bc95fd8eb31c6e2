"""``kces convert``: a graph as a folder on disk, or in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kces.cli.graph_input import check_target, open_input
from kces.cli.input_options import InputOptions, asked_with_options
from kces.cli.option_groups import with_option_groups
from kces.cli.options import ForceOption, FormatOption, GraphArgument, JsonOption, QuietOption
from kces.cli.output import console_beside, print_json, print_lines, progress_bar
from kces.datasets import DATASETS
from kces.datasets.builtin import is_builtin
from kces.errors import AmbiguousInputError, InvalidParameterError
from kces.interop.formats.base import EdgeOptions
from kces.interop.graph_files import output_format, write_graph
from kces.interop.node_columns import FeatureOptions
from kces.memory import format_bytes
from kces.scale.convert_graph import convert as convert_in_a_stream
from kces.scale.folder_writer import check_new_folder
from kces.scale.from_graph import write_graph_folder
from kces.scale.graph_folder import GraphFolder
from kces.scale.table_sources import is_table

__all__ = ["convert"]

_GIBIBYTE = 2**30


@with_option_groups
def convert(
    graph: GraphArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="NAME.kces, a folder, or a file.", show_default=False)
    ],
    nodes: Annotated[
        str | None, typer.Argument(metavar="[NODES]", help="A table with a row per node, beside a table of edges.")
    ] = None,
    inputs: InputOptions = InputOptions(),
    format: FormatOption = None,
    memory: Annotated[
        float | None, typer.Option("--memory", metavar="GIB", min=0.1, help="Memory for sorting. Default: 2 GiB.")
    ] = None,
    force: ForceOption = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write GRAPH as a folder that is scored without being read into memory, or in another format.

    Tables (.csv, .parquet; many files: 'part-*.parquet'), .npz files and folders of OGB go in a stream: the edge list
    is never in memory. Everything else is read first.
    """
    chosen = output_format(output, format)
    if nodes is not None and inputs.features is not None:
        raise InvalidParameterError("NODES and --features are the same; give one of them")
    described = nodes or inputs.features
    if not chosen.is_folder:
        check_target(output, json=json, force=force)
        read = open_input(graph, inputs).graph
        write_graph(read, output, format=chosen.name, force=force)
        if json:
            print_json({"graph": read.name, "nodes": read.n_nodes, "edges": read.n_edges, "output": output})
            return
        said = f"{read.name}: {read.n_nodes} nodes, {read.n_edges} edges; wrote {output}"
        print_lines([said], to=console_beside(output))
        return
    check_new_folder(output, force=force)
    with progress_bar(quiet=quiet or json) as progress:
        if not _streams(graph):
            if nodes is not None:
                raise InvalidParameterError(f"{graph} is no table of edges; NODES goes with one")
            opened = open_input(graph, inputs)
            folder = write_graph_folder(opened.graph, output, force=force, source=graph)
        else:
            try:
                folder = convert_in_a_stream(
                    graph,
                    output,
                    nodes=described,
                    edge_options=EdgeOptions(inputs.source, inputs.target, inputs.delimiter, inputs.header),
                    feature_options=FeatureOptions(
                        inputs.id_column, inputs.used_columns, inputs.dropped_columns, inputs.scale
                    ),
                    memory=None if memory is None else int(memory * _GIBIBYTE),
                    force=force,
                    progress=progress,
                )
            except AmbiguousInputError as question:
                raise asked_with_options(question) from None
    _show(folder, json)


def _streams(graph: str) -> bool:
    """Whether GRAPH is read in a stream: a data set is not, nor a file of another kind."""
    if not Path(graph).exists() and (is_builtin(graph) or graph.partition("@")[0] in DATASETS):
        return False
    path = Path(graph)
    return is_table(graph) or path.suffix.lower() == ".npz" or (path.is_dir() and not (path / "manifest.json").exists())


def _show(folder: GraphFolder, json: bool) -> None:
    manifest = folder.manifest
    size = sum(stored.bytes for stored in manifest.files.values())
    if json:
        print_json(
            {
                "graph": folder.name,
                "nodes": folder.n_nodes,
                "edges": folder.n_edges,
                "features": folder.n_features,
                "stored": manifest.features,
                "bytes": size,
                "fingerprint": manifest.fingerprint,
                "repairs": str(folder.repairs),
                "notes": list(manifest.notes),
                "output": folder.path,
            }
        )
        return
    counts = f"{folder.n_nodes} nodes, {folder.n_edges} edges, {folder.n_features} features ({manifest.features})"
    lines = [f"features: {note}" for note in manifest.notes]
    print_lines([*lines, f"{folder.name}: {counts}, {format_bytes(size)}; wrote {folder.path}"])
