"""Attacked graphs in files: the record of the attack goes with the graph.

An npz file has room for it, as extra arrays that other programs ignore. Beside a file of another format stands
``FILE.attack.npz``.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from kces.atomic import atomic_write, check_output, is_stream
from kces.datasets.attack_record import AttackRecord
from kces.datasets.attacked import AttackedGraph
from kces.interop.arrays import read_members, write_members
from kces.interop.formats import Format, format_of
from kces.interop.graph_files import output_format, place_for, read_graph
from kces.interop.limits import STANDARD_STREAM

__all__ = ["attacked_files", "read_attack_record", "read_attacked", "write_attacked"]


def attacked_files(path: str | Path, format: str | None = None) -> list[Path]:
    """The files that :func:`write_attacked` makes: the graph, and the one beside it if it has no room for a record.

    >>> [file.name for file in attacked_files("a.npz")], [file.name for file in attacked_files("a.csv")]
    (['a.npz'], ['a.csv', 'a.csv.attack.npz'])
    """
    target = Path(path)
    alone = _has_room(output_format(target, format)) or target == STANDARD_STREAM or is_stream(target)
    return [target] if alone else [target, _beside(target)]


def write_attacked(
    attacked: AttackedGraph, path: str | Path, *, format: str | None = None, force: bool = False
) -> list[Path]:
    """Write the attacked graph and the record of its attack; returns the files that were written.

    >>> import tempfile
    >>> import numpy as np
    >>> from kces.datasets.toys import barbell
    >>> bridge_is_new = AttackedGraph(barbell(), barbell().keep_edges(np.arange(21) != 10), np.array([4, 5]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_attacked(bridge_is_new, Path(folder) / "a.csv")
    ...     back = read_attacked(Path(folder) / "a.csv")
    >>> back.added.tolist() == bridge_is_new.added.tolist(), back.judged_nodes.tolist()
    (True, [4, 5])
    """
    graph_file, *record_file = attacked_files(path, format)
    for file in record_file:
        check_output(file, force=force)
    members, chosen = AttackRecord.of(attacked).members(), output_format(graph_file, format)
    with ExitStack() as records:
        for file in record_file:
            write_members(records.enter_context(atomic_write(file, force=force)), members)
        with place_for(graph_file, chosen, force=force) as temporary:
            chosen.write_graph(attacked.graph, temporary)
            if _has_room(chosen):
                write_members(temporary, {**read_members(temporary), **members})
            records.close()  # now that all is whole, and before a graph file takes its place: none stands without it
    return [graph_file, *record_file]


def read_attacked(path: str | Path, *, features: str | Path | None = None) -> AttackedGraph:
    """The graph of a file with what is known about the attack on it; without a record, a graph that was not attacked.

    ``features`` is as of :func:`kces.interop.graph_files.read_graph`.
    """
    graph = read_graph(path, features=features).graph
    record = read_attack_record(path)
    return AttackedGraph(graph, graph) if record is None else record.applied_to(graph, Path(path))


def read_attack_record(path: str | Path) -> AttackRecord | None:
    """The record inside an npz file or beside another one; None when there is none."""
    source = Path(path)
    chosen = format_of(source)
    if chosen is None or not _has_room(chosen):
        source = _beside(source)
        if not source.exists():
            return None
    return AttackRecord.from_members(read_members(source), source)


def _has_room(chosen: Format) -> bool:
    """Whether files of the format take arrays that others ignore."""
    return chosen.name == "npz"


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.attack.npz")
