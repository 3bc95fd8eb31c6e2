"""Attacked graphs made once and kept: what stands behind a name such as ``cora@dice-0.25#3``."""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from kces.atomic import atomic_write
from kces.datasets.attacked import AttackedGraph
from kces.datasets.roots import cache_folder, data_root, is_writable, make_private_folder
from kces.errors import OutputError
from kces.graph import Graph
from kces.lab.attacks.attack_registry import ATTACKS, find_attack
from kces.lab.attacks.checkpoint import graph_fingerprint, values_fingerprint
from kces.lab.attacks.flips import budget_label
from kces.memory import peak_memory
from kces.progress import Progress, silent

__all__ = ["attack_folder", "load_or_make"]


def load_or_make(
    clean: Graph,
    method: str,
    budget: float,
    seed: int = 0,
    root: str | Path | None = None,
    *,
    progress: Progress = silent,
) -> AttackedGraph:
    """The attacked graph from the cache, or made now with the attack's default parameters and kept.

    The file's name carries a fingerprint of the clean graph, so a different graph, label or split is never
    answered with another one's attack, and from the second on the attack's version. An attack of a plugin is made every
    time: its code may have changed since, which no name tells. An interrupted attack goes on from its last checkpoint.
    """
    attack = find_attack(method)
    if not ATTACKS.is_own(method):
        made = attack(clean, budget, seed, progress=progress)
        return replace(made, graph=replace(made.graph, name=_full_name(clean, method, budget, seed)))
    folder = attack_folder(root)
    begin = f"{_safe(clean.name)}@{method}-{budget_label(budget)}#{seed}"
    end = f"-v{attack.version}" if attack.version > 1 else ""
    stem, older = (f"{begin}-{mark(clean)[:12]}{end}" for mark in (graph_fingerprint, values_fingerprint))
    stored = folder / f"{stem}.npz"
    for file in (stored, folder / f"{older}.npz"):
        found = _read(file, clean)
        if found is not None:
            return found
    _make_folder(folder)
    unfinished = {"checkpoint": folder / f"{stem}.unfinished.npz"} if attack.resumable else {}
    attacked = attack(clean, budget, seed, progress=progress, **unfinished)
    named = replace(attacked.graph, name=_full_name(clean, method, budget, seed))
    attacked = replace(attacked, graph=named, log=attacked.log | {"peak_gb": round(peak_memory() / 1e9, 2) or None})
    _write(stored, attacked)
    return attacked


def attack_folder(root: str | Path | None = None) -> Path:
    """``KCES_CACHE``, else the data folder if it can be written to, else the user's cache folder."""
    from_environment = os.environ.get("KCES_CACHE")
    if from_environment:
        return Path(from_environment).expanduser() / "attacks"
    folder = data_root(root)
    return (folder if is_writable(folder) else cache_folder()) / "attacks"


def _full_name(clean: Graph, method: str, budget: float, seed: int) -> str:
    return f"{clean.name}@{method}-{budget_label(budget)}" + (f"#{seed}" if seed else "")


def _safe(name: str) -> str:
    """A graph's name as part of a file name."""
    return "".join(letter if letter.isalnum() or letter in "._-=," else "_" for letter in name)


def _make_folder(folder: Path) -> None:
    try:
        make_private_folder(folder)
    except OSError as error:
        raise OutputError(
            f"cannot make the cache folder {folder}: {error.strerror}; set KCES_CACHE to one you can write to"
        ) from error


def _write(path: Path, attacked: AttackedGraph) -> None:
    targets = np.empty(0, dtype=np.int64) if attacked.targets is None else attacked.targets
    with atomic_write(path, force=True) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            edges=attacked.graph.edges,
            targets=targets,
            name=np.array(attacked.graph.name),
            log=np.array(json.dumps(attacked.log)),
        )


def _read(path: Path, clean: Graph) -> AttackedGraph | None:
    """The stored graph; None when there is none, or when it is damaged and has to be made again."""
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            edges, targets = stored["edges"], stored["targets"]
            name, log = str(stored["name"]), json.loads(str(stored["log"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    graph = replace(clean.with_edges(edges), name=name)
    return AttackedGraph(graph, clean, targets if len(targets) else None, log)
