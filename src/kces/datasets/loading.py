"""Graphs by name: data sets, built-in graphs, published attacks, and attacks made on demand."""

from __future__ import annotations

from pathlib import Path

from kces.datasets.attacked import AttackedGraph
from kces.datasets.builtin import is_builtin, load_builtin
from kces.datasets.catalog import DATASETS, LoadRequest
from kces.datasets.local_files import path_of
from kces.datasets.names import GraphName, parse_name
from kces.datasets.published import files_of, is_published, read_published
from kces.errors import InvalidParameterError
from kces.graph import Graph
from kces.offered import BUILTIN_GRAPHS
from kces.progress import Progress, silent

__all__ = ["fetch", "files_needed", "load", "load_attacked"]


def load(name: str, data_root: str | Path | None = None, *, split: int = 0, progress: Progress = silent) -> Graph:
    """The graph of that name, such as ``cora``, ``digits`` or ``cora@metattack-0.25``.

    Parameters
    ----------
    name : ``DATASET[@METHOD-BUDGET[#SEED]]``.
    data_root : folder that holds or receives the files; default ``KCES_DATA_ROOT``, else the user's cache.
    split : which of the ten published splits, for the heterophilous graphs; the others have one.
    progress : told about downloads, long reads and attacks made on demand.

    Examples
    --------
    >>> load("digits").n_nodes
    1797
    """
    return load_attacked(name, data_root, split=split, progress=progress).graph


def load_attacked(
    name: str, data_root: str | Path | None = None, *, split: int = 0, progress: Progress = silent
) -> AttackedGraph:
    """The graph of that name with the clean graph it came from; see :func:`load` for the parameters.

    >>> attacked = load_attacked("digits")
    >>> attacked.clean is attacked.graph, len(attacked.added)
    (True, 0)
    """
    parsed = parse_name(name)
    clean = _load_clean(parsed.dataset, LoadRequest(data_root, split, progress))
    if parsed.method is None:
        return AttackedGraph(clean, clean)
    if is_published(parsed):
        return read_published(parsed, clean, data_root, progress)
    return _make_attack(parsed, clean, data_root, progress)


def files_needed(name: str) -> tuple[str, ...]:
    """The registered files behind a name; none for a built-in graph.

    >>> files_needed("texas")
    ('heterophilous/texas.npz',)
    """
    parsed = parse_name(name)
    if is_builtin(parsed.dataset):
        return ()
    _check_known(parsed.dataset)
    attack = files_of(parsed) if is_published(parsed) else ()
    return DATASETS[parsed.dataset].files + attack


def fetch(name: str, data_root: str | Path | None = None, *, progress: Progress = silent) -> dict[str, Path]:
    """Make sure that every file behind ``name`` is here, and say where.

    >>> fetch("digits")
    {}
    """
    return {file: path_of(file, data_root, progress) for file in files_needed(name)}


def _load_clean(dataset: str, request: LoadRequest) -> Graph:
    if is_builtin(dataset):
        return load_builtin(dataset)
    _check_known(dataset)
    return DATASETS[dataset].read(request)


def _check_known(dataset: str) -> None:
    if dataset not in DATASETS:
        raise InvalidParameterError(
            f"unknown data set '{dataset}'; there are: {', '.join([*DATASETS, *BUILTIN_GRAPHS])}"
        )


def _make_attack(name: GraphName, clean: Graph, data_root: str | Path | None, progress: Progress) -> AttackedGraph:
    if name.method is None or name.budget is None:
        raise InvalidParameterError(f"{name} names no attack")
    try:
        from kces.lab.attacks.cache import load_or_make
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("kces"):
            raise
        from kces.interop.optional import missing

        raise missing(f"{name} is not a published graph and has to be made, which needs torch", extra="lab") from error
    return load_or_make(clean, name.method, name.budget, name.seed or 0, data_root, progress=progress)
