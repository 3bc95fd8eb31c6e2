"""Ways to score edges, behind one seam: ``robust``, the default, and ``paper``, the paper to the letter.

>>> from kces.datasets.toys import barbell
>>> from kces.scorers import ScoreOptions, make_scorer
>>> scored = make_scorer(ScoreOptions()).score(barbell())
>>> scored.graph.edges[scored.scores.argmax()].tolist()
[4, 5]
"""

from __future__ import annotations

from kces.cut import AUTO, LABELS
from kces.errors import InvalidParameterError
from kces.offered import SCORERS, load_target
from kces.scorers.score_options import ScoreOptions, check_seed
from kces.scorers.scored import Scored
from kces.scorers.scorer import Scorer

__all__ = ["AUTO", "LABELS", "SCORERS", "ScoreOptions", "Scored", "Scorer", "make_scorer"]


def make_scorer(options: ScoreOptions) -> Scorer:
    """The scorer of ``options.preset`` with these options, checked before any work.

    >>> make_scorer(ScoreOptions(preset="paper", ridge=0.1)).name
    'paper'
    """
    if options.preset not in SCORERS:
        raise InvalidParameterError(f"unknown preset '{options.preset}'; there are: {', '.join(SCORERS)}")
    check_seed(options.seed)
    scorer: type[Scorer] = load_target(SCORERS[options.preset])  # one need not wait for the libraries of the other
    scorer.validate(options)
    return scorer(options)
