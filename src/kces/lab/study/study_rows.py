"""The two tables of docs/robust.md, a row per graph and variant: tuning graphs, and graphs held out of every choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from kces.datasets.attacked import AttackedGraph
from kces.errors import InvalidParameterError
from kces.estimator import ALPHAS
from kces.lab.study.protocol import TUNING, Curve, accuracy_curve, held_out_graphs, precision, ranking_auc, study_graph
from kces.lab.study.variants import VARIANTS
from kces.scorers import ScoreOptions, make_scorer

__all__ = ["LOOK", "TUNE", "StudyRow", "csv_header", "csv_line", "study_rows"]

TUNE, LOOK = "tune", "look"
_GRAPHS = {TUNE: lambda: list(TUNING), LOOK: held_out_graphs}
_VARIANTS = {TUNE: list(VARIANTS), LOOK: ["robust"]}


@dataclass(frozen=True)
class StudyRow:
    """One line of the table; None where something is not known or was not measured.

    ``alpha`` and ``accuracy`` are chosen by validation alone, the informed ones by validation and the automatic cut.
    """

    graph: str
    variant: str
    adversarial: float
    auc: float | None = None
    precision: float | None = None
    alpha: float | None = None
    accuracy: float | None = None
    informed_alpha: float | None = None
    informed_accuracy: float | None = None


def study_rows(
    what: str,
    *,
    graphs: Sequence[str] = (),
    variants: Sequence[str] = (),
    seeds: int = 0,
    references: bool = False,
    data_root: str | Path | None = None,
) -> Iterator[StudyRow]:
    """The rows, as they are made.

    Parameters
    ----------
    what : ``tune``, all variants on the tuning graphs, or ``look``, the frozen recipe on the held-out graphs.
    graphs, variants : others than these.
    seeds : GCN seeds per α; 0 ranks only, without training.
    references : add rows without defense, at the automatic α and of the oracle.
    data_root : folder of the data sets. Default: as everywhere.

    Examples
    --------
    >>> [row.variant for row in study_rows("tune", graphs=["synthetic:n=60"], variants=["robust"], references=True)]
    ['robust', 'robust at automatic α', 'no defense', 'oracle']
    """
    if what not in _GRAPHS:
        raise InvalidParameterError(f"unknown table '{what}'; there are: {TUNE}, {LOOK}")
    unknown = [name for name in variants if name not in VARIANTS]
    if unknown:
        raise InvalidParameterError(f"unknown variant '{unknown[0]}'; there are: {'; '.join(VARIANTS)}")
    for name in graphs or _GRAPHS[what]():
        attacked = study_graph(name, data_root)
        yield from _rows_of(attacked, name, variants or _VARIANTS[what], seeds, references)


def csv_header() -> str:
    """The names of the columns, as in the first line of the file."""
    return ",".join(field.name.replace("_", " ") for field in fields(StudyRow))


def csv_line(row: StudyRow) -> str:
    """The row as a line of a CSV file.

    >>> csv_line(StudyRow("cora", "paper, signed", 0.25, alpha=0.1))
    'cora,"paper, signed",0.2500,,,0.1000,,,'
    """
    values = [getattr(row, field.name) for field in fields(row)]
    cells = ["" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value) for value in values]
    return ",".join(f'"{cell}"' if "," in cell else cell for cell in cells)


def _rows_of(
    attacked: AttackedGraph, name: str, variants: Sequence[str], seeds: int, references: bool
) -> Iterator[StudyRow]:
    share = float(attacked.is_added.mean())
    automatic = make_scorer(ScoreOptions()).score(attacked.graph).automatic.alpha
    for variant in variants:
        scores = VARIANTS[variant](attacked.graph)
        curve = accuracy_curve(attacked, scores, seeds=range(seeds), alphas=[*ALPHAS, automatic]) if seeds else None
        found = (ranking_auc(attacked, scores), precision(attacked, scores))
        yield StudyRow(name, variant, share, *found, *_chosen(curve, automatic))
        if references and variant == "robust":
            at_automatic = None if curve is None else curve.at(automatic)
            yield StudyRow(name, "robust at automatic α", share, alpha=automatic, accuracy=at_automatic)
    if references:
        yield from _ends_of_the_scale(attacked, name, share, seeds)


def _ends_of_the_scale(attacked: AttackedGraph, name: str, share: float, seeds: int) -> Iterator[StudyRow]:
    """No defense, and the ceiling."""
    oracle = attacked.is_added.astype(np.float64)
    for row, alpha in (("no defense", 0.0), ("oracle", share)):
        reached = accuracy_curve(attacked, oracle, seeds=range(seeds), alphas=(alpha,)).judged[0] if seeds else None
        yield StudyRow(name, row, share, alpha=alpha, accuracy=reached)


def _chosen(curve: Curve | None, automatic: float) -> tuple[float | None, ...]:
    """α and accuracy by validation alone, then by validation and the automatic cut together."""
    if curve is None:
        return ()
    alphas = curve.best_alpha(), curve.informed_alpha(automatic)
    return alphas[0], curve.at(alphas[0]), alphas[1], curve.at(alphas[1])
