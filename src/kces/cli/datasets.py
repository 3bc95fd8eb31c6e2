"""``kces datasets list|fetch|info``: which graphs there are, and their files on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kces.cli.completion import complete_graph
from kces.cli.options import DataRootOption, JsonOption, QuietOption
from kces.cli.output import console, print_json, progress_bar, show_table
from kces.datasets import (
    DATASETS,
    data_root,
    fetch,
    files_needed,
    graph_facts,
    load_attacked,
    published_attacks,
)
from kces.datasets.attacked import AttackedGraph
from kces.datasets.catalog import Counts
from kces.datasets.file_registry import FILES
from kces.datasets.local_files import file_here
from kces.datasets.published import METHODS
from kces.offered import BUILTIN_GRAPHS

__all__ = ["app"]

app = typer.Typer(help="List, fetch and describe the graphs of the laboratory.", no_args_is_help=True)

NamesArgument = Annotated[
    list[str],
    typer.Argument(help="Graph names, such as cora or cora@metattack-0.25.", autocompletion=complete_graph),
]
NameArgument = Annotated[
    str, typer.Argument(help="A graph name, such as cora or cora@metattack-0.25.", autocompletion=complete_graph)
]
_LIST_COLUMNS = ["name", "nodes", "edges", "features", "classes", "MB", "local"]  # fits 80 columns


@app.command("list")
def list_datasets(root: DataRootOption = None, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Show every data set, what is cached, its size and license, and the published attacks."""
    rows = [_listed(name, root) for name in DATASETS] + [_listed_builtin(name) for name in BUILTIN_GRAPHS]
    if as_json:
        print_json({"data_root": str(data_root(root)), "datasets": rows})
        return
    show_table("data sets", _LIST_COLUMNS, [_list_cells(row) for row in rows])
    if not quiet:
        notes = [*map(_published_line, METHODS), *_license_lines(rows), f"data root: {data_root(root)}"]
        console.print("\n".join(notes), highlight=False, soft_wrap=True)


@app.command("fetch")
def fetch_datasets(
    names: NamesArgument,
    root: DataRootOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Download what is missing and check every file of the named graphs."""
    for name in names:
        files_needed(name)  # a wrong name is refused before anything is downloaded
    with progress_bar(quiet=quiet) as progress:
        paths = {name: fetch(name, root, progress=progress) for name in names}
    files = [_fetched(name, file, path) for name, found in paths.items() for file, path in found.items()]
    if as_json:
        print_json({"files": files})
    elif not quiet:
        cells = [[row["name"], f"{row['bytes']:,}", row["path"]] for row in files]
        show_table("verified files", ["name", "bytes", "path"], cells)


@app.command("info")
def info(
    name: NameArgument,
    root: DataRootOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Load one graph and show its nodes, edges, features, classes, homophily, degrees and split."""
    with progress_bar(quiet=quiet) as progress:
        attacked = load_attacked(name, root, progress=progress)
    facts: dict[str, Any] = graph_facts(attacked.graph) | _attack_facts(attacked)
    if as_json:
        print_json(facts)
        return
    show_table(facts.pop("name"), ["", "value"], [[key, _value_text(value)] for key, value in facts.items()])


def _listed(name: str, root: Path | None) -> dict[str, Any]:
    entry = DATASETS[name]
    present = sum(file_here(FILES[file], root) is not None for file in entry.files)
    return {
        "name": name,
        "about": entry.about,
        **(dict.fromkeys(Counts._fields) if entry.counts is None else entry.counts._asdict()),
        "bytes": entry.size,
        "files": len(entry.files),
        "files_cached": present,
        "cached": present == len(entry.files),
        "license": entry.license,
        "attacks": published_attacks(name),
    }


def _listed_builtin(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "about": BUILTIN_GRAPHS[name],
        **dict.fromkeys(Counts._fields),  # they depend on the options
        "bytes": 0,
        "files": 0,
        "files_cached": 0,
        "cached": True,
        "license": None,
        "attacks": [],
    }


def _list_cells(row: dict[str, Any]) -> list[str]:
    counts = [_value_text(row[count]) for count in Counts._fields]
    size = f"{row['bytes'] / 1e6:.2f}" if row["bytes"] else "–"
    partly = f"{row['files_cached']}/{row['files']}" if row["files_cached"] else "no"
    return [row["name"], *counts, size, "yes" if row["cached"] else partly]


def _license_lines(rows: list[dict[str, Any]]) -> list[str]:
    """One line per license that the sources state, with the graphs it covers."""
    graphs: dict[str, list[str]] = {}
    for row in rows:
        if row["license"]:
            graphs.setdefault(row["license"], []).append(row["name"])
    return [f"license {license}: {', '.join(names)}" for license, names in graphs.items()]


def _published_line(method: str) -> str:
    """Which budgets of one attack were published, and for which graphs."""
    budgets = ", ".join(f"{budget:g}" for budget in METHODS[method])
    graphs = [name for name in DATASETS if any(f"@{method}-" in attack for attack in published_attacks(name))]
    return f"published: {{{', '.join(graphs)}}}@{method}-{{{budgets}}}"


def _fetched(name: str, file: str, path: Path) -> dict[str, Any]:
    registered = FILES[file]
    return {
        "name": name,
        "file": file,
        "path": str(path),
        "bytes": registered.size,
        "sha256": registered.sha256,
        "license": registered.license,
        "address": registered.address,
    }


def _attack_facts(attacked: AttackedGraph) -> dict[str, Any]:
    if attacked.graph is attacked.clean:
        return {}
    targets = None if attacked.targets is None else len(attacked.targets)
    return {"edges_added": len(attacked.added), "edges_removed": len(attacked.removed), "targets": targets}


def _value_text(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
