"""The fenced blocks of a page, in their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Block", "blocks_of"]

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"(?:<!-- not run: (?P<reason>[^>]+?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block: its language, its text, and why it is not run, if it is not."""

    language: str
    text: str
    reason: str | None


def blocks_of(page: Path) -> list[Block]:
    """All fenced blocks of a page; a comment ``<!-- not run: REASON -->`` above one keeps the tests from it."""
    found = _FENCE.finditer(page.read_text(encoding="utf-8"))
    return [Block(each["language"], each["text"], each["reason"]) for each in found]
