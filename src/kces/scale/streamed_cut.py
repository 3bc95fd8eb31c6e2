"""The cut of a graph on disk: the same edges as in memory, found in passes over the scores.

Scores are ranked on a scale of whole numbers, so that the lowest score that goes is found exactly by counting
(``streamed_levels.py``). Where the scores decide, the company of an edge counts too (``kces.company``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kces.automatic_cut import (
    Symptoms,
    Yardstick,
    choice_by_symptoms,
    noise_bounds,
    verdict_without_symptoms,
)
from kces.company import Company, company_weight, leads_at_nodes, raised_scores
from kces.cut import AlphaChoice, said_of_abstaining, said_of_ties
from kces.edge_groups import agreement_counts, second_group, standing_apart
from kces.marked_nodes import MarkedNodes
from kces.ranking import prune_count
from kces.scale.robust_on_disk import FolderScores
from kces.scale.streamed_levels import StreamedLevels, value_of_place
from kces.scorers.scored import AUTO
from kces.types import Array, Bools, Ints

__all__ = ["FolderCut", "automatic_choice_on_disk", "cut_folder"]


@dataclass(frozen=True, eq=False)
class FolderCut:
    """Which edges of a folder go.

    Attributes
    ----------
    scored : the scores.
    choice : the ratio that was aimed at, and why.
    decisive : what edges are cut by, as levels.
    lowest : edges above this level go; None where none goes.
    with_ties : whether edges of that very level go too.
    spares_silent : whether edges of which nothing is known stay.
    warning : what the caller should hear about this cut, or nothing.
    """

    scored: FolderScores
    choice: AlphaChoice
    decisive: StreamedLevels
    lowest: float | None = None
    with_ties: bool = False
    spares_silent: bool = False
    warning: str = ""

    def kept(self) -> Iterator[Bools]:
        """(C,) for each chunk of edges, in order, which stay."""
        for chunk in self.scored.chunks():
            start, stop = self.scored.bounds(chunk)
            stays: Bools = np.ones(stop - start, dtype=bool)
            if self.lowest is not None:
                levels = self.decisive.of(chunk)
                stays = levels < self.lowest if self.with_ties else levels <= self.lowest
                if self.spares_silent:
                    stays = stays | self.scored.silent(chunk)
            yield stays

    @cached_property
    def n_removed(self) -> int:
        return sum(int((~stays).sum()) for stays in self.kept())


def cut_folder(scored: FolderScores, alpha: float | str = AUTO) -> FolderCut:
    """Part the edges at ``alpha``, a share in [0, 1] or ``auto``, as :meth:`kces.scorers.Scored.cut` does in memory.

    Parameters
    ----------
    scored : the scores of a folder.
    alpha : share of edges to remove, or ``auto``: as many as look like noise.
    """
    automatic = alpha == AUTO
    choice = automatic_choice_on_disk(scored) if automatic else AlphaChoice.asked_for(alpha)
    total = scored.folder.n_edges
    count = prune_count(total, choice.alpha)
    decisive = StreamedLevels(scored.n_chunks, _suspicion(scored) if automatic and count else scored.scores)
    if count == 0:
        return FolderCut(scored, choice, decisive, warning=said_of_abstaining(choice))
    lowest, above, tied = decisive.of_rank(count)
    choice = choice.with_ties(above + tied, total)
    count = prune_count(total, choice.alpha)
    with_ties = count - above == tied
    removed = above + (tied if with_ties else 0)
    all_tied = total if total > 1 and decisive.range[0] == decisive.range[1] else None
    said = "" if removed == count else said_of_ties(choice, removed, count, all_tied)
    return FolderCut(scored, choice, decisive, lowest, with_ties, automatic, said)


def automatic_choice_on_disk(scored: FolderScores) -> AlphaChoice:
    """The ratio that the scores suggest, as :func:`kces.automatic_cut.automatic_choice` in memory."""
    shown = Yardstick(np.ones(1), scored.random_scores, scored.own_features)
    known = verdict_without_symptoms(shown)
    return known if known is not None else choice_by_symptoms(symptoms_on_disk(scored))


def symptoms_on_disk(scored: FolderScores) -> Symptoms:
    """How much looks like noise, and how it gathers."""
    folder = scored.folder
    bounds = noise_bounds(scored.random_scores)
    marks, below, unrelated, below_gap = np.zeros(folder.n_nodes, dtype=np.int64), 0, 0, 0
    counts = np.zeros(len(agreement_counts(np.ones(1))), dtype=np.int64)
    for chunk in scored.chunks():
        counts += agreement_counts(scored.scores(chunk))
        agreement = 2.0 / scored.scores(chunk)
        marked = agreement < bounds.unrelated
        unrelated += int(marked.sum())
        below += int((agreement < bounds.median).sum())
        below_gap += int((agreement < bounds.gap).sum())
        marks += np.bincount(scored.pairs(chunk)[marked].ravel(), minlength=folder.n_nodes)
    share = unrelated / folder.n_edges
    nodes = MarkedNodes(_degrees(scored), marks, share)
    reached = sum(
        int(nodes.within_reach(scored.pairs(chunk), 2.0 / scored.scores(chunk) < bounds.unrelated).sum())
        for chunk in scored.chunks()
    )
    apart = standing_apart(unrelated, below_gap)
    symptoms = nodes.gathering, scored.contrast, nodes.depth, reached / folder.n_edges
    return Symptoms(share, 2.0 * below / folder.n_edges, *symptoms, apart, second_group(counts))


def _suspicion(scored: FolderScores) -> Callable[[int], Array]:
    """Scores in the company that edges keep, chunk by chunk; what is known of all edges takes a pass of its own."""
    weight = company_weight(symptoms_on_disk(scored).gathering) if len(scored.random_scores) >= 2 else 0.0
    if weight == 0.0:
        return scored.scores
    middling = _middling(scored)
    leads = np.zeros(scored.folder.n_nodes)
    for chunk in scored.chunks():
        leads += leads_at_nodes(scored.scores(chunk), scored.pairs(chunk), middling, len(leads))
    company = Company(middling, _degrees(scored), leads)
    return lambda chunk: raised_scores(scored.scores(chunk), scored.pairs(chunk), weight, company)


def _middling(scored: FolderScores) -> float:
    """The median agreement of all edges."""
    total = scored.folder.n_edges

    def agreement(chunk: int) -> Array:
        return 2.0 / scored.scores(chunk)

    places = (total - 1) // 2, total // 2
    return float(np.mean([value_of_place(scored.n_chunks, agreement, place) for place in places]))


def _degrees(scored: FolderScores) -> Ints:
    return scored.folder.degrees.astype(np.int64) - 1
