"""Attacks on a graph's structure, behind one interface.

>>> from kces.graph import Graph
>>> from kces.lab.attacks import ATTACKS
>>> ring = Graph.from_edges([[i, (i + 1) % 8] for i in range(8)], labels=[0, 0, 0, 0, 1, 1, 1, 1])
>>> attacked = ATTACKS["dice"](ring, budget=0.25, seed=0)
>>> len(attacked.added) + len(attacked.removed)
2
"""

from kces.lab.attacks.attack_registry import ATTACKS, find_attack, register_attack
from kces.lab.attacks.cache import load_or_make
from kces.lab.attacks.flips import flips_allowed
from kces.lab.attacks.interface import PER_TARGET, SHARE_OF_EDGES, Attack, AttackFunction

__all__ = [
    "ATTACKS",
    "PER_TARGET",
    "SHARE_OF_EDGES",
    "Attack",
    "AttackFunction",
    "find_attack",
    "flips_allowed",
    "load_or_make",
    "register_attack",
]
