"""The paper's numbers, transcribed once: mean ± standard deviation where the paper gives one."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["ARXIV", "CLUSTERING", "COST", "K_SENSITIVITY", "METHODS", "ROBUSTNESS", "Reported", "method_reported"]

METHODS = ("gcn", "gat", "rgcn", "prognn", "svd", "jaccard", "gnnguard", "airgnn", "noisegnn", "gpr-gae", "kces")
"""The columns of the paper's tables, under the names of this package."""


@dataclass(frozen=True)
class Reported:
    """A number of the paper, or the mark that stands in its place (``–``, ``OOM``)."""

    mean: float | None
    std: float | None = None
    mark: str = ""

    @classmethod
    def parse(cls, text: str) -> Reported:
        """
        >>> Reported.parse("82.99±0.08")
        Reported(mean=82.99, std=0.08, mark='')
        >>> Reported.parse("OOM").mark
        'OOM'
        """
        numbers = [float(number) for number in re.findall(r"[\d.]+", text)]
        if not numbers:
            return cls(None, mark=text)
        return cls(numbers[0], numbers[1] if len(numbers) > 1 else None)


def method_reported(table: dict[str, Reported], method: str) -> Reported | None:
    """The paper's entry to compare a method with; both our presets stand beside the paper's KCES.

    >>> method_reported(ARXIV["clean"], "kces-paper").mean
    69.32
    """
    return table.get("kces" if method in ("kces", "kces-paper") else method)


def _by_method(values: str) -> dict[str, Reported]:
    return dict(zip(METHODS, map(Reported.parse, values.split()), strict=True))


# Table "Defense performance (Accuracy ± Std) under structural attacks", turned: a line per data set and method.
_ROBUSTNESS_COLUMNS = ("clean", "random", "nettack", "dice", "minmax", "metattack")
_ROBUSTNESS = """
polblogs gcn      95.71±0.79 81.29±0.61 92.59±0.73 71.47±0.98 70.14±0.54 63.09±0.12
polblogs gat      95.40±0.41 85.01±0.02 85.79±0.23 77.10±0.87 68.04±0.89 63.60±0.20
polblogs rgcn     95.29±0.52 82.23±0.76 93.15±0.70 71.16±0.36 82.10±0.42 62.67±0.13
polblogs prognn   95.60±0.46 86.50±0.12 95.20±0.59 74.74±0.18 60.73±0.37 65.23±0.24
polblogs svd      94.68±0.88 88.34±0.83 95.37±0.57 76.48±0.73 62.47±0.72 81.28±0.58
polblogs jaccard           –          –          –          –          –          –
polblogs gnnguard          –          –          –          –          –          –
polblogs airgnn            –          –          –          –          –          –
polblogs noisegnn 95.90±0.98 83.82±0.88 94.33±0.25 73.78±0.35 62.99±0.70 62.58±0.91
polblogs gpr-gae  94.74±0.40 88.45±0.63 92.96±0.06 76.48±0.39 59.71±0.87 61.61±0.31
polblogs kces     96.01±0.18 89.46±0.77 96.48±0.82 93.04±0.06 94.17±0.47 82.72±0.32
cora     gcn      83.65±0.57 77.57±0.38 57.83±0.78 76.16±0.69 60.66±0.23 53.12±0.83
cora     gat      83.90±0.15 79.23±0.75 58.23±0.08 77.06±0.31 61.26±0.73 58.35±0.22
cora     rgcn     82.89±0.99 74.55±0.13 59.04±0.51 73.59±0.91 59.80±0.75 51.35±0.72
cora     prognn   85.16±0.77 79.58±0.32 69.67±0.68 75.95±0.40 64.73±0.23 63.37±0.16
cora     svd      78.16±0.07 78.87±0.36 74.70±1.21 72.68±0.72 59.45±0.10 61.92±0.28
cora     jaccard  82.69±0.74 77.36±0.93 76.69±0.64 77.11±0.22 72.23±0.69 75.28±0.19
cora     gnnguard 78.87±0.77 77.11±0.57 62.65±0.03 75.50±0.26 70.57±0.95 70.77±0.97
cora     airgnn   80.14±0.84 65.83±0.18 67.47±0.72 72.24±0.73 64.73±0.86 63.83±0.92
cora     noisegnn 82.39±0.42 75.50±0.51 60.42±0.04 73.59±0.23 61.82±0.93 55.18±0.79
cora     gpr-gae  84.46±0.28 79.03±0.14 58.01±0.75 77.76±0.19 62.42±0.55 56.24±0.53
cora     kces     84.04±0.42 79.67±0.69 82.24±0.43 82.59±0.09 78.42±0.47 82.99±0.08
citeseer gcn      72.51±0.61 70.38±0.83 52.38±0.94 67.71±0.72 66.29±0.45 57.64±0.59
citeseer gat      72.69±0.55 69.31±0.95 59.19±0.46 66.60±0.43 67.54±0.43 61.20±0.66
citeseer rgcn     71.97±0.60 67.06±0.26 49.21±0.97 66.17±0.85 61.02±0.44 56.81±0.75
citeseer prognn   71.74±0.59 72.36±0.19 72.23±1.04 72.15±0.61 69.90±0.80 66.33±0.46
citeseer svd      69.60±0.56 67.59±0.15 74.60±0.51 67.35±0.03 64.57±0.86 66.29±0.39
citeseer jaccard  72.98±0.06 71.21±0.03 72.14±0.69 71.14±0.19 71.20±0.02 70.14±0.53
citeseer gnnguard 71.03±0.19 72.73±0.60 72.95±0.58 69.01±0.34 68.60±0.86 64.75±0.60
citeseer airgnn   72.23±0.39 65.28±0.70 77.78±0.77 67.20±0.48 66.28±0.32 65.23±0.34
citeseer noisegnn 71.33±0.58 69.43±0.97 63.49±0.71 67.24±0.93 70.08±0.22 59.94±0.94
citeseer gpr-gae  72.16±0.46 68.96±0.01 50.03±0.62 67.54±0.89 68.48±0.49 59.48±0.43
citeseer kces     73.02±0.93 72.81±0.62 76.14±0.60 72.45±0.84 72.80±0.36 71.86±0.87
pubmed   gcn      85.72±0.05 84.11±0.28 66.67±0.36 81.68±0.46 55.67±0.46 46.08±0.39
pubmed   gat      84.89±0.84 81.02±0.72 76.73±0.88 76.93±0.19 60.01±0.97 49.72±0.37
pubmed   rgcn     84.72±0.06 83.75±0.10 72.58±0.09 81.44±0.56 54.64±0.24 45.99±0.92
pubmed   prognn   85.19±0.43 84.28±0.41 72.60±0.14 80.73±0.30 69.29±0.37 72.08±0.51
pubmed   svd      84.53±0.86 82.61±0.63 80.10±0.45 80.39±0.12 80.50±0.06 82.75±0.25
pubmed   jaccard  86.19±0.97 84.27±0.64 85.48±0.12 82.93±0.70 84.51±0.83 84.22±0.39
pubmed   gnnguard 84.49±0.79 83.87±0.03 83.33±0.65 82.28±0.70 81.69±0.57 83.37±0.89
pubmed   airgnn   84.85±0.40 83.09±0.69 85.48±0.96 83.09±0.27 84.02±0.13 84.83±0.20
pubmed   noisegnn 85.11±0.45 83.50±0.52 65.44±0.64 81.42±0.08 57.51±0.81 47.17±0.29
pubmed   gpr-gae  85.07±0.88 83.02±0.59 67.37±0.30 78.86±0.16 56.32±0.68 48.32±0.66
pubmed   kces     86.17±0.52 85.83±0.82 86.24±0.09 85.74±0.39 85.64±0.97 86.45±0.45
flickr   gcn      56.24±0.81 62.82±0.62 38.82±0.55 51.71±0.32 14.57±0.97 36.93±0.86
flickr   gat      47.83±0.25 60.80±0.42 43.12±0.39 48.11±0.11 11.71±0.26 37.29±0.06
flickr   rgcn     39.62±0.73 62.44±0.16 59.87±0.36 47.34±0.39 27.13±0.02 31.72±0.21
flickr   prognn   54.68±0.68 65.43±0.90 70.31±0.74 71.23±0.17 19.68±0.58 65.05±0.82
flickr   svd      60.46±0.55 76.54±0.41 58.70±0.45 73.38±0.93 39.17±0.78 59.08±0.36
flickr   jaccard  74.04±0.38 74.83±0.96 72.58±0.48 73.35±0.02 74.82±0.33 74.85±0.95
flickr   gnnguard 74.31±0.74 74.85±0.55 74.51±0.33 73.59±0.24 75.04±0.08 75.05±0.75
flickr   airgnn   75.56±0.10 76.02±0.44 75.63±0.03 73.08±0.83 75.45±0.65 75.90±0.05
flickr   noisegnn 60.91±0.74 69.13±0.21 49.67±0.80 51.52±0.57 28.27±0.12 49.67±0.38
flickr   gpr-gae  62.62±0.15 50.03±0.50 39.82±0.95 52.09±0.90  9.80±0.67 30.92±0.07
flickr   kces     76.25±0.93 76.74±0.65 73.47±0.97 73.69±0.67 76.86±0.90 76.63±0.82
"""


def _robustness() -> dict[str, dict[str, dict[str, Reported]]]:
    table: dict[str, dict[str, dict[str, Reported]]] = {}
    for line in _ROBUSTNESS.strip().splitlines():
        dataset, method, *values = line.split()
        for attack, value in zip(_ROBUSTNESS_COLUMNS, values, strict=True):
            table.setdefault(dataset, {}).setdefault(attack, {})[method] = Reported.parse(value)
    return table


ROBUSTNESS = _robustness()
"""``ROBUSTNESS[dataset][attack][method]``, accuracy in percent."""

# Table "Performance (%) on Ogbn-Arxiv under clean setting and PRBCD attack".
ARXIV = {
    "clean": _by_method("67.51 66.54 68.05 OOM 58.62 67.42 66.45 66.96 68.92 68.16 69.32"),
    "prbcd": _by_method("40.66 42.53 47.27 OOM 53.94 38.76 45.24 40.96 37.24 42.13 58.62"),
}

# Table "Time and space complexity comparison on Pubmed under Metattack", 10 % of the edges, on a GPU.
COST = {
    "peak_mb": _by_method("1484 5645 8950 17518 6266 1490 9689 3304 1728 3456 1539"),
    "seconds": _by_method("2.30 6.51 9.56 7340.23 6.55 3.46 415.23 2.44 2.68 24.56 6.40"),
}


def _numbers(keys: str, values: str) -> dict[str, Reported]:
    return dict(zip(keys.split(), map(Reported.parse, values.split()), strict=True))


# Table "Impact of the number of clusters K on KCES", Metattack 25 %.
K_SENSITIVITY = {
    "cora": _numbers("2 5 10 15 20 30", "80.31 81.25 80.92 80.25 80.51 79.86"),
    "citeseer": _numbers("2 5 10 15 20 30", "71.50 71.20 71.03 70.84 71.29 70.97"),
}

# Table "Impact of different clustering algorithms on KCES", K = 6; "gcn" is the paper's column "Attack".
CLUSTERING = {
    "cora": _numbers("gcn spectral gmm kmeans", "52.30 80.03 80.51 80.11"),
    "citeseer": _numbers("gcn spectral gmm kmeans", "56.59 71.03 72.20 72.79"),
}
