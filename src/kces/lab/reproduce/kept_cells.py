"""Finished cells as text, so that results travel with a repository and a later run goes on from them.

A folder holds one file per data set, ``cora.jsonl``, with a line per cell in a fixed order: what was done, the version
of the protocol it was done under, how it ended and what it ran on. Lines of an older protocol are not read. Attacked
graphs and scores of edges are left out: they are made again where a cell that is not finished needs them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from kces.atomic import atomic_write
from kces.datasets import parse_name
from kces.errors import OutputError, UnreadableFileError
from kces.lab.reproduce.cells import Cell
from kces.lab.reproduce.store import Outcome, Store

__all__ = ["read_cells", "write_cells"]

_SUFFIX = ".jsonl"
_LEFT_OUT = frozenset({"attack", "score", "pruned-score"})
"""Tasks whose result is a file on the machine, or an array of the size of the graph."""


def read_cells(folder: Path, store: Store) -> int:
    """Put the cells of ``folder`` into the store, where it does not have them; how many these were.

    >>> import tempfile
    >>> cell = Cell.of("accuracy", "cora", "gcn")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with Store.open(Path(place) / "a.sqlite") as full, Store.open(Path(place) / "b.sqlite") as empty:
    ...         full.put(cell, Outcome("ok", {"accuracy": 83.5}))
    ...         files = write_cells(Path(place) / "cells", [cell], full)
    ...         count = read_cells(Path(place) / "cells", empty)
    ...         print([file.name for file in files], count, empty.get([cell])[cell].result)
    ['cora.jsonl'] 1 {'accuracy': 83.5}
    """
    known = store.statuses()
    added = 0
    for file in sorted(folder.glob(f"*{_SUFFIX}")):
        for cell, outcome in _lines(file):
            if cell.key not in known:
                store.put(cell, outcome)
                known[cell.key] = outcome.status
                added += 1
    return added


def write_cells(folder: Path, cells: Iterable[Cell], store: Store) -> list[Path]:
    """Write the finished ones of ``cells`` beside those that the folder has already; the files that were written."""
    by_file: dict[Path, dict[Cell, Outcome]] = {}
    for cell, outcome in store.get(cells).items():
        if cell.task not in _LEFT_OUT:
            family = parse_name(cell.graph).dataset.partition(":")[0]  # a colon is no part of a file's name everywhere
            by_file.setdefault(folder / f"{family}{_SUFFIX}", {})[cell] = outcome
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder of cells {folder}: {error.strerror}") from error
    for file, found in by_file.items():
        earlier = dict(_lines(file)) if file.exists() else {}
        lines = [_line(cell, outcome) for cell, outcome in sorted((earlier | found).items(), key=_place)]
        with atomic_write(file, force=True) as temporary:
            temporary.write_text("".join(lines), encoding="utf-8")
    return sorted(by_file)


def _place(entry: tuple[Cell, Outcome]) -> tuple[str, str, str, int, str]:
    cell = entry[0]
    return cell.graph, cell.method, cell.task, cell.seed, cell.to_json()


def _line(cell: Cell, outcome: Outcome) -> str:
    entry = {
        "cell": json.loads(cell.to_json()),
        "version": cell.version,
        "status": outcome.status,
        "message": outcome.message,
        "result": outcome.result,
        "seconds": round(outcome.seconds, 2),
        "environment": outcome.environment,
    }
    return json.dumps(entry, ensure_ascii=False) + "\n"


def _lines(file: Path) -> list[tuple[Cell, Outcome]]:
    """The cells of a file that were made under the present protocol."""
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            cell = Cell.from_json(json.dumps(entry["cell"]))
            outcome = Outcome(
                entry["status"], entry["result"], entry["message"], float(entry["seconds"]), entry["environment"]
            )
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableFileError(f"{file}, line {number} is no finished cell ({error}); take it out") from None
        if entry.get("version") == cell.version:
            found.append((cell, outcome))
    return found
