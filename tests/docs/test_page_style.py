"""The looks of the documents: short lines, American spelling, nothing about how they came about."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import pytest

from docs.fences import ROOT

LONGEST = 120
WRITTEN = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/api/*.md"), *ROOT.glob("examples/*.md")]
PAGES = sorted(WRITTEN)
SOURCES = sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("examples/*.py"), *ROOT.glob("site/*.py")])
BRITISH = re.compile(
    r"\b(\w*neighbour\w*|\w*colour\w*|behaviou?r(?<!behavior)\w*|favour\w*|labour\w*|honour\w*|centred|centring|centres?|fibre"
    r"|licences?|defences?|offences?|catalogues?|analogues?|dialogues?|grey\w*|modell(?:ed|ing)|labell(?:ed|ing)|"
    r"relabell(?:ed|ing)|unlabelled|cancell(?:ed|ing)|travell(?:ed|ing)|analyse[ds]?|analysing|optimis\w+|normalis\w+|"
    r"regularis\w+|standardis\w+|initialis\w+|memoris\w+|summaris\w+|organis\w+|recognis\w+|minimis(?:e|ed|es|ing|ation)|"
    r"maximis(?:e|ed|es|ing|ation)|generalis\w+|serialis\w+|visualis\w+|sanitis\w+|randomis\w+|penalis\w+|utilis\w+|"
    r"artefacts?|whilst|amongst|learnt|spelt)\b",
    re.IGNORECASE,
)


def prose(text: str) -> str:
    """The text without code, whose names are what they are, and without addresses."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return re.sub(r"``.*?``|`[^`\n]*`|\]\([^)]*\)|https?://\S+", "", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_lines_are_short(page: Path) -> None:
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
    # A row of a table cannot be broken.
    assert [number for number, line in lines if len(line) > LONGEST and not line.startswith("|")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_spelling_is_american(page: Path) -> None:
    assert BRITISH.findall(prose(page.read_text(encoding="utf-8"))) == []


def test_comments_and_docstrings_are_american() -> None:
    found = {source.name: BRITISH.findall(_comments(source)) for source in SOURCES}
    assert {name: words for name, words in found.items() if words} == {}


def _comments(source: Path) -> str:
    """Comments and docstrings without what names code: identifiers keep the names they have."""
    with source.open("rb") as lines:
        tokens = list(tokenize.tokenize(lines.readline))
    kept = [each.string for each in tokens if each.type == tokenize.COMMENT or each.string.startswith('"""')]
    without_code = re.sub(r">>> .*|\.\.\. .*|\b\w+[._]\w[\w.]*", "", prose("\n".join(kept)))
    return re.sub(r"^\s*\w+(?:, \w+)* :", "", without_code, flags=re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_number_has_its_command(page: Path) -> None:
    assert not re.search(r"script that was", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("docs/results/**/*.md"))], ids=lambda path: path.name)
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([\w./-]+)[)#]", page.read_text(encoding="utf-8"))
    assert [each for each in targets if "://" not in each and not (page.parent / each).exists()] == []
