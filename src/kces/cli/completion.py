"""What the shell offers for a word of the command line: names, without importing what they name."""

from __future__ import annotations

from collections.abc import Iterable

from kces.offered import (
    ATTACKS,
    BUILTIN_GRAPHS,
    CLUSTERINGS,
    DATASETS,
    ENCODINGS,
    ENGINES,
    FORMATS,
    MODELS,
    PURIFIERS,
    SCORERS,
)

__all__ = [
    "complete_attack",
    "complete_defenses",
    "complete_encoding",
    "complete_engine",
    "complete_format",
    "complete_graph",
    "complete_labels",
    "complete_preset",
]


def complete_preset(incomplete: str) -> list[str]:
    """Presets that begin with ``incomplete``.

    >>> complete_preset("ro")
    ['robust']
    """
    return _starting(incomplete, SCORERS)


def complete_engine(incomplete: str) -> list[str]:
    """Engines that begin with ``incomplete``."""
    return _starting(incomplete, ("auto", *ENGINES))


def complete_labels(incomplete: str) -> list[str]:
    """Kinds of labels that begin with ``incomplete``; where none does, the shell offers files."""
    return _starting(incomplete, (*CLUSTERINGS, "given"))


def complete_encoding(incomplete: str) -> list[str]:
    """Encodings that begin with ``incomplete``."""
    return _starting(incomplete, ENCODINGS)


def complete_format(incomplete: str) -> list[str]:
    """File formats that begin with ``incomplete``."""
    return _starting(incomplete, FORMATS)


def complete_graph(incomplete: str) -> list[str]:
    """Data sets that begin with ``incomplete``; where none does, the shell offers files."""
    return _starting(incomplete, (*DATASETS, *BUILTIN_GRAPHS))


def complete_attack(incomplete: str) -> list[str]:
    """Attacks that begin with ``incomplete``."""
    return _starting(incomplete, ATTACKS)


def complete_defenses(incomplete: str) -> list[str]:
    """Defenses that continue a list whose words are joined by ``,`` and ``+``.

    >>> complete_defenses("gcn,jaccard+g")
    ['gcn,jaccard+gcn', 'gcn,jaccard+gat', 'gcn,jaccard+gnnguard', 'gcn,jaccard+gpr-gae']
    """
    begun = max(incomplete.rfind(","), incomplete.rfind("+")) + 1
    return [incomplete[:begun] + name for name in _starting(incomplete[begun:], (*MODELS, *PURIFIERS))]


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
