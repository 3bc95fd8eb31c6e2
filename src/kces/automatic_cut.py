"""Choosing α without labels: how much noise there is, how it gathers, and whether that can be judged at all.

Random pairs of nodes are a yardstick that needs no label: they show what agreement looks like where there is no reason
for a link. Three numbers are read off it:

- ``unrelated``, the share of edges that are not significantly more alike than the lower of two groups of random pairs;
- ``below_median``, Storey's estimate of the share of edges that are random pairs: twice the share of edges that agree
  less than the median random pair. It is near zero on a clean graph, whose weak links are still better than random;
- ``apart``, whether the unrelated edges are a group of their own, with a gap between them and the others. Weak links of
  a clean graph blend into the sound ones; where the features are a few categories, planted links do not, though they
  may all agree a little more than the median random pair;
- ``second_group``, the share of edges below a wide gap in the agreement of all edges, wherever it lies. Links that are
  systematic (strangers who link to everybody, two departments that work together) agree more than random pairs; they
  are no noise, but worth a word where the verdict is clean;
- ``gathering``, how unevenly the unrelated edges lie on the nodes: the variance of their number at a node over what it
  would be if they lay at random. Noise that comes by chance does not gather. An attack does, and its edges then vouch
  for each other: the cut has to go deeper than the noise that shows;
- ``depth``, the same with no node counted for more than five standard deviations: a ring of fraudsters gathers more
  than any attack, but at few nodes, and is no reason to cut everywhere;
- ``reach``, how far noise can hide: the share of edges that are unrelated, or have an end at which more than its share
  of the edges is.

The noise is ``unrelated``, faded out where ``below_median`` says clean and no gap speaks for it; the cut is
``noise · depth``, and not beyond ``reach``.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from kces.cut import CANNOT_JUDGE, NOISY, AlphaChoice
from kces.edge_groups import agreement_counts, second_group, standing_apart
from kces.errors import InvalidParameterError
from kces.marked_nodes import MarkedNodes
from kces.two_groups import two_groups
from kces.types import Array, Bools, Ints

__all__ = [
    "DEEPEST",
    "NoiseBounds",
    "Symptoms",
    "Yardstick",
    "automatic_choice",
    "choice_by_symptoms",
    "noise_bounds",
    "read_symptoms",
    "twice_the_noise",
    "unrelated_edges",
    "unrelated_pairs",
    "unrelated_share",
    "verdict_without_symptoms",
]

SIGNIFICANCE = 0.01
"""Share of unrelated pairs that would pass as edges."""

_QUANTILE = NormalDist().inv_cdf(SIGNIFICANCE)

CLEAR = 0.03
"""Storey's estimate from which noise is taken in full; below, the noise fades with the cube of the ratio."""

NEGLIGIBLE = 0.01
"""Noise below this is none: the graph is clean, and no edge goes. Edges that stand apart are noise however few."""

DEEPEST = 0.5
"""Never more than half of the edges: where most edges look random, the score has little to say."""

LEAST_CONTRAST = 0.63
"""Chance that the ends of an edge have more alike features than a random pair, below which features do not speak of
links: half way between chance (0.5) and the lowest on the tuning graphs (0.76)."""

MOST_GATHERING = 8.0
"""Twice the highest on the tuning graphs (3.9): beyond, weak links lie on few nodes for a reason that is no attack."""

MOST_UNRELATED = 1.0 / 3.0
"""Twice the highest on the tuning graphs (0.17)."""

GAP = 2.0
"""How far above the bound of unrelated pairs other edges would stand for a gap, in units of the bound's own distance
from their mean. On no tuning graph is it empty: there are more edges in it than unrelated ones."""

_WORTH_A_WORD = 0.005
"""A cut that is deeper than the noise by more than this share of the edges says why."""

DEPTH = 2.0
"""Of the plainer rule :func:`twice_the_noise`."""


@dataclass(frozen=True, eq=False)
class Yardstick:
    """What tells how many edges look like noise.

    Attributes
    ----------
    scores : (E,) of the edges.
    random_scores : (R,) of random pairs that are not edges.
    own_features : whether the features can tell nodes apart at all.
    contrast : chance that the ends of an edge have more alike features than a random pair.
    edges : (E, 2) the ends; None where nobody asks how noise gathers.
    """

    scores: Array
    random_scores: Array
    own_features: bool = True
    contrast: float = 1.0
    edges: Ints | None = None


@dataclass(frozen=True)
class Symptoms:
    """What is read off the yardstick; see the head of this file."""

    unrelated: float
    below_median: float
    gathering: float
    contrast: float
    depth: float = 1.0
    reach: float = 1.0
    apart: float = 0.0
    second_group: float = 0.0

    @property
    def noise(self) -> float:
        """Estimated share of noise among the edges."""
        return self.unrelated * max(min(1.0, self.below_median / CLEAR) ** 3, self.apart)

    @property
    def interval(self) -> tuple[float, float]:
        """From what is surely noise to what may be."""
        return min(self.below_median, self.noise), max(self.below_median, self.unrelated)


def read_symptoms(yardstick: Yardstick) -> Symptoms:
    """Measure how much looks like noise, and how it gathers.

    >>> noise = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    >>> read_symptoms(Yardstick(np.array([2.1] + [1.0] * 9), noise)).unrelated
    0.1
    """
    agreement = _agreement(yardstick.scores)
    bounds = noise_bounds(yardstick.random_scores)
    unrelated: Bools = agreement < bounds.unrelated
    share, below = float(unrelated.mean()), 2.0 * float(np.mean(agreement < bounds.median))
    apart = standing_apart(int(unrelated.sum()), int((agreement < bounds.gap).sum()))
    group = second_group(agreement_counts(yardstick.scores))
    if yardstick.edges is None:
        return Symptoms(share, below, 1.0, yardstick.contrast, apart=apart, second_group=group)
    marks = MarkedNodes.of(yardstick.edges, unrelated)
    reach = float(marks.within_reach(yardstick.edges, unrelated).mean())
    return Symptoms(share, below, marks.gathering, yardstick.contrast, marks.depth, reach, apart, group)


def unrelated_edges(yardstick: Yardstick) -> Bools:
    """(E,) which edges look like random pairs.

    >>> noise = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    >>> unrelated_edges(Yardstick(np.array([2.1, 1.0]), noise)).tolist()
    [True, False]
    """
    looks_random: Bools = _agreement(yardstick.scores) < noise_bounds(yardstick.random_scores).unrelated
    return looks_random


class NoiseBounds(NamedTuple):
    """Agreement, ``2 / score``, by which edges are parted.

    Attributes
    ----------
    median : of the random pairs.
    unrelated : below this an edge looks unrelated.
    gap : where the gap above the unrelated ends.
    """

    median: float
    unrelated: float
    gap: float


def noise_bounds(random_scores: Array) -> NoiseBounds:
    """What parts unrelated edges from others, read off random pairs."""
    center, spread = unrelated_pairs(random_scores)
    reach = -_QUANTILE * spread
    return NoiseBounds(float(np.median(_agreement(random_scores))), center + reach, center + (1.0 + GAP) * reach)


def automatic_choice(yardstick: Yardstick) -> AlphaChoice:
    """The ratio that the scores suggest, with the estimate of noise behind it, or why it cannot be judged.

    Examples
    --------
    >>> noise = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    >>> choice = automatic_choice(Yardstick(np.array([2.1] + [1.0] * 9), noise))
    >>> choice.verdict, choice.alpha
    ('noisy', 0.1)
    >>> automatic_choice(Yardstick(np.ones(9), noise, contrast=0.5)).verdict
    'cannot judge'
    """
    known = verdict_without_symptoms(yardstick)
    return choice_by_symptoms(read_symptoms(yardstick)) if known is None else known


def verdict_without_symptoms(yardstick: Yardstick) -> AlphaChoice | None:
    """Why nothing can be judged, where that is plain before anything is read off the edges; else None."""
    if len(yardstick.scores) == 0:
        raise InvalidParameterError("there are no scores to cut; score a graph with edges first")
    if not yardstick.own_features:
        return _no_verdict("no features tell the nodes apart, so nothing says which edges are noise")
    if len(yardstick.random_scores) < 2:
        return _no_verdict("there are no unlinked pairs to compare the edges with")
    return None


def choice_by_symptoms(found: Symptoms) -> AlphaChoice:
    """The ratio, or why there is none, from what was read off features that tell nodes apart."""
    if found.contrast < LEAST_CONTRAST:
        return _no_verdict(
            "linked nodes are hardly more alike in their features than random ones, so they do not speak of links"
        )
    if found.unrelated > MOST_UNRELATED:
        return _no_verdict(f"{found.unrelated:.0%} of the edges look like random pairs, too many to tell good from bad")
    if found.gathering > MOST_GATHERING:
        return _no_verdict(
            "edges between unlike nodes gather at a few nodes: either that is how this graph is made,"
            " or these nodes are the trouble; look at them first"
        )
    if found.noise < NEGLIGIBLE * (1.0 - found.apart) or found.noise == 0.0:
        reason = f"nearly no edge looks like a random pair (noise {found.noise:.1%}, at most {found.interval[1]:.1%})"
        if found.second_group:
            reason += f"; but {found.second_group:.1%} of the edges stand apart from all others, on top of the ranking"
        return AlphaChoice(0.0, reason, "clean", found.noise, found.interval)
    alpha = min(found.noise * max(found.depth, 1.0), found.reach, DEEPEST)
    low, high = found.interval
    reason = f"about {found.noise:.1%} of the edges look like noise ({low:.1%} to {high:.1%})"
    if alpha - found.noise >= _WORTH_A_WORD:
        reason += f" and gather at nodes ({found.depth:.1f} times chance), so the cut goes deeper"
    if alpha > 2.0 * found.noise:
        reason += f": more sound edges go than noise; alpha {found.noise:.3g} takes the noise alone"
    return AlphaChoice(alpha, reason, NOISY, found.noise, found.interval)


def twice_the_noise(yardstick: Yardstick) -> AlphaChoice:
    """A plainer rule, for comparison: twice the share of unrelated edges, at most ``DEEPEST``.

    The tables of the laboratory were made with it.

    >>> noise = 2.0 / np.random.default_rng(0).normal(1.0, 0.01, 2000)
    >>> twice_the_noise(Yardstick(np.array([2.0] + [1.0] * 9), noise)).alpha
    0.2
    """
    if not yardstick.own_features:
        return _no_verdict("no features tell the nodes apart, so nothing says which edges are noise")
    share = unrelated_share(yardstick.scores, yardstick.random_scores)
    return AlphaChoice(min(DEPTH * share, DEEPEST), f"{share:.1%} of the edges look no better than random pairs")


def _no_verdict(reason: str) -> AlphaChoice:
    return AlphaChoice(0.0, reason, CANNOT_JUDGE)


def unrelated_share(scores: Array, random_scores: Array) -> float:
    """Share of edges whose ends are not significantly more alike than unrelated nodes: an estimate of the noise."""
    if len(scores) == 0:
        raise InvalidParameterError("there are no scores to cut; score a graph with edges first")
    if len(random_scores) < 2:  # a nearly complete graph: nothing to compare with, so no reason to cut
        return 0.0
    center, spread = unrelated_pairs(random_scores)
    return float(np.mean(_agreement(scores) < center - _QUANTILE * spread))


def unrelated_pairs(random_scores: Array) -> tuple[float, float]:
    """Mean and standard deviation of the agreement, ``2 / score``, of the lower of two groups of random pairs."""
    agreement = _agreement(random_scores)
    if np.ptp(agreement) < 1e-9:
        return float(agreement[0]), 0.0
    means, spreads = two_groups(agreement)
    return float(means[0]), float(spreads[0])


def _agreement(scores: Array) -> Array:
    """1 + κ: the score is its inverse, which is skewed; κ of unrelated pairs is close to normal."""
    return 2.0 / np.asarray(scores, dtype=np.float64)
