"""``kces datasets list|fetch|info``: which graphs there are, and their files on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kces.builtin import BUILTIN_HELP
from kces.cli.output import console, print_json, progress_bar, show_table, warnings_as_lines
from kces.lab.attacked import AttackedGraph
from kces.lab.datasets import (
    DATASETS,
    data_root,
    describe,
    fetch,
    files_needed,
    load_attacked,
    published_attacks,
)
from kces.lab.datasets.fetch import find
from kces.lab.datasets.registry import FILES

__all__ = ["app"]

app = typer.Typer(help="List, fetch and describe the graphs of the laboratory.", no_args_is_help=True)

DataRoot = Annotated[
    Path | None,
    typer.Option(
        "--data-root", help="Folder with the data files [default: KCES_DATA_ROOT or the user's cache]."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars, no warnings.")]


@app.command("list")
def list_datasets(root: DataRoot = None, as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Show every data set, what is cached, its size and licence, and the published attacks."""
    rows = [_listed(name, root) for name in DATASETS] + [_listed_builtin(name) for name in BUILTIN_HELP]
    if as_json:
        print_json({"data_root": str(data_root(root)), "datasets": rows})
        return
    cells = [
        [
            row["name"],
            row["about"],
            _size_text(row["bytes"]),
            row["cached"],
            row["licence"],
            _attacks_text(row),
        ]
        for row in rows
    ]
    show_table("data sets", ["name", "what", "size", "cached", "licence", "published attacks"], cells)
    if not quiet:
        console.print(f"data root: {data_root(root)}", highlight=False, soft_wrap=True)


@app.command("fetch")
def fetch_datasets(
    names: Annotated[list[str], typer.Argument(help="Graph names, such as cora or cora@metattack-0.25.")],
    root: DataRoot = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
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
        cells = [[row["name"], row["file"], _size_text(row["bytes"]), row["path"]] for row in files]
        show_table("verified files", ["name", "file", "size", "path"], cells)


@app.command("info")
def info(
    name: Annotated[str, typer.Argument(help="A graph name, such as cora or cora@metattack-0.25.")],
    root: DataRoot = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Load one graph and show its nodes, edges, features, classes, homophily, degrees and split."""
    with warnings_as_lines(quiet=quiet), progress_bar(quiet=quiet) as progress:
        attacked = load_attacked(name, root, progress=progress)
    facts = describe(attacked.graph) | _attack_facts(attacked)
    if as_json:
        print_json(facts)
        return
    show_table(facts.pop("name"), ["", "value"], [[key, _value_text(value)] for key, value in facts.items()])


def _listed(name: str, root: Path | None) -> dict[str, Any]:
    entry = DATASETS[name]
    present = sum(find(FILES[file], root) is not None for file in entry.files)
    return {
        "name": name,
        "about": entry.about,
        "bytes": entry.size,
        "cached": "yes"
        if present == len(entry.files)
        else f"{present}/{len(entry.files)}"
        if present
        else "no",
        "licence": entry.licence,
        "attacks": published_attacks(name),
    }


def _listed_builtin(name: str) -> dict[str, Any]:
    facts = {"name": name, "about": BUILTIN_HELP[name], "bytes": 0, "cached": "built in"}
    return facts | {"licence": "–", "attacks": []}


def _fetched(name: str, file: str, path: Path) -> dict[str, Any]:
    registered = FILES[file]
    return {
        "name": name,
        "file": file,
        "path": str(path),
        "bytes": registered.size,
        "sha256": registered.sha256,
        "licence": registered.licence,
        "address": registered.address,
    }


def _attack_facts(attacked: AttackedGraph) -> dict[str, Any]:
    if attacked.graph is attacked.clean:
        return {}
    targets = None if attacked.targets is None else len(attacked.targets)
    return {"edges_added": len(attacked.added), "edges_removed": len(attacked.removed), "targets": targets}


def _attacks_text(row: dict[str, Any]) -> str:
    """``metattack-0.05…0.25``: the first and last budget of each method."""
    budgets: dict[str, list[str]] = {}
    for attack in row["attacks"]:
        method, _, budget = attack.partition("@")[2].rpartition("-")
        budgets.setdefault(method, []).append(budget)
    return ", ".join(f"{method}-{given[0]}…{given[-1]}" for method, given in budgets.items()) or "–"


def _size_text(n_bytes: int) -> str:
    if n_bytes == 0:
        return "–"
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.0f} kB"


def _value_text(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
