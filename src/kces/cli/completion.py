"""What the shell offers for a word of the command line.

The names are written out here: reading them off the registries would import numpy, numba and torch at every press of
the Tab key. A test holds them against the registries.
"""

from __future__ import annotations

__all__ = [
    "ATTACKS",
    "DATASETS",
    "DEFENSES",
    "ENCODINGS",
    "ENGINES",
    "FORMATS",
    "LABELS",
    "PRESETS",
    "complete_attack",
    "complete_defenses",
    "complete_encoding",
    "complete_engine",
    "complete_format",
    "complete_graph",
    "complete_labels",
    "complete_preset",
]

PRESETS = ("paper", "robust")
ENGINES = ("auto", "exact", "local", "gradient", "subgraph", "montecarlo")
LABELS = ("kmeans", "gmm", "spectral", "given", "train")
ENCODINGS = ("linear", "onehot")
FORMATS = ("npz", "csv", "tsv", "edges", "json", "jsonl", "parquet", "graphml", "pt")
DATASETS = (
    "cora", "citeseer", "cora_ml", "polblogs", "pubmed", "flickr", "ogbn-arxiv", "texas", "wisconsin", "cornell",
    "actor", "chameleon_filtered", "squirrel_filtered", "digits", "synthetic",
)  # fmt: skip
ATTACKS = (
    "random", "dice", "metattack", "metattack-approx", "minmax", "prbcd", "lrbcd", "adaptive-kces", "nettack",
)  # fmt: skip
DEFENSES = (
    "mlp", "gcn", "gat", "rgcn", "gnnguard", "airgnn", "noisegnn", "prognn",
    "jaccard", "svd", "gpr-gae", "kces", "kces-paper", "cosine", "oracle",
)  # fmt: skip


def complete_preset(incomplete: str) -> list[str]:
    """Presets that begin with ``incomplete``.

    >>> complete_preset("ro")
    ['robust']
    """
    return _starting(incomplete, PRESETS)


def complete_engine(incomplete: str) -> list[str]:
    """Engines that begin with ``incomplete``."""
    return _starting(incomplete, ENGINES)


def complete_labels(incomplete: str) -> list[str]:
    """Kinds of labels that begin with ``incomplete``; where none does, the shell offers files."""
    return _starting(incomplete, LABELS)


def complete_encoding(incomplete: str) -> list[str]:
    """Encodings that begin with ``incomplete``."""
    return _starting(incomplete, ENCODINGS)


def complete_format(incomplete: str) -> list[str]:
    """File formats that begin with ``incomplete``."""
    return _starting(incomplete, FORMATS)


def complete_graph(incomplete: str) -> list[str]:
    """Data sets that begin with ``incomplete``; where none does, the shell offers files."""
    return _starting(incomplete, DATASETS)


def complete_attack(incomplete: str) -> list[str]:
    """Attacks that begin with ``incomplete``."""
    return _starting(incomplete, ATTACKS)


def complete_defenses(incomplete: str) -> list[str]:
    """Defenses that continue a list whose words are joined by ``,`` and ``+``.

    >>> complete_defenses("gcn,jaccard+g")
    ['gcn,jaccard+gcn', 'gcn,jaccard+gat', 'gcn,jaccard+gnnguard', 'gcn,jaccard+gpr-gae']
    """
    begun = max(incomplete.rfind(","), incomplete.rfind("+")) + 1
    return [incomplete[:begun] + name for name in _starting(incomplete[begun:], DEFENSES)]


def _starting(incomplete: str, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
