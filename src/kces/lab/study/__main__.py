"""``python -m kces.lab.study tune|look``: the two tables of docs/robust.md, one CSV line per graph and variant."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from kces.automatic_cut import automatic_alpha
from kces.errors import KCESError
from kces.lab.attacked import AttackedGraph
from kces.lab.study.protocol import TUNING, accuracy_at, held_out_graphs, precision, ranking_auc, study_graph
from kces.lab.study.variants import VARIANTS
from kces.robust import robust_evidence

COLUMNS = ("graph", "variant", "adversarial", "auc", "precision", "alpha", "accuracy")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table as it is made; exit code 2 on a user's mistake."""
    parser = argparse.ArgumentParser(prog="python -m kces.lab.study", description=__doc__)
    parser.add_argument("what", choices=["tune", "look"], help="tune: tuning graphs; look: held-out graphs")
    parser.add_argument("--graph", action="append", help="only this graph (repeatable)")
    parser.add_argument("--variant", action="append", choices=list(VARIANTS), help="only this variant (repeatable)")
    parser.add_argument("--seeds", type=int, default=0, help="GCN seeds per α; 0 = ranking only, no training")
    parser.add_argument("--automatic", action="store_true", help="add undefended, automatic-α and oracle rows")
    parser.add_argument("--data-root", help="folder of the data; default KCES_DATA_ROOT")
    options = parser.parse_args(arguments)
    names = options.graph or (TUNING if options.what == "tune" else held_out_graphs())
    variants = options.variant or (list(VARIANTS) if options.what == "tune" else ["robust"])
    _write(COLUMNS)
    try:
        for name in names:
            _study(study_graph(name, options.data_root), name, variants, options.seeds, options.automatic)
    except KCESError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


def _study(attacked: AttackedGraph, name: str, variants: Sequence[str], seeds: int, automatic: bool) -> None:
    share = float(attacked.is_added.mean())
    for variant in variants:
        scores = VARIANTS[variant](attacked.graph)
        accuracy = accuracy_at(attacked, scores, seeds=range(seeds)) if seeds else None
        chosen = (accuracy.alpha, accuracy.value) if accuracy else (None, None)
        _write((name, variant, share, ranking_auc(attacked, scores), precision(attacked, scores), *chosen))
    if automatic:
        _reference_rows(attacked, name, share, seeds)


def _reference_rows(attacked: AttackedGraph, name: str, share: float, seeds: int) -> None:
    """No defence, the α chosen without labels, and the ceiling: exactly the adversarial edges gone."""
    evidence = robust_evidence(attacked.graph)
    cut = automatic_alpha(evidence.scores, evidence.random_scores)
    oracle = attacked.is_added.astype(np.float64)
    for row, scores, alpha in (
        ("no defence", oracle, 0.0),
        ("robust, automatic α", evidence.scores, cut),
        ("oracle", oracle, share),
    ):
        value = accuracy_at(attacked, scores, seeds=range(seeds), alphas=(alpha,)).value if seeds else None
        _write((name, row, share, None, None, alpha, value))


def _write(row: Sequence[object]) -> None:
    cells = ["" if cell is None else f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
    sys.stdout.write(",".join(f'"{cell}"' if "," in cell else cell for cell in cells) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
