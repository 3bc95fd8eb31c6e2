"""``python -m kces.lab.study tune|look``: the two tables of docs/robust.md, one CSV line per graph and variant."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from kces.datasets.attacked import AttackedGraph
from kces.errors import KCESError
from kces.estimator import ALPHAS
from kces.lab.study.protocol import TUNING, Curve, accuracy_curve, held_out_graphs, precision, ranking_auc, study_graph
from kces.lab.study.variants import VARIANTS
from kces.scorers import ScoreOptions, make_scorer

COLUMNS = (
    "graph",
    "variant",
    "adversarial",
    "auc",
    "precision",
    "alpha",
    "accuracy",
    "informed alpha",
    "informed accuracy",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table as it is made; exit code 2 on a user's mistake."""
    parser = argparse.ArgumentParser(prog="python -m kces.lab.study", description=__doc__)
    parser.add_argument("what", choices=["tune", "look"], help="tune: tuning graphs; look: held-out graphs")
    parser.add_argument("--graph", action="append", help="only this graph (repeatable)")
    parser.add_argument("--variant", action="append", choices=list(VARIANTS), help="only this variant (repeatable)")
    parser.add_argument("--seeds", type=int, default=0, help="GCN seeds per α; 0 = ranking only, no training")
    parser.add_argument("--references", action="store_true", help="add undefended, automatic-α and oracle rows")
    parser.add_argument("--data-root", help="folder of the data; default KCES_DATA_ROOT")
    options = parser.parse_args(arguments)
    names = options.graph or (TUNING if options.what == "tune" else held_out_graphs())
    variants = options.variant or (list(VARIANTS) if options.what == "tune" else ["robust"])
    _write(COLUMNS)
    try:
        for name in names:
            _study(study_graph(name, options.data_root), name, variants, options.seeds, options.references)
    except KCESError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


def _study(attacked: AttackedGraph, name: str, variants: Sequence[str], seeds: int, references: bool) -> None:
    """One line per variant; with ``references`` also no defence, the label-free cut, and the ceiling."""
    share = float(attacked.is_added.mean())
    automatic = make_scorer(ScoreOptions()).score(attacked.graph).automatic.alpha
    for variant in variants:
        scores = VARIANTS[variant](attacked.graph)
        curve = accuracy_curve(attacked, scores, seeds=range(seeds), alphas=[*ALPHAS, automatic]) if seeds else None
        found = (ranking_auc(attacked, scores), precision(attacked, scores))
        _write((name, variant, share, *found, *_chosen(curve, automatic)))
        if references and variant == "robust":
            _write((name, "robust at automatic α", share, None, None, automatic, curve and curve.at(automatic)))
    if not references:
        return
    oracle = attacked.is_added.astype(np.float64)
    for row, alpha in (("no defence", 0.0), ("oracle", share)):
        single = accuracy_curve(attacked, oracle, seeds=range(seeds), alphas=(alpha,)).judged[0] if seeds else None
        _write((name, row, share, None, None, alpha, single))


def _chosen(curve: Curve | None, automatic: float) -> tuple[float | None, ...]:
    """α and accuracy by validation alone, then by validation and the automatic cut together."""
    if curve is None:
        return (None,) * 4
    alphas = curve.best_alpha(), curve.informed_alpha(automatic)
    return alphas[0], curve.at(alphas[0]), alphas[1], curve.at(alphas[1])


def _write(row: Sequence[object]) -> None:
    row = [*row, *[None] * (len(COLUMNS) - len(row))]
    cells = ["" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
    sys.stdout.write(",".join(f'"{cell}"' if "," in cell else cell for cell in cells) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
