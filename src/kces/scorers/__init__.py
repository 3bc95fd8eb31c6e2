"""Ways to score edges, behind one seam: ``robust``, the default, and ``paper``, the paper to the letter.

>>> from kces.datasets.toys import barbell
>>> from kces.scorers import ScoreOptions, make_scorer
>>> scored = make_scorer(ScoreOptions()).score(barbell())
>>> scored.graph.edges[scored.scores.argmax()].tolist()
[4, 5]
"""

from __future__ import annotations

from importlib import import_module

from kces.errors import InvalidParameterError
from kces.scorers.score_options import ScoreOptions, check_seed
from kces.scorers.scored import AUTO, Scored
from kces.scorers.scorer import Scorer

__all__ = ["AUTO", "SCORERS", "ScoreOptions", "Scored", "Scorer", "make_scorer"]

SCORERS: dict[str, str] = {
    "robust": "kces.scorers.robust:RobustScorer",
    "paper": "kces.scorers.paper:PaperScorer",
}
"""Where each preset's scorer lives. Imported when asked for: one need not wait for the libraries of the other."""


def make_scorer(options: ScoreOptions) -> Scorer:
    """The scorer of ``options.preset`` with these options, checked before any work.

    >>> make_scorer(ScoreOptions(preset="paper", ridge=0.1)).name
    'paper'
    """
    if options.preset not in SCORERS:
        raise InvalidParameterError(f"unknown preset '{options.preset}'; there are: {', '.join(SCORERS)}")
    check_seed(options.seed)
    module, _, name = SCORERS[options.preset].partition(":")
    scorer: type[Scorer] = getattr(import_module(module), name)
    scorer.validate(options)
    return scorer(options)
