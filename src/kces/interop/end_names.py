"""Names that people give to the two ends of an edge, and to the columns beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

__all__ = ["WEIGHT_NAMES", "are_two_kinds", "is_no_end_name", "known_pairs", "name_words"]

WEIGHT_NAMES = frozenset({"weight", "weights", "edge_weight"})

# Words that also stand for other things (letters, times) are an end only when they are the whole name.
_WHOLE_NAMES_ONLY = {("u", "v"), ("start", "end"), ("head", "tail"), ("tail", "head")}
_PAIRS = {
    *_WHOLE_NAMES_ONLY,
    *(("source", "target"), ("source", "destination"), ("source", "dest"), ("source", "sink")),
    *(("src", "dst"), ("src", "dest"), ("src", "tgt"), ("src", "trg"), ("src", "target")),
    *(("from", "to"), ("origin", "destination"), ("origin", "dest"), ("orig", "dest"), ("org", "dest")),
    *(("payer", "payee"), ("sender", "receiver"), ("sender", "recipient"), ("buyer", "seller"), ("giver", "taker")),
    *(("debtor", "creditor"), ("debit", "credit"), ("lender", "borrower"), ("remitter", "beneficiary")),
    *(("originator", "beneficiary"), ("customer", "merchant"), ("follower", "followee"), ("follower", "followed")),
    *(("citing", "cited"), ("caller", "callee"), ("parent", "child"), ("subject", "object")),
    *(("left", "right"), ("first", "second"), ("initiator", "responder"), ("client", "server")),
}
_NUMBERS = frozenset({"id", "ids", "key", "no", "nr", "num", "number", "code"})
"""Words that say nothing about what is numbered."""
_TWO_KINDS = {("customer", "merchant"), ("client", "server")}
"""Pairs of names for ends that are not of one kind."""
_NUMBERED = {("1", "2"), ("0", "1"), ("a", "b"), ("i", "j"), ("x", "y")}
_IDENTIFIES = frozenset(
    {
        "id",
        "ids",
        "ip",
        "account",
        "acct",
        "node",
        "name",
        "key",
        "user",
        "address",
        "addr",
        "no",
        "nr",
        "num",
        "number",
        "code",
        "email",
        "iban",
    }
)
_NO_END = re.compile(
    r"(|index|unnamed 0|id|uid|guid|uuid|(tx|txn|trans|transaction|transfer|payment|row|record|edge|link|event|order|"
    r"message|msg|call|invoice)( ?(id|no|nr|number|key|hash))?|weights?|edge weight|amount|value|total|sum|price|count|"
    r"n|qty|quantity|currency|date|day|month|year|time|timestamp|ts|datetime|since|until|step|created( at)?|"
    r"updated( at)?|type|kind|label|class|category|status|relation|rel|note|notes|comment|description|memo|"
    r"score|rank|is fraud|fraud|suspicious|directed)"
)


def known_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of the columns whose names are a known pair of ends; the most certain ones only.

    A whole name (``source``) is more certain than part of one, and ``source_id`` than ``source_type``.

    >>> known_pairs(["tx_id", "payer", "payee"]), known_pairs(["src_port", "src_ip", "dst_port", "dst_ip"])
    ([(1, 2)], [(1, 3)])
    >>> known_pairs(["step", "nameOrig", "amountOrig", "nameDest", "amountDest"]), known_pairs(["day", "place"])
    ([(1, 3)], [])
    """
    words = [name_words(name) for name in names]
    found = []
    for first, second in combinations(range(len(names)), 2):
        for source, target in ((first, second), (second, first)):
            certainty = _certainty(words[source], words[target])
            if certainty and not _in_a_longer_series(words[source], words):
                found.append((certainty, (source, target)))
                break
    best = max((certainty for certainty, _ in found), default=0)
    return [pair for certainty, pair in found if certainty == best]


def are_two_kinds(source: str, target: str) -> bool:
    """Whether two names of ends are words for different things, and not for two roles of one.

    >>> are_two_kinds("userId", "movieId"), are_two_kinds("payer_id", "payee_id"), are_two_kinds("node1", "node2")
    (True, False, False)
    """
    one, other = (" ".join(word for word in name_words(name) if word not in _NUMBERS) for name in (source, target))
    if one == other:
        return False
    return (one, other) in _TWO_KINDS or not known_pairs([source, target])


def is_no_end_name(name: str) -> bool:
    """Whether a column of this name is about the edge and not an end of it.

    >>> is_no_end_name("tx_id"), is_no_end_name("Amount"), is_no_end_name("author")
    (True, True, False)
    """
    return _NO_END.fullmatch(" ".join(name_words(name))) is not None


def name_words(name: str) -> list[str]:
    """The words in a column's name; digits at the end are one.

    >>> name_words("nameOrig"), name_words("Account No."), name_words("node1")
    (['name', 'orig'], ['account', 'no'], ['node', '1'])
    """
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name.strip())
    parted = re.sub(r"([A-Za-z])(\d+)$", r"\1 \2", parted)
    return re.sub(r"[^0-9A-Za-z]+", " ", parted).lower().split()


def _in_a_longer_series(end: list[str], words: list[list[str]]) -> bool:
    """``n1`` is an end beside ``n2``, but not if there is an ``n3``."""
    if not end[-1].isdigit():
        return False
    return sum(other[:-1] == end[:-1] and other[-1].isdigit() for other in words if other) > 2


def _certainty(source: list[str], target: list[str]) -> int:
    """4: whole names, 3: they may mean other things, 2: part of an identifying name, 1: of another, 0: no pair."""
    identifies = any(word in _IDENTIFIES for word in source)
    if source and target in (source, [*source, "1"]):  # one name twice, as it is or as pandas writes it
        return 2 if identifies else 0
    if len(source) != len(target) or not source:
        return 0
    if len(source) == 1 and source[0] != target[0]:
        pair = (source[0], target[0])
        return 0 if pair not in _PAIRS else 3 if pair in _WHOLE_NAMES_ONLY else 4
    differing = [position for position, (one, other) in enumerate(zip(source, target, strict=True)) if one != other]
    if len(differing) != 1:
        return 0
    pair = (source[differing[0]], target[differing[0]])
    is_last = differing[0] == len(source) - 1
    numbered = is_last and pair in _NUMBERED
    if not numbered and (pair not in _PAIRS or pair in _WHOLE_NAMES_ONLY):
        return 0
    return 2 if identifies else 1
