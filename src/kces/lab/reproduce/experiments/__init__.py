"""Every table and figure by name."""

from __future__ import annotations

from kces.errors import InvalidParameterError
from kces.lab.reproduce.experiments import clustering, cost, pruning, robustness, supplement
from kces.lab.reproduce.plan import Experiment

__all__ = ["EXPERIMENTS", "find_experiment"]

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        robustness.TABLE_ROBUSTNESS,
        robustness.TABLE_ARXIV,
        robustness.TABLE_LARGE,
        cost.TABLE_COST,
        clustering.TABLE_K,
        clustering.TABLE_CLUSTERING,
        pruning.FIGURE_MECHANISM,
        robustness.FIGURE_PLUG_AND_PLAY,
        supplement.SUPPLEMENT_PRBCD,
        supplement.SUPPLEMENT_ADAPTIVE,
        supplement.SUPPLEMENT_FEATURES,
        cost.SUPPLEMENT_RUNTIME,
        pruning.SUPPLEMENT_ALPHA,
        pruning.SUPPLEMENT_CLEAN,
        supplement.SUPPLEMENT_HETEROPHILOUS,
    )
}


def find_experiment(name: str) -> Experiment:
    """The experiment of that name.

    >>> find_experiment("table-k").unit
    'accuracy, %'
    """
    if name not in EXPERIMENTS:
        raise InvalidParameterError(f"unknown experiment '{name}'; there are: {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
